import assert from "node:assert/strict";
import { test } from "node:test";
import { broadcastsUnderTest } from "../test/broadcasts-under-test.ts";
import { restingDeliveries } from "../test/dispatcher-under-test.ts";
import { TENANT, timedUnderTest } from "../test/timed-under-test.ts";
import { createWaitingCount, readStalledSeconds, WAITING_REASONS } from "./dispatcher-metrics.ts";

test("waiting deliveries are counted by reason, once in 15 seconds, up to a limit", async (t) => {
  const under = await timedUnderTest(t);
  const { pool } = under;
  let nowMs = 0;
  const count = createWaitingCount(pool, () => nowMs);
  const counts = async () =>
    Object.fromEntries((await count()).map((one) => [one.reason, one.count]));
  const none = Object.fromEntries(WAITING_REASONS.map((reason) => [reason, 0]));
  assert.deepEqual(await counts(), none);

  await under.timed("comment", { digest: { windowSeconds: 60 } });
  await under.timed("news", { afterUnreadSeconds: 60 }, ["EMAIL", "PUSH"]);
  await under.timed("quiet", {});
  for (const eventType of ["comment", "comment", "news"]) await under.dispatch({ eventType });
  await under.events(TENANT, { eventType: "quiet" });
  await restingDeliveries(under, TENANT, 3, { status: "'waiting'", reason: "'gathered dust'" });
  await restingDeliveries(under, TENANT, 2);
  await restingDeliveries(under, TENANT, 8, { broadcast_id: "gen_random_uuid()" });
  await restingDeliveries(under, TENANT, 4, { reason: "coded_reason('quiet', '07:00')" });
  await restingDeliveries(under, TENANT, 5, { released_at: "now()" });
  await restingDeliveries(under, TENANT, 6, { status: "'accepted'" });
  await pool.sql`with e as (
      insert into events (id, tenant_id, event_type, user_id, trace_id, accepted_at)
      select gen_random_uuid(), ${TENANT}, 'x', 'u', 't', now() - interval '1 hour' from generate_series(1, 7)
      returning id)
    insert into scheduled_events (event_id, tenant_id, send_at, trace_id)
    select id, ${TENANT}, now() + interval '1 day', 't' from e`;
  nowMs = 14_999;
  assert.deepEqual(await counts(), none, "not counted again yet");
  nowMs = 15_000;
  const expected = {
    ...{ scheduled: 7, digest: 1, unread: 1, broadcast: 8, "quiet hours": 4, retry: 3, turn: 2 },
  };
  assert.deepEqual(await counts(), expected);
  const [scheduled] = await count();
  assert.ok(scheduled!.oldestSeconds >= 3600);

  await restingDeliveries(under, TENANT, 10_001);
  nowMs = 30_000;
  const all = Object.values(await counts()).reduce((sum, one) => sum + one, 0);
  assert.equal(all, 10_000 + 8 + 7, "of a channel no more than 10,000 are looked at");
});

test("a failed count is repeated at the next check", async () => {
  let fails = true;
  const pool = {
    query: async () => {
      if (fails) throw new Error("away");
      return { rows: [] };
    },
  };
  const count = createWaitingCount(pool as never, () => 0);
  await assert.rejects(count(), /away/);
  fails = false;
  assert.deepEqual(await count(), []);
});

test("a broadcast that should move and does not is seen, whatever state it is in; one that waits is not", async (t) => {
  const under = await broadcastsUnderTest(t);
  const { pool } = under;
  const ages = async (set: string) => {
    await pool.query(`update broadcasts set ${set}`);
    return Math.floor((await readStalledSeconds(pool)) / 3600);
  };
  assert.equal(await readStalledSeconds(pool), 0);
  await under.members(250);
  const { id } = await under.broadcast();
  const old = "next_at = now() - interval '2 hours 1 minute'";
  assert.equal(await ages(old), 2, "it does not begin");
  under.setDispatching(false);
  await under.moveOn();
  assert.equal(await ages("next_at = now() + interval '50 milliseconds'"), 0);
  await pool.query("update broadcast_chunks set created_at = now() - interval '3 hours 1 minute'");
  assert.equal(await ages("next_at = now() + interval '50 milliseconds'"), 3, "it does not go on");
  await pool.query("update provider_broadcasts set taken_at = now() - interval '1 hour 1 minute'");
  assert.equal(
    await ages("next_at = now() + interval '50 milliseconds'"),
    1,
    "its provider takes what has its turn before",
  );
  assert.equal(await ages(old), 2, "nobody looks at it");
  assert.equal(await ages("is_expanded = true, next_at = null"), 0, "everybody was passed");
  assert.equal(await ages("state = 'paused'"), 0, "it waits for a person");
  assert.equal(await ages("next_at = now() + interval '2 hours'"), 0, "it waits for tomorrow");
  assert.equal(await ages(old), 2, "it does not go on by itself");
  await under.cancel(id);
  assert.equal(await ages(old), 2, "its cancel is not counted");
});
