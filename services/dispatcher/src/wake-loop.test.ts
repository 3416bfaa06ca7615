import assert from "node:assert/strict";
import { test } from "node:test";
import { refuseEvents } from "@belfry/database/functions/accept-events";
import { wakeEvents } from "@belfry/database/functions/release-deliveries";
import { type Publisher, PublishFault } from "@belfry/service/publish";
import { assertEach } from "@belfry/testing/assert-each";
import {
  type DispatcherUnderTest,
  dispatcherUnderTest,
  dispatcherWithTenant,
  eventsMessage,
} from "../test/dispatcher-under-test.ts";
import { createEventHandler } from "./event-handler.ts";
import { republishLost } from "./sweeper.ts";
import { createRestLook, createWakeLoop } from "./wake-loop.ts";

const PREFIX = "test";
const IN_AN_HOUR = { delaySeconds: 3600 };

/** A loop with a record of its publications, in order. */
function loopOf(
  under: DispatcherUnderTest,
  over: { expressPerMinute?: number; broken?: boolean } = {},
) {
  const published: { lane: string; ids: string[] }[] = [];
  const publisher: Publisher = {
    async publishIds(subject, items) {
      if (over.broken) throw new PublishFault("disconnected", "away");
      published.push({ lane: subject.split(".").at(-1)!, ids: items.map(({ id }) => id) });
      return { streamSequence: 1, duplicate: false };
    },
  };
  const { expressPerMinute = 1000 } = over;
  const deps = { pool: under.pool, publisher, prefix: PREFIX, expressPerMinute, log: under.log };
  const wake = createWakeLoop({
    ...deps,
    lookAtRest: createRestLook(deps.pool),
    canPublish: () => true,
    nowMs: () => 0,
  });
  return { deps, wake, published, ids: () => published.flatMap(({ ids }) => ids) };
}

/** Makes scheduled events due. */
async function makeDue(under: DispatcherUnderTest, ids: readonly string[]): Promise<void> {
  await under.pool.sql`with moved as (
      update scheduled_events set send_at = now() - interval '1 second' where event_id = any (${ids}) returning *)
    update events e set send_at = m.send_at from moved m where e.id = m.event_id`;
}

async function resting(under: DispatcherUnderTest): Promise<string[]> {
  const rows = await under.pool.sql`select event_id from scheduled_events order by event_id`;
  return rows.map((row) => row.event_id);
}

const handle = (under: DispatcherUnderTest, ids: readonly string[]) =>
  createEventHandler(under.deps)([eventsMessage(ids)], {
    log: under.log,
    signal: new AbortController().signal,
  } as never);

test("a scheduled event is not woken early; a due one is woken once, and dispatched once", async (t) => {
  const { acme: tenant, ...under } = await dispatcherWithTenant(t);
  await under.templates(tenant, "order.confirmed", ["EMAIL", "PUSH"]);
  const [later, due] = await under.events(tenant, { later: IN_AN_HOUR }, { later: IN_AN_HOUR });
  const { wake, ids } = loopOf(under);
  assert.equal(await wake(), 0);
  await makeDue(under, [due!]);
  assert.equal(await wake(), 1);
  assert.equal(await wake(), 0);
  assert.deepEqual(ids(), [due]);
  assert.deepEqual(await resting(under), [later]);
  await handle(under, [due!]);
  await handle(under, [due!]);
  assert.equal((await under.deliveries()).length, 1);
  assert.equal((await under.pool.query("select 1 from notifications")).rowCount, 1);
});

test("a message that names a scheduled event does nothing, and is done", async (t) => {
  const { acme: tenant, ...under } = await dispatcherWithTenant(t);
  await under.templates(tenant, "order.confirmed");
  const ids = await under.events(tenant, { later: IN_AN_HOUR });
  const [outcome] = await handle(under, ids);
  assert.equal(outcome!.kind, "done");
  assert.deepEqual(await under.deliveries(), []);
  assert.equal((await under.outcome(ids[0]!)).dispatched_at, null);
  assert.deepEqual(await resting(under), ids);
});

test("two replicas wake each event once", async (t) => {
  const under = await dispatcherUnderTest(t);
  const tenants = await Promise.all([under.tenant(), under.tenant(), under.tenant()]);
  const all: string[] = [];
  for (const tenant of tenants) {
    const setups = Array.from({ length: 450 }, () => ({ later: IN_AN_HOUR }));
    all.push(...(await under.events(tenant, ...setups)));
  }
  await makeDue(under, all);
  const [one, other] = [loopOf(under), loopOf(under)];
  while ((await resting(under)).length > 0) await Promise.all([one.wake(), other.wake()]);
  assert.deepEqual([...one.ids(), ...other.ids()].sort(), all.sort());
});

test("many due events take turns with other tenants', and use the bulk lane", async (t) => {
  const under = await dispatcherUnderTest(t);
  const [flood, other] = [await under.tenant({ id: "a" }), await under.tenant({ id: "b" })];
  const setups = Array.from({ length: 900 }, () => ({ later: IN_AN_HOUR }));
  const many = await under.events(flood, ...setups);
  const [code] = await under.events(other, { later: IN_AN_HOUR });
  await makeDue(under, [...many, code!]);
  const { wake, published, ids } = loopOf(under, { expressPerMinute: 300 });
  assert.equal(await wake(), 901);
  const at = ids().indexOf(code!);
  assert.ok(at <= 200, `the other tenant's is number ${at}`);
  const ofLane = (lane: string) =>
    published.filter((one) => one.lane === lane).flatMap((one) => one.ids);
  assert.equal(ofLane("bulk").length, 600);
  assert.ok(ofLane("express").includes(code!));
});

test("the sweeper publishes events that a replica moved but did not publish", async (t) => {
  const under = await dispatcherUnderTest(t);
  const ids = await under.events(await under.tenant(), { later: IN_AN_HOUR });
  await makeDue(under, ids);
  // The process ends here, after the commit.
  assert.equal((await wakeEvents(under.pool, "", 1000)).events.length, 1);
  const other = loopOf(under);
  assert.equal(await other.wake(), 0);
  assert.equal(await republishLost(other.deps, 15_000), 1);
  assert.deepEqual(other.ids(), ids);
});

test("the sweeper publishes events whose publication failed, at its next check", async (t) => {
  const under = await dispatcherUnderTest(t);
  const ids = await under.events(await under.tenant(), { later: IN_AN_HOUR });
  await makeDue(under, ids);
  await loopOf(under, { broken: true }).wake();
  const { deps, ids: found } = loopOf(under);
  // As long ago as possible.
  assert.equal(await republishLost(deps, 3_600_000), 1);
  assert.deepEqual(found(), ids);
  under.warnings.length = 0;
});

test("notifications have the times when their events became due, in that order", async (t) => {
  const { acme: tenant, ...under } = await dispatcherWithTenant(t);
  await under.templates(tenant, "order.confirmed", ["PUSH"]);
  const [second, first, plain] = await under.events(
    tenant,
    { later: { delaySeconds: 7200 } },
    { later: IN_AN_HOUR },
    {},
  );
  await handle(under, [plain!]);
  await under.pool.query(
    "update events set accepted_at = accepted_at - interval '20 days' where send_at is not null",
  );
  await under.pool.query("update scheduled_events set send_at = send_at - interval '1 day'");
  const before = new Date(Date.now() - 60_000);
  const { wake, ids } = loopOf(under);
  await wake();
  assert.deepEqual(ids(), [first, second]);
  // The order of arrival must not matter.
  await handle(under, [second!, first!]);
  const rows = await under.pool.sql`select id, created_at from notifications
    order by channel_offset`;
  assertEach(rows, (row) => row.id, [plain, first, second]);
  for (const row of rows) assert.ok(row.created_at > before, row.created_at.toISOString());
  assert.ok(rows[1].created_at <= rows[2].created_at);
});

test("expiry counts from the scheduled time, not from the acceptance", async (t) => {
  const { acme: tenant, ...under } = await dispatcherWithTenant(t);
  await under.templates(tenant, "order.confirmed", ["EMAIL"], { expiresAfterSeconds: 600 });
  const ids = await under.events(tenant, { later: IN_AN_HOUR });
  await under.pool.query("update events set accepted_at = accepted_at - interval '5 days'");
  await makeDue(under, ids);
  await loopOf(under).wake();
  await handle(under, ids);
  const rows = await under.pool.sql`select d.status, d.expires_at = date_trunc('milliseconds',
      e.send_at) + interval '600 seconds' as exact
    from deliveries d join events e on e.id = d.event_id`;
  assert.deepEqual(rows, [{ status: "queued", exact: true }]);
});

test("a tenant that is inactive by then is sent nothing", async (t) => {
  const { acme: tenant, ...under } = await dispatcherWithTenant(t);
  await under.templates(tenant, "order.confirmed", ["EMAIL"]);
  const ids = await under.events(tenant, { later: IN_AN_HOUR });
  await under.pool.query("update tenants set active = false");
  await makeDue(under, ids);
  await loopOf(under).wake();
  await handle(under, ids);
  const { outcome } = await under.outcome(ids[0]!);
  assert.match(outcome.skipped.EMAIL, /tenant/i);
  assert.deepEqual(await under.deliveries(), []);
});

test("a woken event can be refused as before, unless a replay was answered", async (t) => {
  const { acme: tenant, ...under } = await dispatcherWithTenant(t);
  const ids = await under.events(tenant, { later: IN_AN_HOUR }, { later: IN_AN_HOUR });
  await under.pool.sql`update scheduled_events set acknowledged = true where event_id = ${ids[1]}`;
  await makeDue(under, ids);
  await loopOf(under).wake();
  assert.deepEqual([...(await refuseEvents(under.pool, ids))], [ids[0]]);
});
