import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
  PROVIDER_CHANNELS,
  type ProviderChannel,
  SENT_CHANNELS,
  type SentChannel,
} from "@belfry/contracts/channels";
import { deliveriesConsumer, deliveriesStream } from "@belfry/contracts/streams";
import { connectNats } from "@belfry/service/nats";
import { createPublisher } from "@belfry/service/publish";
import { ensureConsumer, ensureStreams, oldestUndeliveredMs } from "@belfry/service/streams";
import { assertHas } from "@belfry/testing/assert-has";
import { eventually } from "@belfry/testing/eventually";
import { testNatsUrl, testPrefix } from "@belfry/testing/nats";
import {
  type DispatcherUnderTest,
  dispatcherUnderTest,
  dispatcherWithTenant,
  restingDeliveries,
} from "../test/dispatcher-under-test.ts";
import { createDispatchPublisher } from "./dispatch-publisher.ts";
import {
  createReleaseLoop,
  type LookForLostDeps,
  lookForLost,
  releaseLost,
  releaseOnce,
} from "./release-loop.ts";
import { createRestLook } from "./wake-loop.ts";

test("tenants take turns: a backlog gets its share, and another tenant's single delivery leaves with it", async (t) => {
  const under = await dispatcherUnderTest(t);
  const [big, small] = [await under.tenant({ id: "aaa" }), await under.tenant({ id: "bbb" })];
  await restingDeliveries(under, big, 500);
  await restingDeliveries(under, small, 1);
  const deps = { ...under.deps, inFlightPerTenant: 20 };
  assert.deepEqual(await releaseOnce(deps, "EMAIL", ""), { after: "", capped: true, released: 21 });
  const byTenant = Object.groupBy(under.sent.deliveries, (one) => one.tenantId);
  assert.equal(byTenant[big]?.length, 20);
  assert.equal(byTenant[small]?.length, 1);
  assert.equal(under.sent.deliveries[0]?.traceId, "trace");

  await releaseOnce(deps, "EMAIL", "");
  assert.equal(under.sent.deliveries.length, 21, "nothing more while its share is on the way");

  await under.pool.sql`update deliveries set status = 'accepted', released_at = null, due_at = null
    where released_at is not null and tenant_id = ${big}`;
  await releaseOnce(deps, "EMAIL", "");
  assert.equal(under.sent.deliveries.length, 41, "what senders settle makes room");
});

test("a backlog continues in parts of a fifth of its share, not one by one as its sender finishes them", async (t) => {
  const { acme, ...under } = await dispatcherWithTenant(t);
  await restingDeliveries(under, acme, 100);
  const deps = { ...under.deps, inFlightPerTenant: 20 };
  const settle = (count: number) =>
    under.pool.sql`update deliveries set status = 'accepted', released_at = null, due_at = null
      where id = any (array(select id from deliveries where released_at is not null limit ${count}))`;
  await releaseOnce(deps, "EMAIL", "");
  assert.equal(under.sent.deliveries.length, 20);
  await settle(3);
  assert.deepEqual(await releaseOnce(deps, "EMAIL", ""), { after: "", capped: true, released: 0 });
  await settle(1);
  assert.deepEqual(await releaseOnce(deps, "EMAIL", ""), { after: "", capped: true, released: 4 });
});

test("the deliveries that have been due longest leave first, and those due later stay", async (t) => {
  const { acme, ...under } = await dispatcherWithTenant(t);
  await restingDeliveries(under, acme, 3, { status: "'waiting'" });
  await restingDeliveries(under, acme, 1, { status: "'waiting'" });
  await under.pool.query(
    `update deliveries d set due_at = now() + (n - 3) * interval '1 minute'
     from (select id, row_number() over (order by id desc) as n from deliveries) x where x.id = d.id`,
  );
  const { capped } = await releaseOnce({ ...under.deps, inFlightPerTenant: 1 }, "EMAIL", "");
  assert.equal(capped, true);
  const released = await under.deliveries("released_at is not null");
  const oldest = await under.deliveries("due_at = (select min(due_at) from deliveries)");
  assert.deepEqual(released, oldest);
  const rest = await releaseOnce({ ...under.deps, inFlightPerTenant: 100 }, "EMAIL", "");
  assert.equal(rest.capped, false);
  assert.equal((await under.deliveries("released_at is null")).length, 1);
});

test("a turn that reached its limit continues after its last tenant and returns to the first", async (t) => {
  const under = await dispatcherUnderTest(t);
  const tenants = ["a", "b", "c", "d"];
  for (const id of tenants) {
    await under.tenant({ id });
    await restingDeliveries(under, id, 1500);
  }
  const deps = { ...under.deps, inFlightPerTenant: 1500 };
  const first = await releaseOnce(deps, "EMAIL", "");
  assert.deepEqual(first, { after: "b", capped: true, released: 2000 });
  const count = (id: string) => under.sent.deliveries.filter((one) => one.tenantId === id).length;
  assert.deepEqual(tenants.map(count), [1500, 500, 0, 0]);
  const second = await releaseOnce(deps, "EMAIL", "b");
  assert.deepEqual(tenants.map(count), [1500, 500, 1500, 500]);
  assert.deepEqual(second, { after: "d", capped: true, released: 2000 });
  const third = await releaseOnce(deps, "EMAIL", second.after);
  assert.deepEqual(third, { after: "", capped: false, released: 0 }, "the end of the round");
  await releaseOnce(deps, "EMAIL", "");
  assert.deepEqual(tenants.map(count), [1500, 1500, 1500, 1500]);
});

test("tenants without due deliveries are checked once per pause, however many they are", async (t) => {
  const under = await dispatcherUnderTest(t);
  await under.pool.query(
    `insert into tenants (id, name, per_minute) select 'tenant' || n, 'x', 1 from generate_series(1, 1200) n`,
  );
  await under.pool.query(
    `insert into deliveries (id, event_id, tenant_id, channel, template_version_id, due_at)
     select gen_random_uuid(), gen_random_uuid(), 'tenant' || n, 'EMAIL', 1, now() + interval '1 hour'
     from generate_series(1, 1200) n`,
  );
  const { looks, stop } = startLoop(t, under, 100);
  // Each pause ends with one check for both channels.
  await eventually(() => looks.forRest >= 10);
  await stop();
  assert.equal(looks.SMS, 1, "where nothing is at rest there are no turns");
  assert.ok(looks.EMAIL >= 3, "1,200 tenants are three looks");
  assert.ok(looks.EMAIL <= 60, `${looks.EMAIL} looks in about ten rounds of three`);
});

test("two replicas never release a delivery twice nor more than a tenant's share", async (t) => {
  const { acme, ...under } = await dispatcherWithTenant(t);
  await restingDeliveries(under, acme, 300);
  const deps = { ...under.deps, inFlightPerTenant: 50 };
  await Promise.all(Array.from({ length: 6 }, () => releaseOnce(deps, "EMAIL", "")));
  assert.equal(under.sent.deliveries.length, 50);
  assert.equal(new Set(under.sent.deliveries.map((one) => one.id)).size, 50);
});

test("a delivery that could not be published waits again", async (t) => {
  const under = await dispatcherUnderTest(t);
  await restingDeliveries(under, await under.tenant(), 5);
  const dispatchPublisher = {
    ...under.deps.dispatchPublisher,
    publishDeliveries: async (all: readonly never[]) => [...all],
  };
  const failing = { ...under.deps, dispatchPublisher };
  assert.equal((await releaseOnce(failing, "EMAIL", "")).after, "");
  assert.equal((await under.deliveries("released_at is not null")).length, 0);
  await releaseOnce(under.deps, "EMAIL", "");
  assert.equal(under.sent.deliveries.length, 5);
});

test("deliveries of a deactivated tenant end as skipped, due or not, and never leave", async (t) => {
  const under = await dispatcherUnderTest(t);
  const acme = await under.tenant({ active: false });
  await restingDeliveries(under, acme, 3);
  await restingDeliveries(under, acme, 2, { status: "'waiting'" });
  await under.pool.query(
    "update deliveries set due_at = now() + interval '1 hour' where status = 'waiting'",
  );
  await restingDeliveries(under, acme, 1, { released_at: "now() - interval '1 hour'" });
  await releaseOnce(under.deps, "EMAIL", "");
  await releaseLost(under.deps, "EMAIL", 60_000);
  assert.equal(under.sent.deliveries.length, 0);
  const rows = await under.deliveries();
  for (const row of rows) {
    assertHas(row, { status: "skipped", reason: "tenant inactive" });
    assert.ok(row.settled_at !== null && row.due_at === null && row.released_at === null);
  }
});

test("a delivery that expires while it waits ends as expired and uses no share", async (t) => {
  const { acme, ...under } = await dispatcherWithTenant(t);
  await restingDeliveries(under, acme, 2, { expires_at: "now() - interval '1 second'" });
  await restingDeliveries(under, acme, 1, { expires_at: "now() + interval '1 hour'" });
  await releaseOnce(under.deps, "EMAIL", "");
  assert.equal((await under.deliveries("status = 'expired' and released_at is null")).length, 2);
  assert.equal(under.sent.deliveries.length, 1);
});

test("a sensitive event's variables are erased when its last delivery ends while waiting", async (t) => {
  const { acme, ...under } = await dispatcherWithTenant(t);
  await under.templates(acme, "otp", ["EMAIL"], { sensitive: true });
  const rows = await under.pool.sql`select max(id) as id from template_versions`;
  await restingDeliveries(under, acme, 1, { expires_at: "now() - interval '1 second'" });
  await under.pool.sql`update deliveries set template_version_id = ${rows[0].id}`;
  await releaseOnce(under.deps, "EMAIL", "");
  const events = await under.pool.query("select variables from events");
  assert.deepEqual(events.rows, [{ variables: null }]);
});

test("a released delivery that reached no sender, or whose sender died, is released again", async (t) => {
  const { acme, ...under } = await dispatcherWithTenant(t);
  const old = { released_at: "now() - interval '3 minutes'" };
  await restingDeliveries(under, acme, 1, old);
  await restingDeliveries(under, acme, 1, {
    ...old,
    status: "'sending'",
    claimed_until: "now() - interval '1 minute'",
  });
  await restingDeliveries(under, acme, 1, {
    ...old,
    status: "'sending'",
    claimed_until: "now() + interval '1 minute'",
  });
  await restingDeliveries(under, acme, 1, { released_at: "now()" });
  assert.equal(await releaseLost(under.deps, "EMAIL", 120_000), 2);
  assert.equal(await releaseLost(under.deps, "EMAIL", 120_000), 0, "not again before its time");
  const counted = await under.pool.query("select what, count from reconciliations");
  assert.deepEqual(counted.rows, [{ what: "deliveries", count: "2" }], "operators see how many");
  assert.equal(under.sent.deliveries.length, 2);
});

test("a delivery that no sender has claimed is released again once the stream has delivered everything as old", async (t) => {
  const { acme, ...under } = await dispatcherWithTenant(t);
  await restingDeliveries(under, acme, 1);
  let asked = 0;
  const look = async (ageSeconds: number, undelivered: () => Promise<number | undefined>) => {
    await under.pool.sql`update deliveries
      set released_at = now() - make_interval(secs => ${ageSeconds}), status = 'queued'`;
    const undeliveredMs = () => {
      asked += 1;
      return undelivered();
    };
    return await lookForLost({ ...under.deps, undeliveredMs, againAfterMs: 120_000 }, "EMAIL");
  };
  const allDelivered = async () => undefined;
  assert.equal(await look(1, allDelivered), 0, "it may not be published yet");
  assert.equal(asked, 0, "nothing is asked of NATS where nothing is missing");
  assert.equal(await look(16, allDelivered), 1);
  const minute = async () => 60_000;
  assert.equal(await look(61, minute), 0, "the stream may hold it");
  assert.equal(await look(76, minute), 1);
  const away = () => Promise.reject(new Error("NATS is away"));
  assert.equal(await look(100, away), 0);
  for (const whatever of [away, async () => 3_600_000]) assert.equal(await look(121, whatever), 1);
  assert.equal(under.sent.deliveries.length, 4);
});

test("a delivery that a dead sender had claimed is left to JetStream for a moment, then released again", async (t) => {
  const { acme, ...under } = await dispatcherWithTenant(t);
  const deps = { ...under.deps, undeliveredMs: async () => undefined, againAfterMs: 120_000 };
  const old = { released_at: "now() - interval '1 minute'", status: "'sending'" };
  for (const [seconds, released] of [
    [-60, 0],
    [1, 0],
    [11, 1],
  ] as const) {
    const claimed_until = `now() - make_interval(secs => ${seconds})`;
    await restingDeliveries(under, acme, 1, { ...old, claimed_until });
    assert.equal(await lookForLost(deps, "EMAIL"), released, `${seconds} s after its lease`);
  }
});

test("if a stream is purged, the first turn of a loop releases the lost deliveries of every sender again, once", async (t) => {
  const { acme, ...under } = await dispatcherWithTenant(t);
  const prefix = testPrefix(t);
  const nats = await connectNats({ url: testNatsUrl(), name: "test", log: under.log });
  t.after(() => nats.close());
  const stream = deliveriesStream(prefix);
  await ensureStreams(nats.nc, [stream], { log: under.log });
  const publisher = createPublisher({ nats, streams: [stream], log: under.log });
  const deps = {
    ...under.deps,
    dispatchPublisher: createDispatchPublisher({ nats, publisher, prefix, log: under.log }),
    undeliveredMs: (channel: SentChannel) =>
      oldestUndeliveredMs(nats.nc, deliveriesConsumer(prefix, channel)),
  };
  for (const channel of SENT_CHANNELS) {
    const consumer = deliveriesConsumer(prefix, channel);
    await ensureConsumer(nats.nc, stream, consumer, { ...under, signal: t.signal });
    await restingDeliveries(under, acme, 3);
    await under.pool.sql`update deliveries set channel = ${channel} where released_at is null`;
    await releaseOnce(deps, channel, "");
  }
  const ask = async (what: string) =>
    (await nats.nc.request(`$JS.API.STREAM.${what}.${stream.name}`)).json<{
      state: { messages: number };
    }>();
  const messages = async () => (await ask("INFO")).state.messages;
  assert.equal(await messages(), SENT_CHANNELS.length);
  await ask("PURGE");
  await under.pool.query("update deliveries set released_at = now() - interval '16 seconds'");
  const { stop } = startLoop(t, { ...under, deps }, 600_000, deps.undeliveredMs);
  await eventually(async () => (await messages()) === SENT_CHANNELS.length);
  await stop();
  for (const channel of SENT_CHANNELS) {
    assert.equal(await lookForLost({ ...deps, againAfterMs: 120_000 }, channel), 0, channel);
  }
  assert.equal(await messages(), SENT_CHANNELS.length);
});

test("if JetStream loses its store, every outstanding delivery is released again, and no other", async (t) => {
  const { acme, ...under } = await dispatcherWithTenant(t);
  const onItsWay = { released_at: "now() - interval '1 second'" };
  await restingDeliveries(under, acme, 3, onItsWay);
  const inHand = { status: "'sending'", claimed_until: "now() + interval '1 minute'" };
  await restingDeliveries(under, acme, 1, { ...onItsWay, ...inHand });
  const { loop, looks, stop } = startLoop(t, under, 600_000);
  await eventually(() => looks.EMAIL === 1 && looks.SMS === 1);
  assert.equal(under.sent.deliveries.length, 0);
  loop.storeLost();
  await eventually(() => under.sent.deliveries.length >= 3);
  await stop();
  assert.equal(under.sent.deliveries.length, 3);
});

test("the loop checks at once when it is woken, and survives a database that is away", async (t) => {
  const { acme, ...under } = await dispatcherWithTenant(t);
  const { loop, looks, stop } = startLoop(t, under, 600_000);
  await eventually(() => looks.EMAIL === 1 && looks.SMS === 1);
  await restingDeliveries(under, acme, 1);
  loop.wake();
  await eventually(() => under.sent.deliveries.length === 1);

  await under.pool.query("alter function release_deliveries rename to elsewhere");
  await restingDeliveries(under, acme, 1);
  loop.wake();
  await eventually(() => under.warnings.some((line) => line.includes("cannot release deliveries")));
  await under.pool.query("alter function elsewhere rename to release_deliveries");
  await eventually(() => under.sent.deliveries.length === 2);
  await stop();
});

test("while nothing waits, one check serves both channels, and a later delivery leaves without a wake-up", async (t) => {
  const under = await dispatcherUnderTest(t);
  const { looks, stop } = startLoop(t, under, 100);
  await eventually(() => looks.forRest >= 5);
  assert.deepEqual([looks.EMAIL, looks.SMS], [1, 1]);
  await restingDeliveries(under, await under.tenant(), 2);
  await eventually(() => under.sent.deliveries.length === 2);
  await eventually(() => looks.EMAIL >= 3);
  assert.equal(looks.SMS, 1);
  await stop();
});

/** A loop that checks at this interval, until it is stopped. */
function startLoop(
  t: TestContext,
  under: DispatcherUnderTest,
  everyMs: number,
  undeliveredMs: LookForLostDeps["undeliveredMs"] = async () => undefined,
) {
  const { pool, looks } = countingLooks(under);
  const loop = createReleaseLoop({
    ...under.deps,
    pool,
    lookAtRest: createRestLook(pool),
    everyMs,
    undeliveredMs,
    againAfterMs: 1_200_000,
  });
  const ended = new AbortController();
  const running = loop.run(ended.signal);
  const stop = () => {
    ended.abort();
    return running;
  };
  t.after(stop);
  return { loop, looks, stop };
}

/** The pool, how often each channel had its turn through it, and how often the loop checked whether it needs one. */
function countingLooks(under: DispatcherUnderTest) {
  const none = PROVIDER_CHANNELS.map((channel) => [channel, 0] as const);
  const turns = Object.fromEntries(none) as Record<ProviderChannel, number>;
  const looks = { ...turns, forRest: 0 };
  const pool = new Proxy(under.pool, {
    get(target, name) {
      if (name !== "query") return Reflect.get(target, name, target);
      return async (query: { name?: string; values?: unknown[] }) => {
        const answer = await target.query(query as never);
        if (query.name === "read_rest") looks.forRest += 1;
        if (query.name === "release_deliveries") looks[query.values?.[0] as ProviderChannel] += 1;
        return answer;
      };
    },
  });
  return { pool, looks };
}
