import type pg from "pg";

export interface Unpublished {
  eventId: string;
  traceId: string;
}

/**
 * Takes events that were accepted, published longer ago than `olderThanMs` and are neither dispatched
 * nor refused; oldest first, stamped as published now. Replicas take different ones.
 */
export async function takeStuckEvents(
  pool: pg.Pool,
  options: { olderThanMs: number; most: number },
): Promise<Unpublished[]> {
  const { rows } = await pool.query({
    name: "take_stuck_events",
    text: `with stuck as materialized (
             select event_id from undispatched_events
             where published_at < clock_timestamp() - make_interval(secs => $1::float8 / 1000)
             order by published_at limit $2 for update skip locked
           )
           update undispatched_events u set published_at = clock_timestamp()
           where u.event_id = any (array(select event_id from stuck))
           returning u.event_id, (select e.trace_id from events e where e.id = u.event_id)`,
    values: [options.olderThanMs, options.most],
  });
  return rows.map((row) => ({
    eventId: row.event_id,
    traceId: row.trace_id ?? row.event_id,
  }));
}

/** What could not be published after all is stuck again at the next look. */
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
