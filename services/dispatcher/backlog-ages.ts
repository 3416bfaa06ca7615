import { SENT_CHANNELS } from "@belfry/contracts/channels";
import type pg from "pg";

export interface BacklogAge {
  /** `undispatched_event`, `email_delivery` and so on. */
  what: string;
  /** 0 where nothing waits. */
  seconds: number;
}

/** A look at so many overdue deliveries is enough to know that there is trouble. */
const MOST_OVERDUE = 5000;

/** Ids of what rested are old: it hides behind none of these what waits longer. */
const MOST_EVENTS = 200;

/** How long the oldest event waits to be dispatched, from the end of its rest if it had one, and the most overdue resting delivery of a channel to leave. */
export async function readBacklogAges(pool: pg.Pool): Promise<BacklogAge[]> {
  // Ids of events are UUIDv7: the least is the oldest.
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
                     where channel = c.channel and released_at is null
                       and status in ('queued', 'waiting') and due_at < statement_timestamp()
                     limit $1) d), 0)::float8
           from unnest($2::text[]) as c (channel)`,
    values: [MOST_OVERDUE, SENT_CHANNELS, MOST_EVENTS],
  });
  return rows;
}

/** By how much the most overdue event is overdue that still rests. */
export async function readOverdueSeconds(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ seconds: number }>({
    name: "scheduled_overdue",
    text: `select greatest(0, extract(epoch from clock_timestamp() - send_at))::float8 as seconds
           from scheduled_events order by send_at limit 1`,
  });
  return rows[0]?.seconds ?? 0;
}
