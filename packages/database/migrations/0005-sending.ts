import { type Kysely, sql } from "kysely";

/**
 * The senders' second write (the first is claim_deliveries in 0008), one call a batch. It locks the
 * deliveries in order of id, so that senders cannot deadlock, and reads the database's clock once it
 * holds them: a replica's own clock decides nothing.
 *
 * settle_deliveries: writes the ends of attempts. Only the attempt that holds a delivery moves it,
 * but an acceptance that comes late still ends it, so that nothing is sent once more. A settlement
 * without a class made no call: its attempt is taken back. Returns the ids that moved.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
create function settle_deliveries(
  p_ids uuid[], p_numbers integer[], p_statuses text[], p_reasons text[], p_delays_ms bigint[],
  p_counted boolean[], p_missing text[], p_classes text[], p_durations_ms integer[],
  p_attempt_reasons text[], p_vendor_statuses text[], p_vendor_answers text[], p_message_ids text[]
) returns setof uuid language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $function$
#variable_conflict use_column
declare
  moment timestamptz;
begin
  perform 1 from deliveries d where d.id = any (p_ids) order by d.id for update;
  moment := clock_timestamp();
  return query
    with settled as materialized (
      select * from unnest(p_ids, p_numbers, p_statuses, p_reasons, p_delays_ms, p_counted, p_missing,
        p_classes, p_durations_ms, p_attempt_reasons, p_vendor_statuses, p_vendor_answers, p_message_ids)
        s (id, number, status, reason, delay_ms, counted, missing,
           class, duration_ms, attempt_reason, vendor_status, vendor_answer, message_id)
    ),
    moved as (
      update deliveries d
      set status = s.status, reason = s.reason,
          attempts = d.attempts - (s.class is null)::integer,
          retries = d.retries + s.counted::integer,
          due_at = case when s.status = 'waiting'
            then least(moment + s.delay_ms * interval '1 millisecond', d.expires_at) end,
          released_at = null, claimed_until = null,
          message_id = coalesce(s.message_id, d.message_id),
          missing = coalesce(string_to_array(s.missing, E'\\x1f'), d.missing),
          settled_at = case when s.status <> 'waiting' then moment end
      from settled s
      where d.id = any (p_ids) and d.id = s.id and (
        (d.status = 'sending' and d.attempts = s.number)
        or (s.status = 'accepted' and d.status in ('sending', 'waiting', 'unknown'))
      )
      returning d.id, d.due_at
    ),
    ended as (
      update attempts a
      set started_at = moment - s.duration_ms * interval '1 millisecond', ended_at = moment,
          class = s.class, reason = s.attempt_reason, vendor_status = s.vendor_status,
          vendor_answer = s.vendor_answer, message_id = s.message_id,
          next_at = coalesce(m.due_at, a.next_at)
      from settled s left join moved m on m.id = s.id
      where a.delivery_id = any (p_ids)
        and a.delivery_id = s.id and a.number = s.number and s.class is not null
    ),
    taken_back as (
      delete from attempts a using settled s, moved m
      where a.delivery_id = any (p_ids)
        and a.delivery_id = s.id and a.number = s.number and s.class is null and m.id = s.id
    )
    select m.id from moved m;
end
$function$`.execute(db);
}
