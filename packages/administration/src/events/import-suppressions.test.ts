import assert from "node:assert/strict";
import { test } from "node:test";
import { rowsRead } from "@belfry/testing/rows-read";
import { sql } from "kysely";
import { actsIn } from "../../test/acts.ts";
import { refusal, tenantDatabase } from "../../test/database.ts";
import { InvalidInput, NotFound } from "../input-error.ts";
import { importSuppressions } from "./import-suppressions.ts";
import { insertSuppressions } from "./suppression-rows.ts";

async function* bytesOf(...pieces: Uint8Array[]) {
  yield* pieces;
}

test("a file of addresses is suppressed as a whole or not at all, and every bad line is named with its rule", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const bring = (
    text: string | Uint8Array,
    {
      of = tenantId,
      email = "",
      ...more
    }: { of?: string; email?: string; [name: string]: unknown } = {},
  ) =>
    actsIn(
      db,
      of,
      {},
      { personId: null, person: "a test", address: "::1", ...(email && { email }) },
    )(importSuppressions, { channel: "EMAIL", file: bytesOf(Buffer.from(text)), ...more });
  const stored = async () => {
    const rows = await db
      .selectFrom("suppressions")
      .select(["address", "reason", "source"])
      .orderBy("address")
      .execute();
    return rows.map(({ address, reason, source }) => [address, reason, source].join(" "));
  };
  const faultsOf = async (work: Promise<unknown>) =>
    (await refusal(work)).faults.map(({ message }) => message);

  const bob = { addresses: ["bob@example.com"], reason: "bounced", source: null } as const;
  await insertSuppressions(db, { tenantId, channel: "EMAIL", ...bob });
  const file =
    'Email,when\r\nAnn@Example.com,2026\r\n\r\n"bob@example.com", x\r\nann@example.com\r\n';
  const { faults, ...counts } = await bring(file, { email: "olga@example.com" });
  assert.deepEqual(counts, {
    lines: 3,
    added: 1,
    alreadyThere: 1,
    repeated: 1,
    leftOut: 0,
    ignoredColumns: [{ column: "when", suggestion: null }],
  });
  assert.deepEqual(faults, []);
  const both = ["ann@example.com by hand olga@example.com", "bob@example.com bounced "];
  assert.deepEqual(await stored(), both);

  const bad = 'cleo@example.com\nnobody\n"open\nemail\n';
  const named = await faultsOf(bring(bad));
  assert.equal(named.length, 3);
  assert.match(named[0] ?? "", /^line 2: must be .*: "nobody"$/);
  assert.deepEqual(named[1], "line 3: has a quote that does not end");
  assert.match(named[2] ?? "", /^line 4: .*"email"$/, "a heading comes first");
  assert.deepEqual(await stored(), both, "nothing of it is done");
  const rest = await bring(bad, { leaveOutBad: true });
  assert.deepEqual([rest.added, rest.leftOut, rest.faults], [1, 3, named]);

  assert.deepEqual(await faultsOf(bring(Uint8Array.of(0x61, 0x0a, 0xff))), [
    'must be UTF-8 (in Excel "CSV UTF-8"): line 1, or one after it, is not',
  ]);
  assert.deepEqual(await faultsOf(bring("address\n\n")), ["must hold an address"]);
  assert.match((await faultsOf(bring("+12025550123")))[0] ?? "", /line 1/);
  await assert.rejects(bring("a@b.example", { of: "nobody" }), NotFound);
  await assert.rejects(bring("a@b.example", { channel: "PUSH" }), InvalidInput);
});

test("a hostile file of 10 MB costs no more than its lines: what is told of it, and what is kept, stays small", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const mail = { channel: "EMAIL", leaveOutBad: true } as const;
  const run = actsIn(db, tenantId);
  const one = Buffer.alloc(10_000_000, '"');
  const { faults, ...counts } = await run(importSuppressions, {
    ...mail,
    file: bytesOf(one, Buffer.from("\na@b.example")),
  });
  assert.deepEqual(counts, {
    lines: 2,
    added: 1,
    alreadyThere: 0,
    repeated: 0,
    leftOut: 1,
    ignoredColumns: [],
  });
  assert.deepEqual(faults, ["line 1: must be at most 4000 characters"]);

  const lines = Array.from({ length: 100_000 }, (_, n) =>
    n % 100 === 0 ? `u${n}@b.example` : `${"x".repeat(150)}${n}`,
  );
  const many = await run(importSuppressions, { ...mail, file: lines.join("\n") });
  assert.deepEqual(
    [many.lines, many.added, many.leftOut, many.faults.length],
    [100_000, 1_000, 99_000, 51],
  );
  assert.equal(many.faults.at(-1), "and 98950 more");
  assert.ok(many.faults.join("").length < 20_000, "a long text is not told whole");
});

test("the column of addresses is found by its name, of exports with commas, semicolons and tabs", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const bring = async (channel: "EMAIL" | "SMS", file: string) =>
    (await actsIn(db, tenantId)(importSuppressions, { channel, file })).added;
  assert.equal(
    await bring("EMAIL", 'status,reason,email,created\n5.1.1,"550, no\nsuch user",a@b.example,1\n'),
    1,
  );
  assert.equal(await bring("EMAIL", '"Email Address";"First Name"\nb@b.example;Bob\n'), 1);
  assert.equal(await bring("EMAIL", "Recipient\tE-Mail\nBob\tc@b.example\n"), 1);
  assert.equal(await bring("SMS", "email;Phone Number\nx@b.example;+12025550123\n"), 1);
  const { rows } = await sql<{ address: string }>`
    select address from suppressions order by address`.execute(db);
  assert.deepEqual(
    rows.map(({ address }) => address),
    ["+12025550123", "a@b.example", "b@b.example", "c@b.example"],
  );
});

test("of 2,500 addresses brought again each costs one look into an index", async (t) => {
  const { db, pool, tenantId } = await tenantDatabase(t, { maxConnections: 1 });
  await pool.query("alter table suppressions set (autovacuum_enabled = false)");
  const text = Array.from({ length: 2_500 }, (_, n) => `u${n}@b.example`).join("\n");
  const bring = () => actsIn(db, tenantId)(importSuppressions, { channel: "EMAIL", file: text });
  assert.equal((await bring()).added, 2_500);
  assert.equal((await bring()).alreadyThere, 2_500);
  const read = await rowsRead(pool, ["suppressions"]);
  assert.ok(read < 2 * 2_500, `${read} rows`);
  const notes = await db.selectFrom("audit_log").select("target").orderBy("id").execute();
  assert.deepEqual(
    notes.slice(0, 3).map(({ target }) => target),
    [
      "EMAIL 2500 lines, part 1 of 3",
      "EMAIL 2500 lines, part 2 of 3",
      "EMAIL 2500 lines, part 3 of 3",
    ],
  );
});
