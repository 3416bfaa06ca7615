import type pg from "pg";

const HOUR_MS = 60 * 60 * 1000;

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
    `update undispatched_events set published_at = 'epoch' where event_id = any ($1::uuid[])`,
    [eventIds],
  );
}

export interface Retention {
  eventDays: number;
  notificationDays: number;
}

/** A deletion of what has had its time: returns how many rows went, at most `most`. */
export interface Expiry {
  table: string;
  run(pool: pg.Pool, most: number): Promise<number>;
}

/**
 * All that leaves with time, as data. Ids of events, deliveries and outbox rows are UUIDv7, so that
 * their primary key is an index by age. A key is remembered for 24 h by the statement that reads it;
 * here it only has to be older.
 */
export function expiries(retention: Retention, now: () => Date = () => new Date()): Expiry[] {
  const before = (days: number) => firstIdOf(new Date(now().getTime() - days * 24 * HOUR_MS));
  const byId = (table: string, column: string, days: number): Expiry => ({
    table,
    run: (pool, most) =>
      remove(
        pool,
        `delete from ${table} where ctid = any (array(
           select ctid from ${table} where ${column} < $1::uuid order by ${column} limit $2))`,
        [before(days), most],
      ),
  });
  const byTime = (table: string, column: string, hours: number): Expiry => ({
    table,
    run: (pool, most) =>
      remove(
        pool,
        `delete from ${table} where ctid = any (array(
           select ctid from ${table} where ${column} < $1 order by ${column} limit $2))`,
        [new Date(now().getTime() - hours * HOUR_MS), most],
      ),
  });
  const { eventDays, notificationDays } = retention;
  return [
    byTime("dedup_keys", "accepted_at", 25),
    byTime("api_keys", "expires_at", 0),
    byId("attempts", "delivery_id", eventDays),
    byId("deliveries", "id", eventDays),
    byId("outbox", "id", eventDays),
    byId("undispatched_events", "event_id", eventDays),
    byId("events", "id", eventDays),
    byId("notifications", "id", notificationDays),
    byTime("receipts", "received_at", eventDays * 24),
    byTime("dead_messages", "created_at", eventDays * 24),
  ];
}

async function remove(pool: pg.Pool, text: string, values: unknown[]): Promise<number> {
  const result = await pool.query(text, values);
  return result.rowCount ?? 0;
}

/** The least UUIDv7 of a moment: every id made before it is smaller. */
export function firstIdOf(moment: Date): string {
  const hex = Math.max(0, moment.getTime()).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
