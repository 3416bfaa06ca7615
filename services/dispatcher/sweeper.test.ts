import assert from "node:assert/strict";
import { test } from "node:test";
import type { QueueItem } from "@belfry/contracts/queue-message";
import { expiries, firstIdOf } from "@belfry/database/sweep";
import { uuidv7 } from "uuidv7";
import { dispatcherUnderTest, eventsMessage, restingDeliveries } from "./dispatcher-under-test.ts";
import { createEventHandler } from "./event-handler.ts";
import { createSetAside } from "./set-aside.ts";
import { expire, republishStuck } from "./sweeper.ts";

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

test("each thing leaves when its time is over, and not before", async (t) => {
  const under = await dispatcherUnderTest(t);
  const { pool } = under;
  const acme = await under.tenant();
  const now = new Date("2026-06-01T00:00:00Z");
  const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000);
  const idAt = (days: number) => firstIdOf(daysAgo(days)).slice(0, 23) + uuidv7().slice(23);
  for (const days of [29, 31, 89, 91]) {
    const id = idAt(days);
    await pool.query(
      `insert into events (id, tenant_id, event_type, user_id, trace_id, accepted_at)
       values ($1, $2, 'x', 'u', 't', now())`,
      [id, acme],
    );
    await pool.query(
      `insert into deliveries (id, event_id, tenant_id, channel, template_version_id)
       values ($1, $1, $2, 'EMAIL', 1)`,
      [id, acme],
    );
    await pool.query(
      `insert into attempts (delivery_id, number, provider_kind, started_at)
       values ($1, 1, 'sandbox', now())`,
      [id],
    );
    await pool.query(
      `insert into notifications (id, tenant_id, user_id, event_type, title, body, channel_name,
         channel_offset, created_at) values ($1, $2, 'u', 'x', '', '', 'personal', $3, now())`,
      [id, acme, days],
    );
  }
  for (const hours of [23, 26]) {
    await pool.query("insert into dedup_keys values ($1, $2, gen_random_uuid(), 'x', 'x', $3)", [
      acme,
      Buffer.from([hours]),
      daysAgo(hours / 24),
    ]);
  }
  for (const days of [-1, 1]) {
    await pool.query(
      "insert into api_keys (id, tenant_id, sha256, prefix, expires_at) values ($1, $2, $3, 'b', $4)",
      [uuidv7(), acme, Buffer.from([days + 1]), daysAgo(days)],
    );
  }
  await pool.query(
    "insert into api_keys (id, tenant_id, sha256, prefix) values ($1, $2, $3, 'b')",
    [uuidv7(), acme, Buffer.from([9])],
  );
  for (const days of [29, 31]) {
    await pool.query(
      `insert into receipts (tenant_id, provider_kind, vendor_event, delivery_id, kind, received_at)
       values ($1, 'sendgrid', $2::integer::text, gen_random_uuid(), 'delivered', $3)`,
      [acme, days, daysAgo(days)],
    );
  }
  const leaving = expiries({ eventDays: 30, notificationDays: 90 }, () => now);
  const gone = await expire({ pool, expiries: leaving });
  assert.deepEqual(gone, {
    dedup_keys: 1,
    api_keys: 1,
    attempts: 3,
    deliveries: 3,
    outbox: 0,
    undispatched_events: 0,
    events: 3,
    notifications: 1,
    receipts: 1,
    dead_messages: 0,
  });
});

test("many rows leave in small batches", async (t) => {
  const under = await dispatcherUnderTest(t);
  await under.pool.query(
    `insert into dedup_keys select 'acme', int4send(n), gen_random_uuid(), 'x', 'x', now() - interval '2 days'
     from generate_series(1, 2500) n`,
  );
  const leaving = expiries({ eventDays: 30, notificationDays: 90 });
  const gone = await expire({ pool: under.pool, expiries: leaving });
  assert.equal(gone.dedup_keys, 2500);
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
