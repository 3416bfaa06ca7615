import assert from "node:assert/strict";
import { test } from "node:test";
import type { QueueItem } from "@belfry/contracts/queue-message";
import { dispatcherUnderTest, eventsMessage, restingDeliveries } from "./dispatcher-under-test.ts";
import { createEventHandler } from "./event-handler.ts";
import { createSetAside } from "./set-aside.ts";
import { republishStuck } from "./sweeper.ts";

const AFTER_MS = 150_000;

function recordingPublisher() {
  const published: { subject: string; items: QueueItem[]; messageId: string | undefined }[] = [];
  let broken = false;
  return {
    published,
    setBroken: (value: boolean) => {
      broken = value;
    },
    publisher: {
      publishIds: async (
        subject: string,
        items: QueueItem[],
        options: { messageId?: string } = {},
      ) => {
        if (broken) throw new Error("NATS is away");
        published.push({ subject, items, messageId: options.messageId });
        return { streamSequence: 1, duplicate: false };
      },
    },
  };
}

test("an event that nobody dispatched is published again under its own id, on the express lane, once", async (t) => {
  const under = await dispatcherUnderTest(t);
  const acme = await under.tenant();
  const [stuck = "", fresh = ""] = await under.events(acme, {}, {});
  const old =
    "update undispatched_events set published_at = now() - interval '151 s' where event_id = $1";
  await under.pool.query(old, [stuck]);
  const { publisher, published, setBroken } = recordingPublisher();
  const deps = { ...under.deps, publisher, prefix: "p" };

  setBroken(true);
  assert.equal(await republishStuck(deps, AFTER_MS), 0);
  setBroken(false);
  assert.equal(await republishStuck(deps, AFTER_MS), 1, "what NATS did not take is still stuck");
  assert.deepEqual(published, [
    { subject: "p.events.express", items: [{ id: stuck, traceId: "trace-1" }], messageId: stuck },
  ]);
  assert.equal(await republishStuck(deps, AFTER_MS), 0);
  const counted = await under.pool.query("select what, count from reconciliations");
  assert.deepEqual(counted.rows, [{ what: "events", count: "1" }], "operators see how many");

  const handler = createEventHandler(under.deps);
  await under.pool.query("update undispatched_events set published_at = 'epoch'");
  await handler([eventsMessage([stuck, fresh])], { log: under.log, signal: t.signal });
  assert.equal(await republishStuck(deps, AFTER_MS), 0, "a dispatched event is never stuck");
});

test("a NATS store that was lost whole is made up for, however many events were in it", async (t) => {
  const under = await dispatcherUnderTest(t);
  const acme = await under.tenant();
  for (let batch = 0; batch < 3; batch += 1) {
    await under.events(acme, ...Array.from({ length: 150 }, () => ({})));
  }
  await under.pool.query("update undispatched_events set published_at = now() - interval '1 hour'");
  const { publisher, published } = recordingPublisher();
  const deps = { ...under.deps, publisher, prefix: "p" };
  const [one, other] = await Promise.all([
    republishStuck(deps, AFTER_MS),
    republishStuck(deps, AFTER_MS),
  ]);
  assert.equal(one + other, 450);
  assert.equal(new Set(published.map((message) => message.messageId)).size, 450);
});

test("an event that came alone and too often ends as failed; of many, the open ones are left to the sweeper", async (t) => {
  const under = await dispatcherUnderTest(t);
  const acme = await under.tenant();
  await restingDeliveries(under, acme, 1);
  const [alone = "", one = "", two = ""] = await under.events(acme, {}, {}, {});
  const setAside = createSetAside(under.pool, "stream");
  await setAside(eventsMessage([alone], 11), "delivered too often");
  await setAside(eventsMessage([one, two], 11), "delivered too often");
  await setAside({ ...eventsMessage([]), data: Buffer.from([0, 255]) }, "undecodable");
  await setAside(eventsMessage(["no id"]), "undecodable");
  assert.ok((await under.outcome(alone)).outcome.failed.PUSH);
  assert.equal((await under.outcome(one)).dispatched_at, null);
  const dead = await under.pool.query("select reason, deliveries from dead_messages order by id");
  assert.equal(dead.rowCount, 4);
  assert.deepEqual(dead.rows[0], { reason: "delivered too often", deliveries: 11 });
});
