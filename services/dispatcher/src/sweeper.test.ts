import assert from "node:assert/strict";
import { test } from "node:test";
import type { QueueItem } from "@belfry/contracts/streams";
import { assertEach } from "@belfry/testing/assert-each";
import { dispatcherUnderTest, eventsMessage } from "../test/dispatcher-under-test.ts";
import { createEventHandler, createSetAside } from "./event-handler.ts";
import { republishLost, republishStuck } from "./sweeper.ts";

const AFTER_MS = 150_000;
const SHARE = 100;
const emptyStream = async () => undefined;

function recordingPublisher() {
  const published: { subject: string; items: QueueItem[] }[] = [];
  let broken = false;
  return {
    published,
    setBroken: (value: boolean) => {
      broken = value;
    },
    publisher: {
      publishIds: async (subject: string, items: QueueItem[]) => {
        if (broken) throw new Error("NATS is away");
        published.push({ subject, items });
        return { streamSequence: 1, duplicate: false };
      },
    },
  };
}

async function setUp(t: Parameters<typeof dispatcherUnderTest>[0]) {
  const under = await dispatcherUnderTest(t);
  const recording = recordingPublisher();
  const { publisher } = recording;
  const deps = { ...under.deps, publisher, prefix: "p", expressPerMinute: SHARE };
  const age = async (seconds: number, ids?: string[]) =>
    void (await under.pool.sql`update undispatched_events
      set published_at = now() - make_interval(secs => ${seconds})
      where event_id = any (${ids ?? null}) or ${ids ?? null}::uuid[] is null`);
  const many = async (tenantId: string, count: number) => {
    const ids: string[] = [];
    for (let left = count; left > 0; left -= 200) {
      const setups = Array.from({ length: Math.min(200, left) }, () => ({}));
      ids.push(...(await under.events(tenantId, ...setups)));
    }
    return ids;
  };
  return { ...under, ...recording, sweeping: deps, age, many };
}

test("an event that nobody dispatched is published again, once per period", async (t) => {
  const under = await setUp(t);
  const { sweeping, published, pool, age } = under;
  const acme = await under.tenant();
  const [stuck = "", fresh = ""] = await under.events(acme, {}, {});
  await age(151, [stuck]);

  under.setBroken(true);
  assert.equal(await republishStuck(sweeping, AFTER_MS, emptyStream), 0);
  under.setBroken(false);
  const again = await republishStuck(sweeping, AFTER_MS, emptyStream);
  assert.equal(again, 1, "what NATS did not take is still stuck");
  assert.deepEqual(published, [
    { subject: "p.events.express", items: [{ id: stuck, traceId: "trace-1" }] },
  ]);
  assert.equal(await republishStuck(sweeping, AFTER_MS, emptyStream), 0);
  const counted = await pool.query("select what, count from reconciliations");
  assert.deepEqual(counted.rows, [{ what: "events", count: "1" }], "operators see how many");

  const handler = createEventHandler(under.deps);
  await age(1_000_000);
  await handler([eventsMessage([stuck, fresh])], { log: under.log, signal: t.signal });
  const late = await republishStuck(sweeping, AFTER_MS, emptyStream);
  assert.equal(late, 0, "a dispatched event is never stuck");
});

test("many lost events are published again in few messages, on the bulk lane, and apart from another tenant's single event", async (t) => {
  const { tenant, many, age, sweeping, published } = await setUp(t);
  const [flooding, calm] = [await tenant(), await tenant()];
  const flood = await many(flooding, 1000);
  const [code = ""] = await many(calm, 1);
  await age(151);
  assert.equal(await republishStuck(sweeping, AFTER_MS, emptyStream), 1001);
  const bulk = published.filter(({ subject }) => subject === "p.events.bulk");
  const idsOf = (messages: typeof published) =>
    messages.flatMap(({ items }) => items.map(({ id }) => id));
  assert.deepEqual(idsOf(bulk), flood);
  assert.ok(bulk.length <= 6, `${bulk.length} messages`);
  assert.deepEqual(idsOf(published.filter((message) => !bulk.includes(message))), [code]);
  assert.equal(await republishStuck(sweeping, AFTER_MS, emptyStream), 0, "once a period");
});

test("an event that waits in the stream is not published again, however old it is", async (t) => {
  const { tenant, many, age, sweeping, published } = await setUp(t);
  await many(await tenant(), 300);
  const lost = await many(await tenant(), 1);
  await age(600);
  await age(700, lost);
  const looks: number[] = [];
  const holds = (seconds: number) => async () => {
    looks.push(seconds);
    return seconds * 1000;
  };
  assert.equal(await republishStuck(sweeping, AFTER_MS, holds(700)), 0);
  assert.equal(await republishStuck(sweeping, AFTER_MS, holds(600)), 1, "older than all it holds");
  assertEach(published[0]?.items, ({ id }) => id, lost);
  assert.equal(await republishStuck(sweeping, AFTER_MS, holds(10)), 300, "what is gone from it");
  assert.equal(await republishStuck(sweeping, AFTER_MS, holds(10)), 0);
  assert.deepEqual(looks, [700, 600, 10], "where nothing is overdue the stream is not asked");
});

test("after the loss of the whole NATS store all events are published again at once, however many they were", async (t) => {
  const { tenant, many, age, sweeping, published } = await setUp(t);
  const acme = await tenant();
  const lost = await many(acme, 450);
  await age(60);
  const fresh = await many(acme, 3);
  const [one, other] = await Promise.all([
    republishLost(sweeping, 30_000),
    republishLost(sweeping, 30_000),
  ]);
  assert.equal(one + other, 450);
  const ids = published.flatMap(({ items }) => items.map(({ id }) => id));
  assert.deepEqual(ids.toSorted(), lost.toSorted());
  assert.ok(!ids.includes(fresh[0]!), "what was published into the new stream stays single");
});

test("an event that crashed the process too often on its own ends as failed; of a message with many, each open one is published alone", async (t) => {
  const under = await setUp(t);
  const { publisher, published, outcome } = under;
  const acme = await under.tenant();
  const [alone = "", one = "", two = "", done = ""] = await under.events(acme, {}, {}, {}, {});
  const handler = createEventHandler(under.deps);
  await handler([eventsMessage([done])], { log: under.log, signal: t.signal });
  const setAside = createSetAside(under.pool, "stream", publisher);
  const reason = "ended the process too often";
  await setAside(eventsMessage([alone], 11), reason);
  await setAside(eventsMessage([one, two, done], 11), reason);
  await setAside({ ...eventsMessage([]), data: Buffer.from([0, 255]) }, "undecodable");
  await setAside(eventsMessage(["no id"]), "undecodable");
  await setAside(eventsMessage(["no id", "nor this"]), "undecodable");
  assert.ok((await outcome(alone)).outcome.failed.PUSH);
  assert.equal((await outcome(one)).dispatched_at, null);
  assert.deepEqual(
    published.map(({ subject, items }) => [subject, ...items.map(({ id }) => id)]),
    [
      ["test.events.express", one],
      ["test.events.express", two],
    ],
  );
  const dead = await under.pool.query("select reason, deliveries from dead_messages order by id");
  assert.equal(dead.rowCount, 5);
  assert.deepEqual(dead.rows[0], { reason, deliveries: 11 });
});
