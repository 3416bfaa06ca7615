import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { TEST_KEYS, testDatabase } from "../../test/database.ts";
import { insertPerson } from "./person-rows.ts";
import { beginSession, keepToShow, sessionHolder, takeToShow } from "./sessions.ts";

const keys = TEST_KEYS;
const CONTENT = { apiKey: "bf_secret" };

async function twoSessions(t: Parameters<typeof testDatabase>[0]) {
  const db = await testDatabase(t);
  const person = { email: "ada@example.com", name: "Ada", password: "none", operator: false };
  const personId = await insertPerson(db, person);
  const session = async () => {
    const token = await beginSession(db, personId, { address: "192.0.2.1", userAgent: "test" });
    return (await sessionHolder(db, token))?.sessionId ?? "";
  };
  return { db, own: await session(), other: await session() };
}

test("what is kept for the next page is shown once, in its own session; it is stored encrypted", async (t) => {
  const { db, own, other } = await twoSessions(t);
  const id = await keepToShow(db, keys, own, CONTENT);
  const stored = await db.selectFrom("shown_once").selectAll().execute();
  assert.ok(!JSON.stringify(stored).includes("bf_secret"));
  assert.equal(await takeToShow(db, keys, other, id), undefined);
  const looks = await Promise.all(Array.from({ length: 4 }, () => takeToShow(db, keys, own, id)));
  assert.deepEqual(
    looks.filter((look) => look !== undefined),
    [CONTENT],
  );
  for (const odd of ["", "x", "%00"]) assert.equal(await takeToShow(db, keys, own, odd), undefined);
});

test("nobody is shown what is too old; it is deleted with the next, and with its session", async (t) => {
  const { db, own, other } = await twoSessions(t);
  const id = await keepToShow(db, keys, own, CONTENT);
  await sql`update shown_once set expires_at = now() - interval '1 second'`.execute(db);
  assert.equal(await takeToShow(db, keys, own, id), undefined);
  const next = await keepToShow(db, keys, other, CONTENT);
  const ids = async () =>
    (await db.selectFrom("shown_once").select("id").execute()).map((row) => row.id);
  assert.deepEqual(await ids(), [next]);
  await db.deleteFrom("sessions").execute();
  assert.deepEqual(await ids(), []);
});
