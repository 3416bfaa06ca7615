import assert from "node:assert/strict";
import { test } from "node:test";
import { connectedDatabase } from "@belfry/testing/database";
import { type Rest, readRest } from "./read-rest.ts";

/** A row for each flag, and the change after which the row needs no work. */
const WORK: [flag: keyof Rest, row: string, change: string][] = [
  [
    "isImportDue",
    `insert into imports (id, tenant_id, kind, person, address) values (gen_random_uuid(), 'acme', 'users', 'p', 'a')`,
    "update imports set due_at = now() + interval '1 hour'",
  ],
  [
    "isImportDue",
    "insert into topics (tenant_id, key, deleted_at) values ('acme', 'news', now())",
    "update topics set deleted_at = null",
  ],
  [
    "isErasureOpen",
    `insert into erasures (id, tenant_id, user_hash, user_id) values (gen_random_uuid(), 'acme', '', 'ann')`,
    "update erasures set state = 'done', user_id = null, ended_at = now()",
  ],
  [
    "isDeletionOpen",
    "insert into tenant_deletions (tenant_id, name, person, address, deleted) values ('acme', 'n', 'p', 'a', '{}')",
    "update tenant_deletions set ended_at = now()",
  ],
  [
    "hasSensitive",
    "insert into sensitive_events values (gen_random_uuid())",
    "delete from sensitive_events",
  ],
  [
    "isEventDue",
    "insert into scheduled_events (event_id, tenant_id, send_at, trace_id) values (gen_random_uuid(), 'acme', now(), 't')",
    "update scheduled_events set send_at = now() + interval '1 hour'",
  ],
];

test("the dispatcher learns of each kind of work that waits, and of its end", async (t) => {
  const { pool } = await connectedDatabase(t);
  await pool.query(
    "insert into tenants (id, name, per_minute, daily_cap, active) values ('acme', 'Acme', 1, 1, true)",
  );
  const atRest = await readRest(pool);
  for (const [flag, row, change] of WORK) {
    await pool.query(row);
    assert.deepEqual(await readRest(pool), { ...atRest, [flag]: true }, row);
    await pool.query(change);
    assert.deepEqual(await readRest(pool), atRest, change);
  }
  await pool.query("update configuration_version set version = version + 1");
  assert.equal(BigInt((await readRest(pool)).version), BigInt(atRest.version) + 1n);
});
