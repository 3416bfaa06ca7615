import assert from "node:assert/strict";
import { test } from "node:test";
import { connectedDatabase } from "@belfry/testing/database";
import { untilBlocked } from "@belfry/testing/until-blocked";
import { watchLocks } from "./lock-waits.ts";

test("a wait for a lock names the waiter, the table and the holder", async (t) => {
  const { pool } = await connectedDatabase(t);
  const [holder, waiter] = [await pool.connect(), await pool.connect()];
  const locks = watchLocks(pool);
  await holder.query("begin");
  await holder.query("lock table tenant_limits");
  const waiting = waiter.query("select from tenant_limits");
  await untilBlocked(pool);
  const [wait, ...others] = await locks.stop();
  await holder.query("rollback");
  await waiting;
  for (const client of [holder, waiter]) client.release();
  assert.deepEqual(others, []);
  assert.equal(wait?.lock, "AccessShareLock relation tenant_limits");
  assert.match(wait.waiter, /select from tenant_limits$/);
  assert.match(wait.holders, /idle in transaction lock table tenant_limits$/);
  assert.ok(wait.waitedMs >= 0);
});
