import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Channel, ProviderChannel } from "@belfry/contracts/channels";
import { createDatabase } from "@belfry/database/connection";
import { cancelEvents } from "@belfry/database/functions/cancel-events";
import { claimDeliveries } from "@belfry/database/functions/claim-deliveries";
import { wakeEvents } from "@belfry/database/functions/release-deliveries";
import { settleDeliveries } from "@belfry/database/functions/settle-deliveries";
import { createKeyedSerialQueue } from "@belfry/service/keyed-serial-queue";
import { seededRandom } from "../../../test/failure/random.ts";
import {
  type DispatcherUnderTest,
  dispatcherUnderTest,
  eventsMessage,
} from "../test/dispatcher-under-test.ts";
import type { OutgoingDelivery } from "./dispatch-publisher.ts";
import { createEventHandler } from "./event-handler.ts";
import { releaseOnce } from "./release-loop.ts";

const EVENTS = 10_000;
const PER_WAVE = 100;
const PER_CANCEL = 10;
/** One attempt in so many fails temporarily. */
const FAILING = 4;
const SENT_BY: readonly ProviderChannel[] = ["EMAIL", "SMS"];
/** The channels of each event type. */
const TYPES: Record<string, Channel[]> = {
  mail: ["EMAIL"],
  all: ["EMAIL", "SMS", "PUSH"],
  push: ["PUSH"],
  gathered: ["EMAIL", "SMS"],
};

type Verdict = { verdict: string; stopped: string[] };

/** Counts the messages that were really sent, by event and channel. */
function createWorld(under: DispatcherUnderTest, random: () => number) {
  const left = new Map<string, number>();
  const count = (eventId: string, channel: string) => {
    const key = `${eventId} ${channel}`;
    left.set(key, (left.get(key) ?? 0) + 1);
  };
  const released: OutgoingDelivery[] = [];
  const deps = () => ({
    ...under.deps,
    userQueue: createKeyedSerialQueue(),
    dispatchPublisher: {
      async publishDeliveries(deliveries: readonly OutgoingDelivery[]) {
        released.push(...deliveries);
        return [];
      },
      async publishPushes(pushes: readonly { eventId: string }[]) {
        // Published again by the replica that finds it dispatched: a browser recognises it by its offset.
        for (const { eventId } of pushes) left.set(`${eventId} PUSH`, 1);
      },
    },
  });

  /** A sender: claims released deliveries, calls the provider, settles. */
  async function send(provider: { id: string; kind: string }): Promise<void> {
    const mine = released.splice(0, 20);
    for (const channel of SENT_BY) {
      const batch = mine.filter((delivery) => delivery.channel === channel);
      const claims = await claimDeliveries(
        under.pool,
        batch.map(({ id, tenantId }) => ({ id, tenantId, provider })),
        { channel, leaseMs: 600_000, maxRetries: 1000 },
      );
      await nextTurn();
      const ends = claims.flatMap((claim) => {
        if (claim.becomes !== "sending") return [];
        const { id, attempt, eventId, digest } = claim.delivery;
        const isTaken = random() * FAILING >= 1;
        for (const event of isTaken ? (digest?.items ?? [{ id: eventId }]) : []) {
          count(event.id, channel);
        }
        return {
          ...({ deliveryId: id, attempt, status: isTaken ? "accepted" : "waiting" } as const),
          ...{ reason: null, delayMs: isTaken ? null : 0, counted: !isTaken, missing: null },
          end: {
            class: isTaken ? "accepted" : "transient",
            ...{ durationMs: 1, reason: null, vendor_status: null, vendor_answer: null },
            message_id: null,
          } as const,
        };
      });
      await settleDeliveries(under.pool, ends);
    }
  }
  return { left, released, deps, send };
}

test("10000 cancels against waking, dispatching, releasing and claiming: each answer is true", async (t) => {
  const under = await dispatcherUnderTest(t, 40);
  const { pool } = under;
  const db = createDatabase(pool);
  const random = seededRandom(15);
  const world = createWorld(under, random);
  const tenant = await under.tenant({ id: "a" });
  for (const [type, channels] of Object.entries(TYPES)) {
    await under.templates(tenant, type, channels);
  }
  await pool.query(
    `update templates set digest = '{"windowSeconds": 1}' where event_type = 'gathered'`,
  );
  const provider = (await pool.sql`select id, kind from providers where channel = 'EMAIL'`)[0];
  const handlers = [world.deps(), world.deps()].map((deps) => createEventHandler(deps));
  const dispatch = (at: number, ids: readonly string[]) =>
    handlers[at % 2]!([eventsMessage(ids)], { log: under.log } as never);
  const releaseAll = async () => {
    for (const channel of SENT_BY) await releaseOnce(world.deps(), channel, "");
  };
  const wake = async () => {
    const { events } = await wakeEvents(pool, "", 200);
    if (events.length > 0)
      await dispatch(
        0,
        events.map(({ eventId }) => eventId),
      );
  };

  const types = new Map<string, string>();
  const told = new Map<string, Verdict>();
  const turns = async (most: number) => {
    for (let n = Math.floor(random() * most); n > 0; n -= 1) await nextTurn();
  };
  for (let wave = 0; wave < EVENTS / PER_WAVE; wave += 1) {
    const setups = Array.from({ length: PER_WAVE }, (_, n) => ({
      eventType: Object.keys(TYPES)[Math.floor(random() * 4)]!,
      userId: `u-${n % 7}`,
    }));
    const ids = await under.events(tenant, ...setups);
    for (const [at, id] of ids.entries()) types.set(id, setups[at]!.eventType);
    // Every third one is scheduled, and is due now.
    const resting = ids.filter((_, at) => at % 3 === 0);
    await pool.sql`with rested as (delete from undispatched_events where event_id = any (${resting}) returning event_id, user_key)
      insert into scheduled_events (event_id, tenant_id, send_at, user_key, trace_id)
      select event_id, 'a', now(), user_key, 't' from rested`;
    const shuffled = ids.map((id) => ({ id, at: random() })).sort((a, b) => a.at - b.at);
    const cancels = Array.from({ length: PER_WAVE / PER_CANCEL }, async (_, n) => {
      await turns(400);
      const mine = shuffled.slice(n * PER_CANCEL, (n + 1) * PER_CANCEL).map(({ id }) => id);
      for (const { id, ...verdict } of await cancelEvents(db, tenant, mine)) told.set(id, verdict);
    });
    let over = false;
    const busy = async (work: () => Promise<void>) => {
      while (!over) {
        await work();
        await turns(20);
      }
    };
    const others = [
      busy(() => world.send(provider)),
      busy(() => world.send(provider)),
      busy(releaseAll),
      turns(100).then(wake),
      turns(100).then(() => dispatch(0, ids)),
      turns(100).then(() => dispatch(1, ids)),
    ];
    await Promise.all(cancels);
    over = true;
    await Promise.all(others);
  }

  // The remaining events are sent.
  for (;;) {
    await wake();
    const open = await pool.sql`select event_id as id from undispatched_events union all
      select event_id from scheduled_events limit 200`;
    if (open.length > 0)
      await dispatch(
        0,
        open.map(({ id }) => id),
      );
    await releaseAll();
    while (world.released.length > 0) await world.send(provider);
    const { rowCount } = await pool.query(
      "select from deliveries where status in ('queued', 'waiting', 'sending') limit 1",
    );
    if (open.length === 0 && rowCount === 0) break;
  }

  const kinds: Record<string, number> = {};
  for (const { verdict } of told.values()) kinds[verdict] = (kinds[verdict] ?? 0) + 1;
  t.diagnostic(JSON.stringify(kinds));
  assert.deepEqual(Object.keys(kinds).sort(), ["cancelled", "partly", "pending", "too late"]);
  const ended: Record<string, number> = {};
  const pending = [...told].flatMap(([id, { verdict }]) => (verdict === "pending" ? [id] : []));
  const cancelled = await pool.sql`select id from events
    where id = any (${pending}) and cancelled_at is not null`;
  for (const { id, ...verdict } of await cancelEvents(db, tenant, pending)) {
    ended[verdict.verdict] = (ended[verdict.verdict] ?? 0) + 1;
    told.set(id, verdict);
  }
  t.diagnostic(`pending: ${JSON.stringify(ended)}`);
  assert.deepEqual(Object.keys(ended).sort(), ["cancelled", "partly", "too late"]);
  assert.equal(cancelled.length, ended.cancelled, "written down when the try ended");

  const wrong: string[] = [];
  for (const [id, type] of types) {
    const { verdict, stopped } = told.get(id) ?? { verdict: "none", stopped: [] };
    for (const channel of TYPES[type]!) {
      const isStopped = verdict === "cancelled" || stopped.includes(channel);
      const times = world.left.get(`${id} ${channel}`) ?? 0;
      if (times !== (isStopped ? 0 : 1)) {
        wrong.push(
          `${type} ${channel} of ${id}: ${verdict}, stopped ${stopped}, left ${times} times`,
        );
      }
    }
    if (
      verdict === "partly" &&
      !stopped.every((channel) => TYPES[type]!.includes(channel as Channel))
    ) {
      wrong.push(`${id}: ${stopped}`);
    }
  }
  assert.deepEqual(wrong.slice(0, 10), []);
  // Each reported cancel stays true: events that were too late to stop cannot be stopped any more.
  const again = await cancelEvents(db, tenant, [...types.keys()]);
  assert.deepEqual(
    new Map(again.map(({ id, ...verdict }) => [id, verdict])),
    new Map([...told].sort(([a], [b]) => (a < b ? -1 : 1))),
  );
  const keys =
    await pool.sql`select count(*) filter (where get_byte(d.key, 31) & 1 = 0 and e.cancelled_at is not null)::integer as "automatic",
      count(*) filter (where get_byte(d.key, 31) & 1 = 1)::integer as "own",
      count(*) filter (where e.cancelled_at is null)::integer as "of others"
    from dedup_keys d join events e on e.id = d.event_id`;
  assert.equal(keys[0].automatic, 0);
  assert.ok(keys[0].own > 0);
  assert.ok(keys[0]["of others"] >= EVENTS - (kinds.cancelled ?? 0) - (ended.cancelled ?? 0));
});
