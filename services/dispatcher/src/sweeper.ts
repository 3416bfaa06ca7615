import {
  type EventLane,
  eventsStream,
  eventsSubject,
  type QueueItem,
} from "@belfry/contracts/streams";
import { chunks, type Pool, readRows } from "@belfry/database/connection";
import { recordReconciled } from "@belfry/database/reconciliations";
import type { Logger } from "@belfry/service/logger";
import type { Publisher } from "@belfry/service/publish";
import type pg from "pg";
import { countReconciled } from "./dispatcher-metrics.ts";

interface SweeperDeps {
  pool: Pool;
  publisher: Publisher;
  prefix: string;
  /** Events of a tenant with more than this in a minute are published to the bulk lane, as at their acceptance. */
  expressPerMinute: number;
  log: Logger;
}

const STUCK_PER_BATCH = 200;
const NO_ID = "00000000-0000-0000-0000-000000000000";
/** Longest time between `published_at` of a row and its message in the stream, with the difference of the clocks. */
export const PUBLISHED_WITHIN_MS = 15_000;

/**
 * Publishes accepted events again that were not dispatched for `olderThanMs` since their last publish, if the stream
 * cannot have their message any more. While the stream has older messages, an event is waiting, not lost.
 * `oldestMessageMs` returns the age of the oldest message, undefined for an empty stream. Returns the number of
 * published events.
 */
export async function republishStuck(
  deps: SweeperDeps,
  olderThanMs: number,
  oldestMessageMs: () => Promise<number | undefined>,
): Promise<number> {
  if (!(await hasStuckEvents(deps.pool, olderThanMs))) return 0;
  const heldMs = ((await oldestMessageMs()) ?? 0) + PUBLISHED_WITHIN_MS;
  return await republishOlder(deps, Math.max(olderThanMs, heldMs));
}

/** Publishes events again after the loss of the whole stream, which was created again `ageMs` ago. */
export async function republishLost(deps: SweeperDeps, ageMs: number): Promise<number> {
  return await republishOlder(deps, Math.max(0, ageMs - PUBLISHED_WITHIN_MS));
}

async function republishOlder(deps: SweeperDeps, olderThanMs: number): Promise<number> {
  const { pool, log } = deps;
  const begunAt = performance.now();
  // `tenantsAbove` compares times of acceptance, so it does not see that many scheduled events are due at once.
  const tally = new LaneTally(deps.expressPerMinute);
  let total = 0;
  let after = NO_ID;
  for (;;) {
    const sinceMs = olderThanMs + performance.now() - begunAt;
    const stuck = await takeStuckEvents(pool, {
      olderThanMs: sinceMs,
      after,
      most: STUCK_PER_BATCH,
    });
    const last = stuck.at(-1);
    if (last === undefined) break;
    after = last.eventId;
    const lastEvents = new Map(stuck.map(({ tenantId, eventId }) => [tenantId, eventId]));
    const above = await tenantsAbove(pool, lastEvents, deps.expressPerMinute);
    const published = await publishToLanes(deps, stuck, ({ tenantId }) =>
      above.has(tenantId) ? "bulk" : tally.laneOf(tenantId),
    );
    total += published;
    if (published < stuck.length) break;
  }
  countReconciled("events", total);
  await recordReconciled(pool, "events", total);
  if (total > 0) log.warn({ events: total }, "stuck events published again");
  return total;
}

const EVENTS_PER_MESSAGE = 200;

/**
 * Publishes event ids to the lanes of the events, each lane in the given order. Returns the number of published events.
 * The others are marked as stuck, so that the sweeper publishes them.
 */
export async function publishToLanes<E extends Omit<Unpublished, "tenantId">>(
  { pool, publisher, prefix, log }: Omit<SweeperDeps, "expressPerMinute">,
  events: readonly E[],
  laneOf: (event: E) => EventLane,
): Promise<number> {
  const expectStream = eventsStream(prefix).name;
  let published = 0;
  for (const [lane, ofLane] of Map.groupBy(events, laneOf)) {
    for (const slice of chunks(ofLane, EVENTS_PER_MESSAGE)) {
      const items: QueueItem[] = slice.map(({ eventId: id, traceId }) => ({ id, traceId }));
      try {
        await publisher.publishIds(eventsSubject(prefix, lane), items, { expectStream });
        published += items.length;
      } catch (err) {
        log.warn({ err, events: items.length }, "events cannot be published");
        await leaveStuck(
          pool,
          items.map(({ id }) => id),
        );
      }
    }
  }
  return published;
}

interface Unpublished {
  eventId: string;
  tenantId: string;
  traceId: string;
}

/** Returns whether any undispatched event was last published more than `olderThanMs` ago. */
async function hasStuckEvents(pool: pg.Pool, olderThanMs: number): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: "has_stuck_events",
    text: `select 1 from undispatched_events
           where published_at < clock_timestamp() - make_interval(secs => $1::float8 / 1000) limit 1`,
    values: [olderThanMs],
  });
  return rowCount === 1;
}

/**
 * Returns undispatched events that were last published more than `olderThanMs` ago, in the order of ids, from the first
 * id after `after` on, and marks them as published now. Concurrent replicas get different events.
 */
export async function takeStuckEvents(
  pool: pg.Pool,
  options: { olderThanMs: number; after: string; most: number },
): Promise<Unpublished[]> {
  return await readRows<Unpublished>(pool, {
    name: "take_stuck_events",
    text: `with stuck as materialized (
             select event_id from undispatched_events
             where event_id > $2
               and published_at < clock_timestamp() - make_interval(secs => $1::float8 / 1000)
             order by event_id limit $3 for update skip locked
           ),
           taken as (
             update undispatched_events u set published_at = clock_timestamp()
             where u.event_id = any (array(select event_id from stuck)) returning u.event_id
           )
           select taken.event_id, e.tenant_id, e.trace_id
           from taken cross join lateral (
             select tenant_id, trace_id from events e where e.id = taken.event_id limit 1
           ) e
           order by taken.event_id`,
    values: [options.olderThanMs, options.after, options.most],
  });
}

/**
 * Returns the tenants that had more than `perMinute` events accepted in the minute up to an event. `lastEvents` has the
 * id of this event for each tenant.
 */
export async function tenantsAbove(
  pool: pg.Pool,
  lastEvents: ReadonlyMap<string, string>,
  perMinute: number,
): Promise<Set<string>> {
  const { rows } = await pool.query<{ tenant_id: string }>({
    name: "tenants_above",
    text: `select item.tenant_id
           from unnest($1::text[], $2::uuid[]) as item (tenant_id, event_id)
           cross join lateral (
             select accepted_at from events e where e.id = item.event_id limit 1
           ) last
           cross join lateral (
             select accepted_at from events e
             where e.tenant_id = item.tenant_id and e.id < item.event_id
             order by e.id desc offset $3 - 1 limit 1
           ) earlier
           where earlier.accepted_at > last.accepted_at - interval '1 minute'`,
    values: [[...lastEvents.keys()], [...lastEvents.values()], perMinute],
  });
  return new Set(rows.map((row) => row.tenant_id));
}

/** Marks events whose publish failed as stuck, so that the next round finds them. */
export async function leaveStuck(pool: pg.Pool, eventIds: readonly string[]): Promise<void> {
  await pool.query(
    `with locked as materialized (
       select event_id from undispatched_events where event_id = any ($1::uuid[])
       order by event_id for update
     )
     update undispatched_events set published_at = 'epoch'
     where event_id = any (array(select event_id from locked))`,
    [eventIds],
  );
}

const MINUTE_MS = 60_000;

/**
 * Counts the published events of each tenant and returns their lane. If a tenant publishes a flood of events, they wait
 * in the bulk lane and do not delay other tenants. Each replica has its own counts, in memory.
 */
export class LaneTally {
  readonly #expressPerMinute: number;
  readonly #nowMs: () => number;
  readonly #tenants = new Map<string, { sinceMs: number; events: number }>();

  constructor(expressPerMinute: number, nowMs: () => number = () => performance.now()) {
    this.#expressPerMinute = expressPerMinute;
    this.#nowMs = nowMs;
  }

  /** Returns the lane of the tenant's next event. */
  laneOf(tenantId: string): EventLane {
    const nowMs = this.#nowMs();
    let counted = this.#tenants.get(tenantId);
    if (counted === undefined || nowMs - counted.sinceMs >= MINUTE_MS) {
      counted = { sinceMs: nowMs, events: 0 };
      this.#tenants.set(tenantId, counted);
    }
    counted.events += 1;
    return counted.events > this.#expressPerMinute ? "bulk" : "express";
  }

  /** Removes counts that began more than a minute ago. */
  clear(): void {
    const before = this.#nowMs() - MINUTE_MS;
    for (const [tenantId, { sinceMs }] of this.#tenants) {
      if (sinceMs <= before) this.#tenants.delete(tenantId);
    }
  }
}
