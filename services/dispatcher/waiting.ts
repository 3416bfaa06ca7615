import { PROVIDER_CHANNELS } from "@belfry/contracts/channels";
import type pg from "pg";

/** Why something waits that is still to be sent; `turn`: for room among what its tenant has on its way. */
export const WAITING_REASONS = [
  "scheduled",
  "digest",
  "unread",
  "quiet hours",
  "retry",
  "turn",
] as const;

export interface Waiting {
  reason: (typeof WAITING_REASONS)[number];
  /** Of events that are scheduled, else of deliveries. */
  count: number;
  /** Since the oldest of them was accepted or made; 0 where none waits. */
  oldestSeconds: number;
}

/** Of a channel, and of what is scheduled: so many rows are looked at, and a count ends there. */
const MOST_COUNTED = 10_000;
const EVERY_MS = 15_000;

/** What waits, by reason, counted once in 15 s however often it is asked for. */
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
  // By the codes of contracts/reasons.ts: a reason of a provider's own stands only on a retry.
  const { rows } = await pool.query<Waiting>({
    name: "count_waiting",
    text: `with resting as materialized (
             select case
                 when split_part(d.reason, ' ', 1) = '#quiet' then 'quiet hours'
                 when d.status = 'waiting' then 'retry'
                 when split_part(d.reason, ' ', 1) in ('#gathered', '#gathered-quiet') then 'digest'
                 when d.unless_read then 'unread'
                 else 'turn' end as reason, d.created_at
             from unnest($2::text[]) c (channel)
             cross join lateral (
               select d.status, d.reason, d.unless_read, d.created_at from deliveries d
               where d.channel = c.channel and d.released_at is null and d.status in ('queued', 'waiting')
               limit $1
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
