import {
  EVENTS,
  LATENCY_BOUNDS,
  MEASURES,
  MOST_GROUPS,
  OTHER,
  RANGES,
} from "@belfry/administration/health/activity-sums";
import { idAt, momentOfId } from "@belfry/administration/pages";
import { IN_APP, USUAL_CHANNELS } from "@belfry/contracts/channels";
import { PLATFORM } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import { pause } from "@belfry/service/pause";
import { type RawBuilder, sql } from "kysely";
import type { Logger } from "pino";

/** Counts the figures of the overviews: bars of five minutes from the events, longer bars from shorter ones. */

export const BUCKET_MS = RANGES.hour.barSeconds * 1000;

/**
 * The longer bars: length in s, length of the bars that are summed up, and days until deletion, more than two ranges.
 */
const LENGTHS = [
  { seconds: RANGES.day.barSeconds, of: RANGES.hour.barSeconds, keptDays: 4 },
  { seconds: RANGES.week.barSeconds, of: RANGES.day.barSeconds, keptDays: 16 },
  { seconds: RANGES.month.barSeconds, of: RANGES.week.barSeconds, keptDays: 62 },
] as const;
const SHORTEST = { seconds: RANGES.hour.barSeconds, keptDays: 2 };

/** Key of the advisory lock: "belf" in ASCII. */
const LOCK = 0x62656c66;

/** Reasons of channels that the event was not meant for. */
const UNWANTED = sql.join(
  ["no-template", "channel-not-requested", "channel-not-allowed"].map((code) => sql.lit(code)),
);

/**
 * Counts the five-minute bars that begin at these times again, for all tenants, and sums up the bars of an hour that
 * contain them; with `andLonger` also the longer ones. Only one caller at a time counts, over all replicas. Returns
 * false if another one counts now.
 */
export async function countActivity(
  db: Database,
  buckets: readonly number[],
  { andLonger = true, signal }: { andLonger?: boolean; signal?: AbortSignal } = {},
): Promise<boolean> {
  for (const bucket of buckets) {
    if (signal?.aborted || !(await writeBars(db, SHORTEST.seconds, bucket, counted(bucket)))) {
      return false;
    }
  }
  for (const { seconds, of } of LENGTHS.slice(0, andLonger ? LENGTHS.length : 1)) {
    const lengthMs = seconds * 1000;
    for (const at of new Set(buckets.map((one) => Math.floor(one / lengthMs) * lengthMs))) {
      const shorter = sql`
        select * from activity_sums where bar_seconds = ${of}
          and starts_at >= ${new Date(at)} and starts_at < ${new Date(at + lengthMs)}`;
      if (signal?.aborted || !(await writeBars(db, seconds, at, shorter))) return false;
    }
  }
  return true;
}

const SUMS = sql.join(MEASURES.map((one) => sql`sum(${sql.ref(one)})::integer as ${sql.ref(one)}`));
const LATENCIES = sql`array[${sql.join(
  [...LATENCY_BOUNDS, 0].map((_, at) => sql`coalesce(sum(latencies[${sql.lit(at + 1)}]), 0)`),
)}]::integer[] as latencies`;

/** Replaces the bars of this length and time by the sums of these rows. Returns false if another caller counts now. */
async function writeBars(
  db: Database,
  seconds: number,
  startsAt: number,
  rows: RawBuilder<unknown>,
): Promise<boolean> {
  const at = new Date(startsAt);
  return await db.transaction().execute(async (transaction) => {
    const { rows: locks } = await sql<{ locked: boolean }>`
      select pg_try_advisory_xact_lock(${LOCK}) as locked`.execute(transaction);
    if (locks[0]?.locked !== true) return false;
    // Postgres expects a hundred reasons per event, and would compile the statement for longer than it runs.
    await sql`set local jit = off`.execute(transaction);
    await transaction
      .deleteFrom("activity_sums")
      .where("bar_seconds", "=", seconds)
      .where("starts_at", "=", at)
      .execute();
    // The groups of a bar after the first `MOST_GROUPS` are summed up as `OTHER`. Groups with most failures are first.
    await sql`
      with summed as (
        select tenant_id, grouped_by, name, ${SUMS}, ${LATENCIES}
        from (${rows}) r group by tenant_id, grouped_by, name
      ),
      placed as (
        select *, row_number() over (partition by tenant_id, grouped_by
          order by failed desc, accepted + sent + skipped + waiting desc, name) as place
        from summed
      )
      insert into activity_sums (tenant_id, bar_seconds, starts_at, grouped_by, name,
        ${sql.join(MEASURES.map((one) => sql.ref(one)))}, latencies)
      select tenant_id, ${seconds}, ${at}, grouped_by,
             case when place <= ${MOST_GROUPS} then name else ${OTHER} end, ${SUMS}, ${LATENCIES}
      from placed group by tenant_id, grouped_by, 5`.execute(transaction);
    return true;
  });
}

/** An event says of these why nothing was sent; of the other channels only if it has a template for them. */
const TOLD_CHANNELS = sql.join(USUAL_CHANNELS.map((one) => sql.lit(one)));

/** Returns SQL for a reason's code; `other` for words of a vendor or of an earlier version. */
function codeOf(reason: RawBuilder<unknown>) {
  return sql`case when left(${reason}, 1) = '#' then split_part(substr(${reason}, 2), ' ', 1) else 'other' end`;
}

/** Joins the last attempt `a` and the provider `p` of a delivery `d`. */
const OF_DELIVERY = sql`
  left join lateral (
    select * from attempts where delivery_id = d.id order by number desc limit 1) a on true
  left join providers p on p.id = d.provider_id and p.tenant_id = d.tenant_id`;

/** Returns the columns of `parts` for a delivery. */
function ofDelivery(latency: RawBuilder<unknown>) {
  return sql`
    d.channel, coalesce(a.provider_kind, p.kind), p.name,
    case when d.status = 'skipped' then ${codeOf(sql`d.reason`)}
         when d.status = 'failed' then coalesce(a.class, 'untried')
         when d.status in ('expired', 'unknown', 'bounced', 'complained', 'discarded') then d.status end,
    false, d.status in ('accepted', 'delivered'), d.status = 'delivered',
    d.status in ('failed', 'bounced', 'complained', 'expired', 'unknown', 'discarded'),
    d.status = 'skipped', d.status in ('queued', 'sending', 'waiting'), false, ${latency}`;
}

/** Returns SQL that computes the sums of all events and digests of five minutes, by tenant and group. */
function counted(startsAt: number) {
  const inBucket = (id: string) => sql`
    ${sql.ref(id)} >= ${idAt(new Date(startsAt))}::uuid
    and ${sql.ref(id)} < ${idAt(new Date(startsAt + BUCKET_MS))}::uuid`;
  const upTo = LATENCY_BOUNDS.map(
    (bound) => sql`count(*) filter (where latency <= ${sql.lit(bound)})`,
  );
  const counts = MEASURES.map(
    (one) => sql`count(*) filter (where ${sql.ref(one)}) as ${sql.ref(one)}`,
  );
  const measures = sql.join(MEASURES.map((one) => sql.ref(one)));
  return sql`
    with found as materialized (
      -- Until its scheduled time it waited on purpose, which is no latency.
      select e.id, e.tenant_id, e.event_type, coalesce(e.released_at, e.accepted_at) as begun_at,
             e.dispatched_at, e.outcome,
             -- Every channel is skipped because no template exists.
             coalesce(e.outcome -> 'skipped' ?& array[${TOLD_CHANNELS}], false)
               and e.outcome ->> 'skipped' like '%#no-template%'
               and not exists (
                 select from deliveries d where d.event_id = e.id and d.tenant_id = e.tenant_id) as is_lost
      from events e where ${inBucket("e.id")} and e.refused_at is null
    ),
    parts (tenant_id, event_type, channel, kind, provider, reason, ${measures}, latency) as (
      select tenant_id, event_type, ${EVENTS}, null, null, case when is_lost then 'no-template' end,
             true, false, false, false, is_lost, dispatched_at is null, false, null::float8
      from found
      union all
      select f.tenant_id, f.event_type, ${ofDelivery(sql`
        case when a.class = 'accepted' and d.unless_read is not true
          then extract(epoch from a.ended_at - f.begun_at) end`)}
      from found f join deliveries d on d.event_id = f.id ${OF_DELIVERY}
      union all
      -- A digest counts as one message, at the time it was opened. It waited on purpose, which is no latency.
      select g.tenant_id, g.event_type, ${ofDelivery(sql`null`)}
      from digests g join deliveries d on d.event_id = g.id ${OF_DELIVERY} where ${inBucket("g.id")}
      union all
      select f.tenant_id, f.event_type, ${IN_APP}, null, null, null, false, true, false, false, false, false,
             n.read_at is not null, extract(epoch from n.created_at - f.begun_at)
      from found f join notifications n on n.id = f.id
      union all
      select f.tenant_id, f.event_type, o.key, null, null, ${codeOf(sql`o.value`)},
             false, false, false, true, false, false, false, null
      from found f cross join jsonb_each_text(coalesce(f.outcome -> 'failed', '{}')) o
      union all
      select f.tenant_id, f.event_type, o.key, null, null, ${codeOf(sql`o.value`)},
             false, false, false, false, true, false, false, null
      from found f cross join jsonb_each_text(coalesce(f.outcome -> 'skipped', '{}')) o
      where ${codeOf(sql`o.value`)} not in (${UNWANTED})
    ),
    cells as materialized (
      select tenant_id, event_type, channel, kind, provider, reason, ${sql.join(counts)},
             array[${sql.join(upTo)}, count(latency)] as latencies
      from parts group by tenant_id, event_type, channel, kind, provider, reason
    )
    select g.*, ${measures}, latencies
    from cells c cross join lateral (values
      (c.tenant_id, 'channel', c.channel),
      (c.tenant_id, 'provider', c.kind || coalesce(' ' || c.provider, '')),
      (c.tenant_id, 'template', case when c.channel <> ${EVENTS} then c.event_type || ' ' || c.channel end),
      (c.tenant_id, 'type', c.event_type),
      (c.tenant_id, 'reason', c.channel || ' ' || c.reason),
      (${PLATFORM}, 'channel', c.channel),
      (${PLATFORM}, 'provider', c.kind),
      (${PLATFORM}, 'type', c.event_type),
      (${PLATFORM}, 'reason', c.channel || ' ' || c.reason),
      (${PLATFORM}, 'tenant', c.tenant_id)
    ) g (tenant_id, grouped_by, name)
    where g.name is not null`;
}

/** Returns the beginning of the bucket that contains this time, in ms. */
function bucketAt(time: number): number {
  return Math.floor(time / BUCKET_MS) * BUCKET_MS;
}

const DAY_MS = 24 * 60 * 60_000;
const HOUR_MS = 60 * 60_000;
/** The age up to which events are counted that were accepted while no replica ran. */
const CATCH_UP_MS = 24 * HOUR_MS;
/**
 * Each pause is at least this many times as long as the work before it. With two cores, a statement of 200 ms every 10 s
 * added a third to the p99 of all deliveries.
 */
const REST_FACTOR = 100;
/** The longest such pause in ms. Otherwise the figures would be hours old after many buckets were counted at once. */
const MAX_REST_MS = 60_000;
/** The time in ms after which a bucket that has ended is no longer counted in every turn. */
const SETTLED_AFTER_MS = 60_000;

/** Ages in ms at which a bucket is counted again, because deliveries still change after their event. */
const AGAIN_AFTER_MS = [15 * 60_000, HOUR_MS, 12 * HOUR_MS];

/** Keeps the figures of the overviews up to date until `signal` aborts. */
export async function rollActivity(deps: {
  db: Database;
  everyMs: number;
  log: Logger;
  signal: AbortSignal;
}): Promise<void> {
  const { db, everyMs, log, signal } = deps;
  let lastTurn = 0;
  while (!signal.aborted) {
    const started = performance.now();
    try {
      const now = Date.now();
      const current = bucketAt(now);
      // Once a bucket: counts older buckets again, too. Otherwise counts the current one, and the one before until most of
      // its deliveries have ended.
      const turned = current !== lastTurn;
      const buckets = turned
        ? await bucketsToCount(db, current)
        : await usedBuckets(db, bucketAt(now - SETTLED_AFTER_MS), current);
      // Bars of six hours and longer are at most five minutes late.
      const isWhole = await countActivity(db, buckets, { andLonger: turned, signal });
      if (turned) await deleteOldSums(db, now);
      // If another replica was counting, the next turn counts all these buckets again.
      if (isWhole) lastTurn = current;
    } catch (err) {
      log.warn({ err }, "the figures of the overview are not up to date");
    }
    await pause(restMs(performance.now() - started, everyMs), signal);
  }
}

/** Returns the pause in ms after work of this many ms. */
export function restMs(workMs: number, everyMs: number): number {
  return Math.max(everyMs, Math.min(workMs * REST_FACTOR, MAX_REST_MS));
}

/** Returns the buckets that were not counted yet, and older ones to count again; oldest first. */
export async function bucketsToCount(db: Database, current: number): Promise<number[]> {
  const newest = (await newestBucket(db))?.getTime() ?? 0;
  // Begins at a full hour, because the bar of an hour is the sum of all of its buckets.
  const earliest = Math.floor((current - CATCH_UP_MS) / HOUR_MS) * HOUR_MS;
  const from = Math.max(earliest, Math.min(newest, current - BUCKET_MS));
  const again = AGAIN_AFTER_MS.map((age) => bucketAt(current - age));
  const buckets = new Set([...again, ...(await usedBuckets(db, from, current))]);
  return [...buckets].sort((a, b) => a - b);
}

/**
 * Returns the buckets from `from` to `to` in which an event was accepted or a digest opened, oldest first. It uses one
 * index lookup for each bucket: counting an empty bucket would cost as much as counting a full one.
 */
async function usedBuckets(db: Database, from: number, to: number): Promise<number[]> {
  const used: number[] = [];
  for (let next = from; next <= to; ) {
    const after = idAt(new Date(next));
    const { rows } = await sql<{ id: string | null }>`
      select least((select id from events where id >= ${after}::uuid order by id limit 1),
                   (select id from digests where id >= ${after}::uuid order by id limit 1)) as id`.execute(
      db,
    );
    const id = rows[0]?.id ?? undefined;
    const bucket = id === undefined ? Number.POSITIVE_INFINITY : bucketAt(momentOfId(id).getTime());
    if (bucket <= to) used.push(bucket);
    next = bucket + BUCKET_MS;
  }
  return used;
}

/** Returns the beginning of the newest bucket that was counted. */
async function newestBucket(db: Database): Promise<Date | undefined> {
  const row = await db
    .selectFrom("activity_sums")
    .select("starts_at")
    .where("bar_seconds", "=", SHORTEST.seconds)
    .orderBy("starts_at", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.starts_at;
}

async function deleteOldSums(db: Database, now: number): Promise<void> {
  for (const { seconds, keptDays } of [SHORTEST, ...LENGTHS]) {
    await db
      .deleteFrom("activity_sums")
      .where("bar_seconds", "=", seconds)
      .where("starts_at", "<", new Date(now - keptDays * DAY_MS))
      .execute();
  }
}
