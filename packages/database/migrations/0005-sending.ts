import { type Kysely, sql } from "kysely";

/**
 * The senders' two writes, one call a batch each. Both lock the deliveries in order of id, so that
 * senders cannot deadlock, and read the database's clock once they hold them: a replica's own clock
 * decides nothing.
 *
 * claim_deliveries: takes deliveries for one try each and inserts the attempts, before any call.
 * Returns one row a delivery found, with what it `becomes`:
 *   sending            claimed; `number` is the attempt's
 *   busy               another sender holds it for `wait_ms` more
 *   gone               settled, or waiting for a later time
 *   skipped, expired, failed, unknown   it ended here, for `reason`, without a try
 * A delivery still `sending` after its lease was left by a sender that died: that attempt ends as
 * ambiguous and counts as a retry, and where the template says at most once the delivery as unknown.
 *
 * settle_deliveries: writes the ends of attempts. Only the attempt that holds a delivery moves it,
 * but an acceptance that comes late still ends it, so that nothing is sent once more. A settlement
 * without a class made no call: its attempt is taken back. Returns the ids that moved.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
create function claim_deliveries(
  p_channel text, p_ids uuid[], p_tenants text[], p_providers uuid[], p_kinds text[],
  p_lease_ms integer, p_max_retries integer
) returns table (
  delivery_id uuid, becomes text, was text, reason text, wait_ms integer, event_id uuid, tenant_id text,
  number integer, retries integer, template_version_id bigint, at_most_once boolean, sensitive boolean,
  recipient text, variables text, trace_id text
) language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $function$
#variable_conflict use_column
declare
  died constant text := 'the sender ended before the outcome was known';
  moment timestamptz;
begin
  perform 1 from deliveries d where d.id = any (p_ids) order by d.id for update;
  moment := clock_timestamp();
  return query
    with input as materialized (
      select distinct on (i.id) i.id, i.tenant_id, i.provider_id, i.provider_kind
      from unnest(p_ids, p_tenants, p_providers, p_kinds) i (id, tenant_id, provider_id, provider_kind)
      order by i.id
    ),
    found as materialized (
      select d.id, d.status as was, d.attempts, d.claimed_until, d.event_id, d.tenant_id,
             d.template_version_id, i.provider_id, i.provider_kind, v.at_most_once, v.sensitive,
             d.retries + (d.status = 'sending')::integer as tried,
             case p_channel when 'EMAIL' then e.recipient_email else e.recipient_phone end as recipient,
             e.variables, e.trace_id,
             case
               when d.status = 'sending' and d.claimed_until > moment then 'busy'
               when d.status not in ('queued', 'waiting', 'sending') then 'gone'
               when d.status <> 'sending' and d.released_at is null and d.due_at > moment then 'gone'
               when d.status = 'sending' and v.at_most_once then 'unknown'
               when t.active is not true then 'skipped'
               when d.expires_at <= moment then 'expired'
               when i.provider_kind is null then 'skipped'
               when e.id is null or v.id is null then 'failed'
               when d.status = 'sending' and d.retries >= p_max_retries then 'failed'
               else 'sending'
             end as becomes,
             case
               when d.status = 'sending' and v.at_most_once then died
               when t.active is not true then 'tenant inactive'
               when d.expires_at <= moment then 'expired before it could be sent'
               when i.provider_kind is null then 'no active provider'
               when e.id is null then 'the event is gone'
               when v.id is null then 'the template is gone'
               when d.status = 'sending' and d.retries >= p_max_retries then 'retries exhausted: ' || died
             end as why
      from input i
      -- One look into an index an item: this plan is made on an empty database, where a walk over a
      -- whole table looks cheapest, and it must stay good while the tables grow. The arrays of ids in
      -- the updates below say the same.
      join lateral (select * from deliveries d where d.id = i.id limit 1) d
        on d.tenant_id = i.tenant_id and d.channel = p_channel
      left join lateral (select * from events e where e.id = d.event_id limit 1) e
        on e.tenant_id = d.tenant_id
      left join lateral (
        select * from template_versions v where v.id = d.template_version_id limit 1
      ) v on true
      left join lateral (select t.active from tenants t where t.id = d.tenant_id limit 1) t on true
    ),
    abandoned as (
      update attempts a set ended_at = moment, class = 'ambiguous', reason = died
      from found f
      where f.was = 'sending' and f.becomes <> 'busy'
        and a.delivery_id = any (p_ids)
        and a.delivery_id = f.id and a.number = f.attempts and a.ended_at is null
    ),
    moved as (
      update deliveries d
      set status = f.becomes, reason = f.why, retries = f.tried,
          attempts = f.attempts + (f.becomes = 'sending')::integer,
          provider_id = case when f.becomes = 'sending' then f.provider_id else d.provider_id end,
          claimed_until = case when f.becomes = 'sending' then moment + p_lease_ms * interval '1 millisecond' end,
          released_at = case when f.becomes = 'sending' then coalesce(d.released_at, moment) end,
          due_at = case when f.becomes = 'sending' then d.due_at end,
          settled_at = case when f.becomes <> 'sending' then moment end
      from found f
      where d.id = any (p_ids) and d.id = f.id and f.becomes not in ('busy', 'gone')
    ),
    begun as (
      insert into attempts (delivery_id, number, provider_id, provider_kind, started_at)
      select f.id, f.attempts + 1, f.provider_id, f.provider_kind, moment
      from found f where f.becomes = 'sending'
    )
    select f.id, f.becomes, f.was, f.why,
           case when f.becomes = 'busy'
             then greatest(1, ceil(extract(epoch from f.claimed_until - moment) * 1000))::integer end,
           f.event_id, f.tenant_id, f.attempts + 1, f.tried, f.template_version_id, f.at_most_once, f.sensitive,
           f.recipient, f.variables, f.trace_id
    from found f;
end
$function$`.execute(db);

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
