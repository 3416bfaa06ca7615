import { readRows } from "@belfry/database/functions/call-function";
import type pg from "pg";

export interface Unpublished {
  eventId: string;
  tenantId: string;
  traceId: string;
}

/** Whether an event is neither dispatched nor refused that was published longer ago. */
export async function hasStuckEvents(pool: pg.Pool, olderThanMs: number): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: "has_stuck_events",
    text: `select 1 from undispatched_events
           where published_at < clock_timestamp() - make_interval(secs => $1::float8 / 1000) limit 1`,
    values: [olderThanMs],
  });
  return rowCount === 1;
}

/**
 * Takes events that were accepted, published longer ago than `olderThanMs` and are neither dispatched
 * nor refused, by their ids, those above `after`; stamped as published now. Replicas take different ones.
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
 * Of tenants, each with an event: those that had more than `perMinute` accepted in the minute up to it.
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
