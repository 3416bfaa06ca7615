import type pg from "pg";

/**
 * Notes events that are sensitive on some channels only. To be called before they are dispatched: what
 * is noted and never dispatched does no harm, what is dispatched and not noted would keep its variables.
 */
export async function noteSensitiveEvents(
  pool: pg.Pool,
  eventIds: readonly string[],
): Promise<void> {
  if (eventIds.length === 0) return;
  await pool.query({
    name: "note_sensitive_events",
    text: `insert into sensitive_events (event_id)
           select id from unnest($1::uuid[]) as e (id) order by id on conflict do nothing`,
    values: [eventIds],
  });
}

/**
 * Erases the variables of noted events of which everything has ended, oldest first, at most `most`.
 * Returns how many notes were done with. Several callers take different ones.
 */
export async function eraseNotedVariables(pool: pg.Pool, most: number): Promise<number> {
  const { rowCount } = await pool.query({
    name: "erase_noted_variables",
    text: `with ended as materialized (
             select s.event_id from sensitive_events s
             left join lateral (
               select true as is_there, e.dispatched_at from events e where e.id = s.event_id limit 1
             ) e on true
             where (e.dispatched_at is not null or e.is_there is null)
               and not exists (select from deliveries d where d.event_id = s.event_id
                               and d.status in ('queued', 'sending', 'waiting'))
             order by s.event_id limit $1 for update of s skip locked
           ), locked as materialized (
             select e.id from events e
             where e.id = any (array(select event_id from ended)) and e.variables is not null
             order by e.id for update
           ), erased as (
             update events e set variables = null where e.id = any (array(select id from locked))
           )
           delete from sensitive_events where event_id = any (array(select event_id from ended))`,
    values: [most],
  });
  return rowCount ?? 0;
}
