import assert from "node:assert/strict";
import { test } from "node:test";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { actsIn } from "@belfry/administration/test/acts";
import { listImports, showImport, startImport } from "@belfry/administration/users/imports";
import { listTopics } from "@belfry/administration/users/topics";
import { connectedDatabase, type TestPool } from "@belfry/testing/database";
import { eventually } from "@belfry/testing/eventually";
import { testNatsUrl, testPrefix } from "@belfry/testing/nats";
import { startProcess } from "@belfry/testing/processes";
import { untilBlocked } from "@belfry/testing/until-blocked";

const MAIN = new URL("./main.ts", import.meta.url);
const LINES = 6_000;
const BAD_EVERY = 500;
const HELD = "user-2700";

/** Lines of members; one of each chunk is bad, and every user comes twice. */
function file(): string {
  const lines = Array.from({ length: LINES }, (_, n) =>
    n % BAD_EVERY === 7 ? "bad\u0001" : `user-${Math.floor(n / 2)}`,
  );
  return `userId\n${lines.join("\n")}\n`;
}

/** Holds a row that a chunk in the middle will write: the chunk waits in its transaction. */
async function holdInTheMiddle(pool: TestPool, tenantId: string) {
  const client = await pool.connect();
  await client.query("begin");
  await client.query("insert into topic_members values ($1, 'news', $2)", [tenantId, HELD]);
  return async () => {
    await client.query("rollback");
    client.release();
  };
}

test("dispatchers that are killed within a chunk and between chunks lose no line of an import and write none twice; two at once go on with it", {
  timeout: 300_000,
}, async (t) => {
  const { pool, db, url } = await connectedDatabase(t);
  const { id: tenantId } = await createTenant(db, { name: "Acme" });
  const env = {
    ...{ DATABASE_URL: url, NATS_URL: testNatsUrl(), NATS_PREFIX: testPrefix(t) },
    LOG_LEVEL: "fatal",
  };
  const start = () => startProcess(t, { main: MAIN, env });
  const run = actsIn(db, tenantId);
  const letGo = await holdInTheMiddle(pool, tenantId);
  const { id } = await run(startImport, { kind: "members", topic: "news", file: file() });
  const shown = () => run(showImport, { importId: id });

  const first = await start();
  await untilBlocked(pool);
  await first.kill();
  const middle = await shown();
  assert.deepEqual([middle.state, middle.processed % 500], ["running", 0]);
  assert.ok(middle.processed > 0 && middle.processed < LINES, `${middle.processed} lines`);
  await letGo();

  // Between two chunks it rests.
  const second = await start();
  await eventually(async () => assert.ok((await shown()).processed > middle.processed));
  await second.kill();
  const later = await shown();

  const both = await Promise.all([start(), start()]);
  await eventually(async () => assert.equal((await shown()).state, "done"));
  const { processed, added, alreadyThere, leftOut, faults, lines } = await shown();
  const bad = LINES / BAD_EVERY;
  assert.ok(later.processed <= processed);
  assert.deepEqual([lines, processed, leftOut, faults.length], [LINES, LINES, bad, bad]);
  // The other line of the bad one's user is good.
  assert.deepEqual([added, alreadyThere], [LINES / 2, LINES / 2 - bad]);
  assert.equal((await run(listTopics, {})).items[0]?.members, LINES / 2);
  const rows = await pool.sql`select (select count(*)::integer from topic_members) as members,
    (select count(*)::integer from import_chunks) as chunks,
    (select count(*)::integer from audit_log where action = 'import.done') as ends`;
  assert.deepEqual(rows[0], { members: LINES / 2, chunks: 0, ends: 1 });
  assert.equal((await run(listImports, {})).items.length, 1);
  for (const process of both) await process.kill();
});
