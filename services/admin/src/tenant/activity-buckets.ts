import { idAt, momentOfId } from "@belfry/administration/pages";
import { type Channel, IN_APP } from "@belfry/contracts/channels";
import type { Database } from "@belfry/database/connection";
import { pause } from "@belfry/service/pause";
import { sql } from "kysely";
import type { Logger } from "pino";

/** The figures of the overview: one row for five minutes of a tenant, so that no page counts events. */

export const BUCKET_MS = 5 * 60_000;

/**
 * Seconds from acceptance, or from the end of a rest, to the provider: `latencies[i]` counts those up to
 * `LATENCY_BOUNDS[i]`, the last all.
 */
export const LATENCY_BOUNDS = [0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 900, 3600] as const;

export interface ActivityBucket {
  startsAt: Date;
  /** ALL: the events themselves. */
  channel: Channel | "ALL";
  accepted: number;
  sent: number;
  failed: number;
  skipped: number;
  pending: number;
  latencies: number[];
}

const LOCK = 0x62656c66;

/**
 * Counts the bucket that begins at this moment again, for all tenants, and replaces its rows. One caller at a time over
 * all replicas: false while another one counts.
 */
export async function countBucket(db: Database, startsAt: Date): Promise<boolean> {
  const endsAt = new Date(startsAt.getTime() + BUCKET_MS);
  const bounds = sql.join(
    [...LATENCY_BOUNDS.map((bound) => sql`count(*) filter (where latency <= ${sql.lit(bound)})`)],
    sql`, `,
  );
  return await db.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ locked: boolean }>`
      select pg_try_advisory_xact_lock(${LOCK}) as locked`.execute(transaction);
    if (rows[0]?.locked !== true) return false;
    await sql`
      with found as materialized (
        -- It has rested on purpose until it was let go, which is no latency.
        select e.id, e.tenant_id, coalesce(e.released_at, e.accepted_at) as begun_at, e.dispatched_at, e.outcome
        from events e
        where e.id >= ${idAt(startsAt)}::uuid and e.id < ${idAt(endsAt)}::uuid and e.refused_at is null
      ),
      parts (tenant_id, channel, sent, failed, skipped, pending, latency) as (
        select tenant_id, 'ALL', false, false, false, dispatched_at is null, null::float8 from found
        union all
        select f.tenant_id, d.channel, d.status in ('accepted', 'delivered'),
               d.status in ('failed', 'bounced', 'complained', 'expired', 'unknown', 'discarded'),
               d.status = 'skipped', d.status in ('queued', 'sending', 'waiting'),
               (select extract(epoch from a.ended_at - f.begun_at) from attempts a
                where a.delivery_id = d.id and a.class = 'accepted' and d.unless_read is not true
                order by a.number limit 1)
        from found f join deliveries d on d.event_id = f.id
        union all
        -- Of a digest by when it was opened: one message. It has waited on purpose, which is no latency.
        select g.tenant_id, d.channel, d.status in ('accepted', 'delivered'),
               d.status in ('failed', 'bounced', 'complained', 'expired', 'unknown', 'discarded'),
               d.status = 'skipped', d.status in ('queued', 'sending', 'waiting'), null
        from digests g join deliveries d on d.event_id = g.id
        where g.id >= ${idAt(startsAt)}::uuid and g.id < ${idAt(endsAt)}::uuid
        union all
        select f.tenant_id, ${IN_APP}, true, false, false, false,
               extract(epoch from n.created_at - f.begun_at)
        from found f join notifications n on n.id = f.id
        union all
        select f.tenant_id, o.channel, false, true, false, false, null
        from found f cross join jsonb_object_keys(coalesce(f.outcome -> 'failed', '{}')) o (channel)
      )
      insert into activity_buckets
        (tenant_id, starts_at, channel, accepted, sent, failed, skipped, pending, latencies)
      select tenant_id, ${startsAt}, channel, count(*), count(*) filter (where sent),
             count(*) filter (where failed), count(*) filter (where skipped),
             count(*) filter (where pending), array[${bounds}, count(latency)]::integer[]
      from parts group by tenant_id, channel
      on conflict (tenant_id, starts_at, channel) do update set
        accepted = excluded.accepted, sent = excluded.sent, failed = excluded.failed,
        skipped = excluded.skipped, pending = excluded.pending, latencies = excluded.latencies`.execute(
      transaction,
    );
    return true;
  });
}

/** The beginning of the bucket that this moment is in. */
function bucketAt(time: number): number {
  return Math.floor(time / BUCKET_MS) * BUCKET_MS;
}

/** A tenant's buckets since a moment, oldest first. */
export async function bucketsOfTenant(
  db: Database,
  tenantId: string,
  since: Date,
): Promise<ActivityBucket[]> {
  const rows = await db
    .selectFrom("activity_buckets")
    .select(["starts_at as startsAt", "channel", "latencies"])
    .select(["accepted", "sent", "failed", "skipped", "pending"])
    .where("tenant_id", "=", tenantId)
    .where("starts_at", ">=", since)
    .orderBy("starts_at")
    .execute();
  return rows as ActivityBucket[];
}

const DAY_MS = 24 * 60 * 60_000;

/** How much of its limits a tenant used: in the last 60 seconds, and since midnight UTC (`since`). */
export async function quotaUsed(
  db: Database,
  tenantId: string,
): Promise<{ minute: number; day: number; since: Date }> {
  const { rows } = await sql<{ minute: number; day: number }>`
    select (select t.used from turned_ring(l.ring, l.ring_total, l.ring_second,
              greatest(l.ring_second, extract(epoch from clock_timestamp())::bigint)) t) as minute,
           case when l.day = (clock_timestamp() at time zone 'UTC')::date then l.day_total else 0 end as day
    from tenant_limits l where l.tenant_id = ${tenantId}`.execute(db);
  const since = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS);
  return { ...(rows[0] ?? { minute: 0, day: 0 }), since };
}

const HOUR_MS = 60 * 60_000;
const KEEP_MS = 31 * 24 * HOUR_MS;
/** How far back events are counted that came while no replica ran. */
const CATCH_UP_MS = 24 * HOUR_MS;
/** Rests this many times as long as it worked, so that it never slows the database. */
const REST_FACTOR = 10;

/** Ages at which a bucket is counted again: deliveries still change after their event. */
const AGAIN_AFTER_MS = [15 * 60_000, HOUR_MS, 12 * HOUR_MS];

/** Keeps the figures of the overview up to date until told to stop. */
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
      const turned = current !== lastTurn;
      const buckets = turned
        ? await bucketsToCount(db, current)
        : await usedBuckets(db, current - BUCKET_MS, current);
      for (const bucket of buckets) {
        if (signal.aborted || !(await countBucket(db, new Date(bucket)))) break;
      }
      if (turned) await deleteOldBuckets(db, new Date(now - KEEP_MS));
      lastTurn = current;
    } catch (err) {
      log.warn({ err }, "the figures of the overview are not up to date");
    }
    await pause(Math.max(everyMs, (performance.now() - started) * REST_FACTOR), signal);
  }
}

/** Buckets that were not counted yet, and older ones to count again; oldest first. */
export async function bucketsToCount(db: Database, current: number): Promise<number[]> {
  const newest = (await newestBucket(db))?.getTime() ?? 0;
  const from = Math.max(current - CATCH_UP_MS, Math.min(newest, current - BUCKET_MS));
  const again = AGAIN_AFTER_MS.map((age) => bucketAt(current - age));
  const buckets = new Set([...again, ...(await usedBuckets(db, from, current))]);
  return [...buckets].sort((a, b) => a - b);
}

/**
 * The buckets from `from` to `to` in which an event was accepted or a digest opened, oldest first. One index lookup a
 * bucket: counting an empty bucket would cost as much as counting a full one.
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

/** The beginning of the newest bucket that was counted. */
async function newestBucket(db: Database): Promise<Date | undefined> {
  const row = await db
    .selectFrom("activity_buckets")
    .select("starts_at")
    .orderBy("starts_at", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.starts_at;
}

async function deleteOldBuckets(db: Database, before: Date): Promise<void> {
  await db.deleteFrom("activity_buckets").where("starts_at", "<", before).execute();
}
