import assert from "node:assert/strict";
import { test } from "node:test";
import { openErasure, showErasure } from "@belfry/administration/erasure/erasures";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { programIn } from "@belfry/administration/test/acts";
import { ADA, BOB, storeEvent, tablesWith } from "@belfry/administration/test/person";
import { assertEach } from "@belfry/testing/assert-each";
import { connectedDatabase, type TestPool } from "@belfry/testing/database";
import { eventually } from "@belfry/testing/eventually";
import { testNatsUrl, testPrefix } from "@belfry/testing/nats";
import { startProcess } from "@belfry/testing/processes";
import { untilBlocked } from "@belfry/testing/until-blocked";

/** Several times more than an erasure handles at once. */
const MANY = 700;

test("another dispatcher finishes an erasure whose dispatcher was killed in the middle", {
  timeout: 300_000,
}, async (t) => {
  const { pool, db, url } = await connectedDatabase(t);
  const { id: tenantId } = await createTenant(db, { name: "Acme" });
  for (const person of [ADA, BOB]) {
    for (let at = 0; at < 3; at += 1) await storeEvent(db, tenantId, person);
    await storeMany(pool, tenantId, person);
  }
  const bobBefore = await tablesWith(pool, BOB.userId);
  const owner = { tenantId, userId: ADA.userId };
  const left = async ({ userId }: { userId: string }) => {
    const rows = await pool.sql`select count(*)::integer as count from events
      where user_id = ${userId}`;
    return rows[0].count as number;
  };
  const all = await left(ADA);

  // The oldest comes last: the erasure stops before it, with most of the others gone.
  const client = await pool.connect();
  await client.query("begin");
  await client.query(
    "select from events where id = (select id from events where user_id = $1 order by id limit 1) for update",
    [ADA.userId],
  );
  const { id } = await openErasure(db, owner);
  const env = { DATABASE_URL: url, NATS_URL: testNatsUrl(), NATS_PREFIX: testPrefix(t) };
  const main = new URL("./main.ts", import.meta.url);
  const first = await startProcess(t, { main, env: { ...env, LOG_LEVEL: "fatal" } });
  await untilBlocked(pool);
  await first.kill();
  const middle = await left(ADA);
  assert.ok(middle > 0 && middle < all, `${middle} of ${all} events are left`);
  assert.ok((await tablesWith(pool, ADA.variable)).includes("notifications"));
  assert.equal((await programIn(db, tenantId)(showErasure, { erasureId: id })).status, "running");

  // Nobody renews the lease now: the test ends it.
  await pool.query("update erasures set claimed_until = now() - interval '1 second'");
  await client.query("rollback");
  client.release();
  await startProcess(t, { main, env: { ...env, LOG_LEVEL: "fatal" } });
  await eventually(
    async () => (await programIn(db, tenantId)(showErasure, { erasureId: id })).status === "done",
  );

  for (const needle of Object.values(ADA)) assert.deepEqual(await tablesWith(pool, needle), []);
  const rows = await pool.sql`select count(*)::integer as count from deliveries`;
  assert.deepEqual([await left(ADA), await left(BOB)], [0, all]);
  assert.equal(rows[0].count, MANY + 2 * 3, "the other user's, and no other");
  assert.deepEqual(await tablesWith(pool, BOB.userId), bobBefore);
  const entries = await db.selectFrom("audit_log").select("action").orderBy("id").execute();
  assertEach(entries, ({ action }) => action, ["user.erase", "user.erase", "user.erased"]);
});

/** Each with one delivery that ended long ago. */
async function storeMany(pool: TestPool, tenantId: string, person: typeof ADA): Promise<void> {
  await pool.sql`with e as (
      insert into events (id, tenant_id, event_type, user_id, recipient_email, trace_id, accepted_at, dispatched_at)
      select gen_random_uuid(), ${tenantId}, 'x', ${person.userId}, ${person.email}, 't', now(),
        now() from generate_series(1, ${MANY}::integer)
      returning id, recipient_email)
    insert into deliveries (id, event_id, tenant_id, channel, recipient, status, template_version_id,
      settled_at)
    select gen_random_uuid(), e.id, ${tenantId}, 'EMAIL', e.recipient_email, 'delivered', 1, now() from e`;
}
