-- Counts the outcomes of broadcasts by chunk, ends broadcasts, and finds stalled ones.

-- Counts at most p_most chunks: those that are due, and those of cancelled broadcasts, whose events it cancels first.
-- Ends broadcasts that have nothing left to do. Returns the number of counted chunks.
create or replace function count_chunks(p_most integer, p_moment timestamptz) returns integer
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $function$
#variable_conflict use_column
declare
  tell_every constant interval := '10 seconds';
  most_cancelled constant integer := 1000;
  cancelled integer := 0;
  moment constant timestamptz := coalesce(p_moment, clock_timestamp());
  chunk record;
  counted record;
  pending boolean;
  touched uuid[] := '{}';
  total integer := 0;
begin
  -- Only one call runs at a time, because two would wait for each other's broadcasts.
  if not pg_try_advisory_xact_lock(hashtextextended('belfry chunks', 0)) then return 0; end if;
  for chunk in
    select k.broadcast_id, k.number, k.event_ids, k.counts, k.created_at, b.tenant_id,
           b.cancel_asked_at is not null as is_cancelled
    from (
      (select k.broadcast_id, k.number from broadcast_chunks k
       where k.count_at <= moment order by k.count_at limit p_most)
      union
      (select k.broadcast_id, k.number
       from (select b.id from broadcasts b where b.state = 'cancelling' and b.next_at <= moment
             order by b.next_at limit 20) b
       cross join lateral (
         select k.broadcast_id, k.number from broadcast_chunks k
         where k.broadcast_id = b.id and k.is_open and (not k.is_cancelled or k.count_at <= moment)
         limit p_most) k
       limit p_most)
    ) due
    cross join lateral (
      select * from broadcast_chunks k
      where k.broadcast_id = due.broadcast_id and k.number = due.number for update skip locked
    ) k
    cross join lateral (select b.tenant_id, b.cancel_asked_at from broadcasts b where b.id = k.broadcast_id limit 1) b
  loop
    pending := false;
    if chunk.is_cancelled then
      select coalesce(bool_or(c.verdict = 'pending'), false) into pending
      from cancel_events(chunk.tenant_id, chunk.event_ids) c;
    end if;
    select * into counted from chunk_facts(chunk.event_ids, chunk.tenant_id, moment);
    -- A chunk stays open as long as the cancel's result is unknown for some of its events.
    counted.is_open := counted.is_open or pending;
    update broadcast_chunks k
    set counts = counted.counts, is_open = counted.is_open, is_cancelled = chunk.is_cancelled,
        count_at = case
          -- An older chunk is counted less often, because many thousands may wait for the end of quiet hours.
          when counted.is_open then coalesce(counted.rests_until, moment + interval '10 seconds' + (moment - k.created_at) / 50)
          -- A closed chunk is counted up to three more times, because receipts arrive later.
          when moment < k.created_at + interval '10 minutes' then k.created_at + interval '10 minutes'
          when moment < k.created_at + interval '6 hours' then k.created_at + interval '6 hours'
          when moment < k.created_at + interval '3 days' then k.created_at + interval '3 days' end
    where k.broadcast_id = chunk.broadcast_id and k.number = chunk.number;
    update broadcasts b set counts = sum_of_counts(b.counts, counted.counts, chunk.counts)
    where b.id = chunk.broadcast_id;
    if chunk.broadcast_id <> all (touched) then touched := touched || chunk.broadcast_id; end if;
    total := total + 1;
    -- Cancelling is slow, so the call ends early in order to hold its locks only briefly.
    if chunk.is_cancelled then cancelled := cancelled + cardinality(chunk.event_ids); end if;
    exit when cancelled >= most_cancelled;
  end loop;
  -- A cancelled broadcast may have no open chunk.
  touched := touched || array(
    select b.id from broadcasts b
    where b.state = 'cancelling' and b.next_at <= moment and b.id <> all (touched) order by b.next_at limit 20);
  for chunk in select b.id from broadcasts b where b.id = any (touched) order by b.id for update loop
    perform end_broadcast(chunk.id, moment);
    update broadcasts b set next_at = moment + interval '250 milliseconds' where b.id = chunk.id and b.state = 'cancelling';
    update broadcasts b set told_at = moment
    where b.id = chunk.id and b.ended_at is null and b.told_at <= moment - tell_every;
    if found then perform tell_broadcast(chunk.id, 'broadcast.progress', moment); end if;
  end loop;
  return total;
end
$function$;

-- Counts the outcomes of a chunk's events: how many channels have each status, whether any must still be sent, and until
-- when all of these wait (null if some do not). An event that was cancelled as a whole counts once.
create or replace function chunk_facts(
  p_ids uuid[], p_tenant text, p_moment timestamptz,
  out counts jsonb, out is_open boolean, out rests_until timestamptz
) language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $function$
begin
  with found as (
    select e.id, e.event_type, e.outcome, e.dispatched_at, e.cancelled_at from unnest(p_ids) u (id)
    cross join lateral (select * from events e where e.id = u.id and e.tenant_id = p_tenant limit 1) e
  ),
  facts as (
    select case when f.cancelled_at is not null then 'cancelled' else 'queued' end as status, false as rests,
           f.cancelled_at is null as is_open, null::timestamptz as due_at
    from found f where f.cancelled_at is not null or f.dispatched_at is null
    union all
    select d.status, d.released_at is null and d.due_at > p_moment, d.status in ('queued', 'sending', 'waiting'), d.due_at
    from found f
    cross join lateral (select * from deliveries d where d.event_id = f.id limit 32) d
    where f.cancelled_at is null
    union all
    select 'published', false, false, null
    from found f cross join lateral (select from notifications n where n.id = f.id and n.tenant_id = p_tenant limit 1) n
    union all
    select o.status, false, false, null
    from found f
    cross join lateral (
      select 'skipped' as status, s.value from jsonb_each_text(f.outcome -> 'skipped') s
      where s.value not in ('#no-template', '#channel-not-requested', '#channel-not-allowed')
      union all
      select 'failed', s.value from jsonb_each_text(f.outcome -> 'failed') s
    ) o
    where f.outcome is not null and f.cancelled_at is null
  )
  select coalesce(jsonb_object_agg(s.status, s.items), '{}'), coalesce(bool_or(s.is_open), false),
         case when bool_and(s.rests or not s.is_open) then min(s.due_at) + interval '5 seconds' end
  into counts, is_open, rests_until
  from (
    select f.status, count(*) as items, bool_or(f.is_open) as is_open, min(f.due_at) filter (where f.is_open) as due_at,
           bool_and(f.rests) as rests
    from facts f group by f.status
  ) s;
end
$function$;

-- Returns the sums of counts after the counts of one part have changed from p_old to p_new.
create or replace function sum_of_counts(p_sums jsonb, p_new jsonb, p_old jsonb) returns jsonb
language sql immutable parallel safe as $function$
  select coalesce(jsonb_object_agg(c.name, c.items) filter (where c.items > 0), '{}')
  from (
    select c.name, sum(c.items) as items
    from (
      select key as name, value::integer as items from jsonb_each_text(p_sums)
      union all select key, value::integer from jsonb_each_text(p_new)
      union all select key, -value::integer from jsonb_each_text(p_old)
    ) c group by c.name
  ) c
$function$;

-- Ends a broadcast, whose row is locked, if nothing of it is left to expand or to send, and writes webhook messages.
create or replace function end_broadcast(p_id uuid, p_moment timestamptz) returns void language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $function$
begin
  if exists (select from broadcast_chunks k where k.broadcast_id = p_id and k.is_open limit 1) then return; end if;
  update broadcasts b
  set state = case when b.state = 'cancelling' then 'cancelled' else 'done' end, reason = null, next_at = null,
      ended_at = p_moment
  where b.id = p_id and b.ended_at is null and (b.is_expanded or b.state = 'cancelling');
  if not found then return; end if;
  delete from broadcast_people p where p.broadcast_id = p_id;
  perform tell_broadcast(p_id, 'broadcast.done', p_moment);
end
$function$;

create or replace function tell_broadcast(p_id uuid, p_type text, p_moment timestamptz) returns void
language plpgsql volatile
set enable_seqscan = off
as $function$
declare
  told broadcasts%rowtype;
begin
  select * into told from broadcasts b where b.id = p_id;
  perform tell_webhooks(told.tenant_id, p_type, null, null, p_moment,
    json_build_object('broadcastId', told.id, 'eventType', told.event_type, 'state', told.state, 'total', told.total,
      'expanded', told.expanded, 'byStatus', told.counts, 'occurredAt', iso_time(p_moment)));
end
$function$;

-- Returns for how many seconds the broadcast with the longest delay has made no progress: since it should have begun,
-- resumed or been counted. For a running broadcast that is not fully expanded, this is since its newest chunk, or since
-- its provider last took anything of the tenant's broadcasts, which take turns. Checks p_most broadcasts, the longest
-- due first. A broadcast that waits for a person, or for its last messages, is not due.
create or replace function stalled_broadcasts(p_most integer, out seconds double precision) language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $function$
begin
  select coalesce(greatest(0, extract(epoch from clock_timestamp() - min(
           case when b.state = 'running'
             then least(b.next_at, greatest(coalesce(k.created_at, b.started_at, b.next_at), taken.at))
             else b.next_at end))), 0)
  into seconds
  from (
    -- next_at of a running broadcast is some milliseconds in the future.
    select b.id, b.tenant_id, b.provider_id, b.state, b.started_at, b.next_at from broadcasts b
    where b.next_at <= statement_timestamp() + interval '10 seconds'
    order by b.next_at limit p_most
  ) b
  left join lateral (
    select k.created_at from broadcast_chunks k where k.broadcast_id = b.id order by k.number desc limit 1
  ) k on true
  cross join lateral (
    select max(s.taken_at) as at
    from (select distinct p.channel from providers p where p.tenant_id = b.tenant_id and p.active) c
    cross join lateral broadcast_provider(b.tenant_id, c.channel, b.provider_id) p
    cross join lateral (select s.taken_at from provider_broadcasts s where s.provider_id = p.provider_id limit 1) s
  ) taken;
end
$function$;
