import { IN_APP, PROVIDER_CHANNELS, SENT_CHANNELS } from "@belfry/contracts/channels";
import { secondsSinceId } from "@belfry/contracts/identifiers";
import type { KeptDays } from "@belfry/contracts/retention";
import { callFunction, type Pool } from "@belfry/database/connection";
import type { DispatchResult, EventDispatch } from "@belfry/database/functions/dispatch-events";
import { readExpiryLags } from "@belfry/database/functions/expire-batch";
import { counter, gauge, histogram } from "@belfry/service/metrics";
import type pg from "pg";
import { readSearchLags } from "./search-rows.ts";

const dispatched = counter("belfry_events_dispatched_total", "Dispatched events");
const created = counter("belfry_deliveries_created_total", "Created deliveries by channel", [
  "channel",
]);
const latency = histogram(
  "belfry_event_dispatch_seconds",
  "Seconds from the acceptance of an event, or from its scheduled time, to the commit of its deliveries",
);
const woken = counter(
  "belfry_events_woken_total",
  "Scheduled events that became due and were dispatched",
);
const expanded = counter(
  "belfry_broadcast_events_total",
  "Events that broadcasts were expanded into",
);
const failed = counter("belfry_events_failed_total", "Events whose dispatch failed permanently");
const released = counter("belfry_deliveries_released_total", "Deliveries released to senders", [
  "channel",
]);
const reconciled = counter(
  "belfry_reconciled_total",
  "Lost or stalled messages that were found and sent again",
  ["what"],
);
const expired = counter("belfry_expired_rows_total", "Rows deleted because they had expired", [
  "table",
]);

const searched = counter(
  "belfry_searched_rows_total",
  "Events and deliveries that the search indexer has read, some of them more than once",
);

const unsent = counter(
  "belfry_expired_unsent_deliveries_total",
  "Deliveries that expired and were deleted before they were sent",
);

// The counters exist with 0 from the start, so that the first count shows as an increase.
for (const what of ["events", "deliveries"]) reconciled.inc({ what }, 0);

export function countDispatched(
  dispatches: readonly EventDispatch[],
  { claimed, unwritten }: DispatchResult,
): void {
  const nowMs = Date.now();
  for (const { eventId, released, deliveries, push } of dispatches) {
    if (!claimed.has(eventId)) continue;
    dispatched.inc();
    for (const { id, channel } of deliveries) if (!unwritten.has(id)) created.inc({ channel });
    if (push !== null) created.inc({ channel: IN_APP });
    const seconds = released
      ? Math.max(0, (nowMs - released.at.getTime()) / 1000)
      : secondsSinceId(eventId, nowMs);
    if (seconds !== undefined) latency.observe(seconds);
  }
}

export function countWoken(events: number): void {
  if (events > 0) woken.inc(events);
}

export function countExpanded(events: number): void {
  expanded.inc(events);
}

export function countFailed(): void {
  failed.inc();
}

export function countReleased(channel: string, count: number): void {
  if (count > 0) released.inc({ channel }, count);
}

export function countReconciled(what: "events" | "deliveries", count: number): void {
  if (count > 0) reconciled.inc({ what }, count);
}

export function countExpired(rows: Readonly<Record<string, number>>): void {
  for (const [table, count] of Object.entries(rows)) if (count > 0) expired.inc({ table }, count);
}

export function countUnfinished(deliveries: number): void {
  if (deliveries > 0) unsent.inc(deliveries);
}

export function countSearched(rows: number): void {
  if (rows > 0) searched.inc(rows);
}

/** Registers gauges. They are read at each scrape, so they cost nothing between scrapes. */
export function showLags(pool: Pool, retention: KeptDays, isIndexing: boolean): void {
  gauge(
    "belfry_oldest_waiting_seconds",
    "Age of the oldest undispatched event, and how overdue the most overdue delivery is",
    ["what"],
    async (it) => {
      for (const { what, seconds } of await readBacklogAges(pool)) it.set({ what }, seconds);
    },
  );
  gauge(
    "belfry_scheduled_overdue_seconds",
    "How overdue the most overdue scheduled event is; 0 if none is",
    [],
    async (it) => it.set({}, await readOverdueSeconds(pool)),
  );
  gauge("belfry_attachment_bytes", "Bytes of all tenants' attachments", [], async (it) =>
    it.set({}, (await readAttachmentSums(pool)).bytes),
  );
  gauge(
    "belfry_attachment_fullest_ratio",
    "Highest share of its attachment quota that any tenant uses; above 1 if the quota was lowered",
    [],
    async (it) => it.set({}, (await readAttachmentSums(pool)).ratio),
  );
  gauge(
    "belfry_broadcast_stalled_seconds",
    "How long the most stalled running broadcast has made no progress; 0 if none is stalled",
    [],
    async (it) => it.set({}, await readStalledSeconds(pool)),
  );
  const count = createWaitingCount(pool);
  gauge(
    "belfry_waiting",
    "Scheduled events and waiting deliveries by reason; at most 10,000 per channel are counted",
    ["reason"],
    async (it) => {
      for (const { reason, count: value } of await count()) it.set({ reason }, value);
    },
  );
  gauge(
    "belfry_waiting_oldest_seconds",
    "Age of the oldest of the counted ones",
    ["reason"],
    async (it) => {
      for (const { reason, oldestSeconds } of await count()) it.set({ reason }, oldestSeconds);
    },
  );
  gauge(
    "belfry_expiry_behind_seconds",
    "Seconds since the oldest row that is not yet deleted has expired",
    ["table"],
    async (it) => {
      for (const { table, seconds } of await readExpiryLags(pool, retention))
        it.set({ table }, seconds);
    },
  );
  if (!isIndexing) return;
  gauge(
    "belfry_search_behind_seconds",
    "Age of the oldest row that is not yet indexed for search; 0: all rows are",
    ["table"],
    async (it) => {
      for (const { table, seconds } of await readSearchLags(pool)) it.set({ table }, seconds);
    },
  );
}

async function readAttachmentSums(pool: Pool) {
  const { rows } = await pool.query<{ bytes: number; ratio: number }>(
    `select coalesce(sum(s.bytes), 0)::float8 as bytes,
            coalesce(max(s.bytes / greatest(t.max_attachment_mib * 1048576::float8, 1))
              filter (where s.bytes > 0), 0) as ratio
     from attachment_sums s join tenants t on t.id = s.tenant_id`,
  );
  return rows[0]!;
}

interface BacklogAge {
  /** `undispatched_event`, `email_delivery` and so on. */
  what: string;
  /** 0 if nothing waits. */
  seconds: number;
}

/** Most overdue deliveries of a channel to read. As many as these are a sign of trouble anyway. */
const MOST_OVERDUE = 5000;

/**
 * Events to read, in the order of their ids. The first one alone may mislead: a scheduled event has an old id even if
 * it was released just now, and would hide events that have waited longer.
 */
const MOST_EVENTS = 200;

/**
 * Returns how long the oldest undispatched event has waited (since its release if it was scheduled), and for each
 * channel how late the most overdue unreleased delivery is. Leaves out deliveries of broadcasts, which wait on purpose.
 */
async function readBacklogAges(pool: pg.Pool): Promise<BacklogAge[]> {
  // Ids of events are UUIDv7, so the order of ids is the order of acceptance.
  const { rows } = await pool.query<BacklogAge>({
    name: "backlog_ages",
    text: `select 'undispatched_event' as what, coalesce((
               select extract(epoch from clock_timestamp() - min(coalesce(e.released_at, e.accepted_at)))
               from (select event_id from undispatched_events order by event_id limit $3) u
               join events e on e.id = u.event_id), 0)::float8 as seconds
           union all
           select lower(c.channel) || '_delivery', coalesce((
               select extract(epoch from clock_timestamp() - min(d.due_at))
               from (select due_at from deliveries
                     where channel = c.channel and released_at is null and broadcast_id is null
                       and status in ('queued', 'waiting') and due_at < statement_timestamp()
                     limit $1) d), 0)::float8
           from unnest($2::text[]) as c (channel)`,
    values: [MOST_OVERDUE, SENT_CHANNELS, MOST_EVENTS],
  });
  return rows;
}

/** Returns by how many seconds the most overdue scheduled event is late. */
async function readOverdueSeconds(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ seconds: number }>({
    name: "scheduled_overdue",
    text: `select greatest(0, extract(epoch from clock_timestamp() - send_at))::float8 as seconds
           from scheduled_events order by send_at limit 1`,
  });
  return rows[0]?.seconds ?? 0;
}

/** Most broadcasts to read; those that have been due for longest come first. */
const MOST_BROADCASTS = 200;

/**
 * Returns for how many seconds the most stalled broadcast has made no progress (SQL function stalled_broadcasts), or 0.
 */
export async function readStalledSeconds(pool: pg.Pool): Promise<number> {
  const args = { p_most: MOST_BROADCASTS };
  const rows = await callFunction<{ seconds: number }>(pool, "stalled_broadcasts", args);
  return rows[0]!.seconds;
}

/** Reasons to wait. `turn`: the tenant already has as many released deliveries as it may have. */
export const WAITING_REASONS = [
  "scheduled",
  "digest",
  "unread",
  "broadcast",
  "quiet hours",
  "retry",
  "turn",
] as const;

export interface Waiting {
  reason: (typeof WAITING_REASONS)[number];
  /** Count of scheduled events, or of deliveries. */
  count: number;
  /** Age of the oldest one; 0 if none waits. */
  oldestSeconds: number;
}

/** Most rows to count for a channel and for scheduled events. */
const MOST_COUNTED = 10_000;
const EVERY_MS = 15_000;

/** Returns a function that counts waiting events and deliveries by reason; it reuses a count for 15 s. */
export function createWaitingCount(pool: pg.Pool, now: () => number = Date.now) {
  let counted: Promise<Waiting[]> | undefined;
  let countedAt = 0;
  return () => {
    if (counted !== undefined && now() - countedAt < EVERY_MS) return counted;
    countedAt = now();
    const count = countWaiting(pool);
    counted = count;
    count.catch(() => {
      if (counted === count) counted = undefined;
    });
    return count;
  };
}

async function countWaiting(pool: pg.Pool): Promise<Waiting[]> {
  // Groups by the codes of contracts/reasons.ts. Only a retry has a reason in a provider's own words.
  const { rows } = await pool.query<Waiting>({
    name: "count_waiting",
    text: `with resting as materialized (
             select case
                 when split_part(d.reason, ' ', 1) = '#quiet' then 'quiet hours'
                 when d.status = 'waiting' then 'retry'
                 when split_part(d.reason, ' ', 1) in ('#gathered', '#gathered-quiet') then 'digest'
                 when d.unless_read then 'unread'
                 when d.broadcast_id is not null then 'broadcast'
                 else 'turn' end as reason, d.created_at
             from unnest($2::text[]) c (channel)
             cross join lateral (
               (select d.status, d.reason, d.unless_read, d.created_at, d.broadcast_id from deliveries d
                where d.channel = c.channel and d.released_at is null and d.status in ('queued', 'waiting')
                  and d.broadcast_id is null
                limit $1)
               union all
               (select d.status, d.reason, d.unless_read, d.created_at, d.broadcast_id from deliveries d
                where d.channel = c.channel and d.released_at is null and d.status in ('queued', 'waiting')
                  and d.broadcast_id is not null
                limit $1)
             ) d
             union all
             select 'scheduled', e.accepted_at
             from (select s.event_id from scheduled_events s order by s.send_at limit $1) s
             cross join lateral (select e.accepted_at from events e where e.id = s.event_id limit 1) e
           )
           select w.reason, count(r.reason)::integer as count,
                  coalesce(greatest(0, extract(epoch from clock_timestamp() - min(r.created_at))), 0)::float8
                    as "oldestSeconds"
           from unnest($3::text[]) with ordinality w (reason, place)
           left join resting r on r.reason = w.reason
           group by w.reason, w.place order by w.place`,
    values: [MOST_COUNTED, PROVIDER_CHANNELS, WAITING_REASONS],
  });
  return rows;
}
