-- Returns one field of a message's faults. p_told is an array of missing names, or an object {"missing": [...],
-- "warnings": [...]}. This is a function because few messages have faults, and a subquery would slow down every run of
-- the statement.
create or replace function lacking(p_told json, p_field text) returns text[] language sql immutable strict as $function$
  select array_agg(texts)
  from json_array_elements_text(
    case when json_typeof(p_told) = 'object' then p_told -> p_field when p_field = 'missing' then p_told end
  ) texts
$function$;

-- Stores the results of attempts, one call per batch. Like claim_deliveries, it locks the deliveries in order of id and
-- then reads the database's clock. Only a delivery's current attempt may change its status, with one exception: a late
-- `accepted` ends the delivery, so that it is not sent again. A result without a class means that no provider was
-- called, so its attempt is deleted. A delivery that was cancelled during this attempt is not retried, but ends as
-- cancelled. Returns the ids of the deliveries that it changed. p_missing has the faults of each message in the form
-- that `lacking` reads; null keeps the stored ones.
create or replace function settle_deliveries(
  p_ids uuid[], p_numbers integer[], p_statuses text[], p_reasons text[], p_delays_ms bigint[],
  p_counted boolean[], p_missing json[], p_classes text[], p_durations_ms integer[],
  p_attempt_reasons text[], p_vendor_statuses text[], p_vendor_answers text[], p_message_ids text[]
) returns setof uuid language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
-- Each join is with the arrays in the arguments. Postgres does not know their length when it plans.
set enable_nestloop = off
as $function$
#variable_conflict use_column
declare
  -- Up to this many deliveries are updated one by one, which is cheaper for one; joins are cheaper for twenty.
  few constant integer := 4;
  moment timestamptz;
  settled_id uuid;
  due timestamptz;
  has_moved boolean;
  moved uuid[];
  dues timestamptz[];
  owner text;
  owners text[] := '{}';
  asked uuid[];
  ended record;
begin
  select array_agg(l.id) filter (where l.cancel_asked_at is not null) into asked
  from (select d.id, d.cancel_asked_at from deliveries d where d.id = any (p_ids) order by d.id for update) l;
  moment := clock_timestamp();
  if asked is not null then
    for i in 1 .. cardinality(p_ids) loop
      continue when p_ids[i] <> all (asked) or p_statuses[i] not in ('waiting', 'failed', 'expired');
      ended := end_of_cancelled(p_ids[i], p_numbers[i], p_classes[i]);
      continue when ended.status is null;
      p_statuses[i] := ended.status;
      p_reasons[i] := ended.reason;
    end loop;
  end if;
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
          missing = coalesce(lacking(p_missing[i], 'missing'), d.missing),
          warnings = coalesce(lacking(p_missing[i], 'warnings'), d.warnings),
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
    if asked is not null then perform finish_cancels(asked); end if;
    return;
  end if;

  -- Disables the trigger tell_delivery: tell_moves below reports all deliveries in one statement.
  perform set_config('belfry.tells', 'apart', true);
  for settled_id, due, owner in
    update deliveries d
    set status = s.status, reason = s.reason,
        attempts = d.attempts - s.taken_back::integer,
        retries = d.retries + s.counted::integer,
        due_at = case when s.status = 'waiting'
          then least(moment + s.delay_ms * interval '1 millisecond', d.expires_at) end,
        released_at = null, claimed_until = null,
        message_id = coalesce(s.message_id, d.message_id),
        missing = coalesce(lacking(s.missing, 'missing'), d.missing),
        warnings = coalesce(lacking(s.missing, 'warnings'), d.warnings),
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
    returning d.id, d.due_at, d.tenant_id
  loop
    if owner <> all (owners) then owners := owners || owner; end if;
    moved := moved || settled_id;
    dues := dues || due;
    return next settled_id;
  end loop;
  perform set_config('belfry.tells', '', true);
  if exists (select from webhooks w where w.tenant_id = any (owners) and w.active) then
    perform tell_moves(moved);
  end if;

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
  if asked is not null then perform finish_cancels(asked); end if;
end
$function$;
