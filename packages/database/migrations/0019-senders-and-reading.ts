import { type Kysely, sql } from "kysely";

/**
 * claim_deliveries (see 0008) and settle_deliveries (see 0005 and 0017) in few simple statements: a call
 * for one delivery, as at low rates, was mostly the setting up of one large statement, and its joins of
 * what it had just computed made the time of a batch grow with the square of its size. Arguments, answers
 * and locks are as before.
 *
 * read_events: what the dispatcher knows of events. As a statement of its own it was planned for each call,
 * because a plan for one id always looks cheaper than one for any number.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}

const statements = [
  sql`
create or replace function claim_deliveries(
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
  place bigint;
  held_until timestamptz;
  rests boolean;
  expires timestamptz;
  has_event boolean;
  has_template boolean;
  is_active boolean;
  suppressed text;
  claimed uuid[] := '{}';
  numbers integer[];
begin
  perform 1 from deliveries d where d.id = any (p_ids) order by d.id for update;
  moment := clock_timestamp();
  for place, delivery_id, was, held_until, rests, expires, event_id, tenant_id, number, retries,
      template_version_id, has_event, recipient, variables, trace_id, has_template, at_most_once, sensitive,
      is_active, suppressed
  in
    select i.place, d.id, d.status, d.claimed_until, d.released_at is null and d.due_at > moment,
           d.expires_at, d.event_id, d.tenant_id, d.attempts + 1, d.retries + (d.status = 'sending')::integer,
           d.template_version_id, e.id is not null, e.recipient, e.variables, e.trace_id,
           v.id is not null, v.at_most_once, v.sensitive,
           (select t.active from tenants t where t.id = d.tenant_id),
           (select s.reason from suppressions s
            where s.tenant_id = d.tenant_id and s.channel = p_channel
              and s.address = lower(e.recipient collate "C"))
    from unnest(p_ids, p_tenants) with ordinality i (id, tenant_id, place)
    -- One look into an index an item: this plan is made on an empty database, where a walk over a
    -- whole table looks cheapest, and it must stay good while the tables grow. The arrays of ids in
    -- the updates say the same.
    join lateral (select * from deliveries d where d.id = i.id limit 1) d
      on d.tenant_id = i.tenant_id and d.channel = p_channel
    left join lateral (
      select e.*, case p_channel when 'EMAIL' then e.recipient_email else e.recipient_phone end as recipient
      from events e where e.id = d.event_id limit 1
    ) e on e.tenant_id = d.tenant_id
    left join lateral (
      select * from template_versions v where v.id = d.template_version_id limit 1
    ) v on true
  loop
    continue when place <> array_position(p_ids, delivery_id);
    reason := null;
    wait_ms := null;
    becomes := 'gone';
    if was = 'sending' and held_until > moment then
      becomes := 'busy';
      wait_ms := greatest(1, ceil(extract(epoch from held_until - moment) * 1000))::integer;
    elsif was not in ('queued', 'waiting', 'sending') or was <> 'sending' and rests then
      null;
    elsif was = 'sending' and at_most_once then
      becomes := 'unknown';
      reason := died;
    elsif is_active is not true then
      becomes := 'skipped';
      reason := 'tenant inactive';
    elsif expires <= moment then
      becomes := 'expired';
      reason := 'expired before it could be sent';
    elsif suppressed is not null then
      becomes := 'skipped';
      reason := 'address suppressed (' || suppressed || ')';
    elsif p_kinds[place] is null then
      becomes := 'skipped';
      reason := 'no active provider';
    elsif not has_event or not has_template then
      becomes := 'failed';
      reason := case when has_event then 'the template is gone' else 'the event is gone' end;
    elsif was = 'sending' and retries > p_max_retries then
      becomes := 'failed';
      reason := 'retries exhausted: ' || died;
    else
      becomes := 'sending';
      claimed := claimed || delivery_id;
      numbers := numbers || number;
    end if;
    if was = 'sending' and becomes <> 'busy' then
      update attempts a set ended_at = moment, class = 'ambiguous', reason = died
      where a.delivery_id = claim_deliveries.delivery_id and a.number = claim_deliveries.number - 1
        and a.ended_at is null;
    end if;
    if becomes not in ('sending', 'busy', 'gone') then
      update deliveries d
      set status = becomes, reason = claim_deliveries.reason, retries = claim_deliveries.retries,
          claimed_until = null, released_at = null, due_at = null, settled_at = moment
      where d.id = claim_deliveries.delivery_id;
    end if;
    return next;
  end loop;
  if claimed = '{}' then return; end if;

  update deliveries d
  set status = 'sending', reason = null, retries = d.retries + (d.status = 'sending')::integer,
      attempts = d.attempts + 1, provider_id = p_providers[array_position(p_ids, d.id)],
      claimed_until = moment + p_lease_ms * interval '1 millisecond',
      released_at = coalesce(d.released_at, moment), settled_at = null
  where d.id = any (claimed);
  insert into attempts (delivery_id, number, provider_id, provider_kind, started_at)
    select c.id, c.number, p_providers[array_position(p_ids, c.id)],
           p_kinds[array_position(p_ids, c.id)], moment
    from unnest(claimed, numbers) c (id, number);
end
$function$`,

  sql`
create or replace function settle_deliveries(
  p_ids uuid[], p_numbers integer[], p_statuses text[], p_reasons text[], p_delays_ms bigint[],
  p_counted boolean[], p_missing text[], p_classes text[], p_durations_ms integer[],
  p_attempt_reasons text[], p_vendor_statuses text[], p_vendor_answers text[], p_message_ids text[]
) returns setof uuid language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
-- Each join is one with the arguments, and planned when nothing is known of their number.
set enable_nestloop = off
as $function$
#variable_conflict use_column
declare
  -- A join with the arguments costs as much as settling so many one by one.
  few constant integer := 4;
  moment timestamptz;
  settled_id uuid;
  due timestamptz;
  has_moved boolean;
  moved uuid[];
  dues timestamptz[];
begin
  perform 1 from deliveries d where d.id = any (p_ids) order by d.id for update;
  moment := clock_timestamp();
  if cardinality(p_ids) <= few then
    for i in 1 .. cardinality(p_ids) loop
      update deliveries d
      set status = p_statuses[i], reason = p_reasons[i],
          attempts = d.attempts - (p_classes[i] is null)::integer,
          retries = d.retries + p_counted[i]::integer,
          due_at = case when p_statuses[i] = 'waiting'
            then least(moment + p_delays_ms[i] * interval '1 millisecond', d.expires_at) end,
          released_at = null, claimed_until = null,
          message_id = coalesce(p_message_ids[i], d.message_id),
          missing = coalesce(string_to_array(p_missing[i], E'\\x1f'), d.missing),
          settled_at = case when p_statuses[i] <> 'waiting' then moment end
      where d.id = p_ids[i] and (
        (d.status = 'sending' and d.attempts = p_numbers[i])
        or (p_statuses[i] = 'accepted' and d.status in ('queued', 'sending', 'waiting', 'unknown'))
      )
      returning d.due_at into due;
      has_moved := found;
      if has_moved then return next p_ids[i]; end if;
      if p_classes[i] is not null then
        update attempts a
        set started_at = moment - p_durations_ms[i] * interval '1 millisecond', ended_at = moment,
            class = p_classes[i], reason = p_attempt_reasons[i], vendor_status = p_vendor_statuses[i],
            vendor_answer = p_vendor_answers[i], message_id = p_message_ids[i],
            next_at = coalesce(due, a.next_at)
        where a.delivery_id = p_ids[i] and a.number = p_numbers[i];
      elsif has_moved then
        delete from attempts a where a.delivery_id = p_ids[i] and a.number = p_numbers[i];
      end if;
    end loop;
    return;
  end if;

  for settled_id, due in
    update deliveries d
    set status = s.status, reason = s.reason,
        attempts = d.attempts - s.taken_back::integer,
        retries = d.retries + s.counted::integer,
        due_at = case when s.status = 'waiting'
          then least(moment + s.delay_ms * interval '1 millisecond', d.expires_at) end,
        released_at = null, claimed_until = null,
        message_id = coalesce(s.message_id, d.message_id),
        missing = coalesce(string_to_array(s.missing, E'\\x1f'), d.missing),
        settled_at = case when s.status <> 'waiting' then moment end
    from (
      select i.*, i.class is null as taken_back
      from unnest(p_ids, p_numbers, p_statuses, p_reasons, p_delays_ms, p_counted, p_missing, p_classes,
          p_message_ids)
        i (id, number, status, reason, delay_ms, counted, missing, class, message_id)
    ) s
    where d.id = any (p_ids) and d.id = s.id and (
      (d.status = 'sending' and d.attempts = s.number)
      or (s.status = 'accepted' and d.status in ('queued', 'sending', 'waiting', 'unknown'))
    )
    returning d.id, d.due_at
  loop
    moved := moved || settled_id;
    dues := dues || due;
    return next settled_id;
  end loop;

  update attempts a
  set started_at = moment - s.duration_ms * interval '1 millisecond', ended_at = moment,
      class = s.class, reason = s.reason, vendor_status = s.vendor_status,
      vendor_answer = s.vendor_answer, message_id = s.message_id,
      next_at = coalesce(dues[array_position(moved, s.id)], a.next_at)
  from unnest(p_ids, p_numbers, p_classes, p_durations_ms, p_attempt_reasons, p_vendor_statuses,
      p_vendor_answers, p_message_ids)
    s (id, number, class, duration_ms, reason, vendor_status, vendor_answer, message_id)
  where a.delivery_id = any (p_ids)
    and a.delivery_id = s.id and a.number = s.number and s.class is not null;
  if array_position(p_classes, null) is not null then
    delete from attempts a using unnest(p_ids, p_numbers, p_classes) s (id, number, class)
    where a.delivery_id = any (moved) and a.delivery_id = s.id and a.number = s.number and s.class is null;
  end if;
end
$function$`,

  sql`
create function read_events(p_ids uuid[]) returns table (
  id uuid, tenant_id text, event_type text, user_id text, recipient_email text, recipient_phone text,
  channels smallint, variables text, trace_id text, accepted_at timestamptz, accepted_at_text text,
  dispatched boolean, refused boolean
) language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $function$
#variable_conflict use_column
begin
  return query
    select e.id, e.tenant_id, e.event_type, e.user_id, e.recipient_email, e.recipient_phone, e.channels,
           e.variables, e.trace_id, e.accepted_at, e.accepted_at::text,
           e.dispatched_at is not null, e.refused_at is not null
    from events e where e.id = any (p_ids);
end
$function$`,
];
