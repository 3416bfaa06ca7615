import { deleteUnlinkedAttachments } from "@belfry/database/functions/attachments";
import type pg from "pg";

/**
 * Notes events whose variables must be erased when all their deliveries have ended. Senders erase them earlier if they
 * can, but a sender may die before it does, or may know only its own channel. Call it before the events are dispatched:
 * a note without a dispatch does no harm, but an event that is dispatched without a note might keep its variables.
 */
export async function noteSensitiveEvents(pool: pg.Pool, eventIds: readonly string[]) {
  await pool.query({
    name: "note_sensitive_events",
    text: `insert into sensitive_events (event_id)
           select id from unnest($1::uuid[]) as e (id) order by id on conflict do nothing`,
    values: [eventIds],
  });
}

const FIRST = "00000000-0000-0000-0000-000000000000";

/**
 * Returns a function that erases the variables and attachments of noted events whose deliveries have all ended, oldest
 * first, and returns the number of removed notes. It reads `most` notes per statement and stops after a statement that
 * erases nothing; the next call continues from there. So notes of events that are not finished cost little. Concurrent
 * callers get different notes.
 */
export function createNotedErasure(pool: pg.Pool, most: number): () => Promise<number> {
  let after = FIRST;
  return async () => {
    for (let total = 0; ; ) {
      const { erased, looked, reached, dropped } = await eraseNoted(pool, after, most);
      total += erased;
      if (dropped) while ((await deleteUnlinkedAttachments(pool, null)).more);
      after = looked < most ? FIRST : reached;
      if (looked < most || erased === 0) return total;
    }
  };
}

async function eraseNoted(
  pool: pg.Pool,
  after: string,
  most: number,
): Promise<{ erased: number; looked: number; reached: string; dropped: boolean }> {
  const { rows } = await pool.query({
    name: "erase_noted_variables",
    text: `with looked as materialized (
             select event_id from sensitive_events where event_id > $1 order by event_id limit $2
           ), ended as materialized (
             select s.event_id from sensitive_events s
             left join lateral (
               select true as is_there, e.dispatched_at from events e where e.id = s.event_id limit 1
             ) e on true
             where s.event_id = any (array(select event_id from looked))
               and (e.dispatched_at is not null or e.is_there is null)
               and not exists (select from deliveries d where d.event_id = s.event_id
                               and d.status in ('queued', 'sending', 'waiting'))
               and not exists (select from digest_items i join deliveries d on d.event_id = i.digest_id
                               where i.event_id = s.event_id and i.state = 'in'
                                 and d.status in ('queued', 'sending', 'waiting'))
             order by s.event_id for update of s skip locked
           ), locked as materialized (
             select e.id, e.envelope ? 'attachments' as has_files from events e
             where e.id = any (array(select event_id from ended))
               and (e.variables is not null or e.envelope ? 'attachments')
             order by e.id for update
           ), dropped as materialized (
             -- Files may contain the same personal data as variables.
             select drop_attachments(array(select id from locked))
           ), erased as (
             update events e set variables = null, envelope = nullif(e.envelope - 'attachments', '{}')
             where e.id = any (array(select id from locked))
           ), done as (
             delete from sensitive_events where event_id = any (array(select event_id from ended))
             returning event_id
           )
           select (select count(*)::integer from done) as erased,
                  (select count(*) > 0 from locked, dropped where has_files) as dropped,
                  (select count(*)::integer from looked) as looked,
                  (select event_id from looked order by event_id desc limit 1) as reached`,
    values: [after, most],
  });
  return rows[0];
}
