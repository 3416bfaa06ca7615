import assert from "node:assert/strict";
import test from "node:test";
import type { PreferenceChange } from "@belfry/contracts/preferences";
import type { Cleanup } from "@belfry/testing/cleanup";
import { connectedDatabase } from "@belfry/testing/database";
import { preferencesOfUser, setPreferences } from "./preferences.ts";

const ANN = { tenantId: "acme", userId: "ann" };
const OFF: PreferenceChange = { category: "offers", channel: "EMAIL", enabled: false };

async function world(t: Cleanup) {
  const { db, pool } = await connectedDatabase(t);
  for (const id of ["acme", "other"]) {
    await db.insertInto("tenants").values({ id, name: id, per_minute: 1 }).execute();
  }
  const cells = async (owner = ANN) =>
    (await preferencesOfUser(db, owner)).map(
      ({ category, channel, enabled, source }) => `${category}/${channel} ${enabled} ${source}`,
    );
  return { db, pool, cells };
}

test("cells are written and forgotten, the last of a call counts, and nobody else's change", async (t) => {
  const { db, cells } = await world(t);
  const other = { ...ANN, tenantId: "other" };
  await setPreferences(db, other, "api", [OFF]);
  await setPreferences(db, { ...ANN, userId: "bob" }, "api", [OFF]);
  await setPreferences(db, ANN, "api", [
    { ...OFF, enabled: true },
    { category: "*", channel: "*", enabled: false },
    { category: "offers", channel: "SMS", enabled: false },
    OFF,
  ]);
  assert.deepEqual(await cells(), [
    "*/* false api",
    "offers/EMAIL false api",
    "offers/SMS false api",
  ]);
  const changed = await setPreferences(db, ANN, "preference page", [
    { category: "*", channel: "*", enabled: null },
    { category: "nothing", channel: "*", enabled: null },
    { category: "offers", channel: "SMS", enabled: false },
    { ...OFF, enabled: true },
  ]);
  assert.equal(changed, 2, "one is forgotten, one turned on");
  assert.deepEqual(await cells(), ["offers/EMAIL true preference page", "offers/SMS false api"]);
  await setPreferences(db, ANN, "api", []);
  assert.deepEqual(await cells(other), ["offers/EMAIL false api"]);
});

test("a cell that says so already keeps when and how it was said", async (t) => {
  const { db } = await world(t);
  await setPreferences(db, ANN, "unsubscribe link", [OFF]);
  const [first] = await preferencesOfUser(db, ANN);
  assert.equal(await setPreferences(db, ANN, "api", [OFF]), 0);
  assert.deepEqual(await preferencesOfUser(db, ANN), [first]);
  await setPreferences(db, ANN, "api", [{ ...OFF, enabled: true }]);
  const [second] = await preferencesOfUser(db, ANN);
  assert.ok(second!.source === "api" && second!.at > first!.at);
});

test("the first preference of a tenant tells that it has some", async (t) => {
  const { db } = await world(t);
  const using = async () =>
    await db.selectFrom("tenants").select("id").where("uses_preferences", "=", true).execute();
  assert.deepEqual(await using(), []);
  await setPreferences(db, ANN, "inbox", [OFF]);
  assert.deepEqual(await using(), [{ id: "acme" }]);
});

test("a change notes its time on the tenant, and one note stands for a second", async (t) => {
  const { db, pool } = await world(t);
  const noted = async () =>
    (await pool.query("select preferences_changed_at as at from tenants where id = 'acme'")).rows[0]
      .at as Date | null;
  const rows = await pool.sql`select clock_timestamp() as now`;
  await setPreferences(db, ANN, "inbox", [OFF]);
  assert.ok((await noted())! >= rows[0].now);
  for (const [ago, isNew] of [
    ["1.1 seconds", true],
    ["-1 hour", false],
  ] as const) {
    await pool.sql`update tenants set preferences_changed_at = now() - ${ago}::interval`;
    const before = await noted();
    await setPreferences(db, ANN, "inbox", [{ ...OFF, enabled: isNew }]);
    assert.equal((await noted())! > before!, isNew);
  }
});

test("changes of one user's cells at a time, in whatever order they are named, wait for each other and none fails", async (t) => {
  const { db, cells } = await world(t);
  const table = ["a", "b", "c", "*"].flatMap((category) =>
    (["EMAIL", "SMS", "*"] as const).map((channel) => ({ category, channel })),
  );
  const rounds = Array.from({ length: 60 }, (_, round) => {
    const changes = table.map((cell, index) => {
      return { ...cell, enabled: [true, false, null][(index + round) % 3]! };
    });
    return setPreferences(db, ANN, "api", round % 2 === 0 ? changes : changes.toReversed());
  });
  await Promise.all(rounds);
  await setPreferences(
    db,
    ANN,
    "api",
    table.map((cell) => ({ ...cell, enabled: null })),
  );
  assert.deepEqual(await cells(), []);
});
