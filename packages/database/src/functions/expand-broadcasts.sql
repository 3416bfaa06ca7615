-- Expands broadcasts: a chunk of a due broadcast becomes events.

-- Returns due broadcasts, at most most_of_tenant per tenant: those that have waited longest. The caller expands one
-- broadcast of each tenant, then calls again. p_moment is for tests; null means now.
create or replace function broadcasts_in_turn(p_moment timestamptz)
returns table (id uuid, tenant_id text, channels smallint) language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
as $function$
#variable_conflict use_column
declare
  most_of_tenant constant integer := 10;
  moment constant timestamptz := coalesce(p_moment, clock_timestamp());
begin
  return query
    select b.id, b.tenant_id, b.channels
    from (
      select b.*, row_number() over (partition by b.tenant_id order by b.next_at, b.id) as place
      from broadcasts b where b.next_at <= moment and b.cancel_asked_at is null
    ) b
    where b.place <= most_of_tenant order by b.tenant_id, b.place;
end
$function$;

-- Does the same for dispatchers of the previous version, which expand broadcasts in the order of next_at.
create or replace function due_broadcasts(p_moment timestamptz, p_most integer)
returns table (id uuid, channels smallint) language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $function$
#variable_conflict use_column
declare
  moment constant timestamptz := coalesce(p_moment, clock_timestamp());
begin
  return query
    select b.id, b.channels from broadcasts b
    where b.next_at <= moment and b.cancel_asked_at is null order by b.next_at limit p_most;
end
$function$;

-- Advances a due broadcast: expands its next chunk, waits for earlier chunks, pauses it, or ends its expansion.
-- p_channels are the channels that the broadcast asks for, and p_provided are those of them that need a provider.
-- Broadcasts may use p_day_share of the tenant's daily cap. p_moment is for tests; null means now. Returns the new
-- events, which the caller must publish; one row without an event if only the broadcast changed; no row if the
-- broadcast has to wait or another replica has locked it.
--
-- Locks the tenant's row of tenant_limits first, as accept_events does, then the broadcast.
create or replace function expand_broadcast(
  p_id uuid, p_channels text[], p_provided text[], p_day_share double precision, p_moment timestamptz
) returns table (event_id uuid, tenant_id text, trace_id text)
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $function$
#variable_conflict use_column
declare
  most_people constant integer := 200;
  moment timestamptz;
  today date;
  owner record;
  broadcast broadcasts%rowtype;
  channels text[];
  hidden boolean;
  why text;
  again_at timestamptz;
  size integer := most_people;
  used integer;
  room integer;
  walked text[];
  people text[];
  first_id text;
  ids uuid[];
begin
  select l.tenant_id, l.day, l.day_total into owner
  from tenant_limits l
  where l.tenant_id = (select b.tenant_id from broadcasts b where b.id = p_id)
  for update;
  moment := coalesce(p_moment, clock_timestamp());
  today := (moment at time zone 'UTC')::date;
  select * into broadcast from broadcasts b
  where b.id = p_id and b.next_at <= moment and b.cancel_asked_at is null for update skip locked;
  if not found or not pg_try_advisory_xact_lock_shared(people_lock(broadcast.tenant_id)) then return; end if;
  -- A tenant has at most one chunk in dispatch, over all its broadcasts, so that nobody waits behind more than one of
  -- its chunks in the bulk lane. Broadcasts that wait stay due, and the one that has waited longest makes the next
  -- chunk.
  if exists (
      select from (
        select k.event_ids from broadcasts b
        cross join lateral (
          select k.event_ids, k.created_at from broadcast_chunks k
          where k.broadcast_id = b.id order by k.number desc limit 1) k
        where b.tenant_id = broadcast.tenant_id and b.ended_at is null and k.created_at > moment - interval '60 seconds'
        order by k.created_at desc limit 1) k
      cross join lateral unnest(k.event_ids) u (id)
      cross join lateral (select from undispatched_events o where o.event_id = u.id limit 1) o)
  then return; end if;

  -- Checks the templates again for each chunk, because a person may have changed them.
  select array_agg(x.channel) filter (
           where x.active and x.channel = any (p_channels)
             and (t.delivery_channels = '{}' or x.channel = any (t.delivery_channels))),
         bool_or(x.sensitive)
  into channels, hidden
  from templates x
  cross join lateral (select t.delivery_channels from tenants t where t.id = broadcast.tenant_id limit 1) t
  where x.tenant_id = case when starts_with(broadcast.event_type, 'global.') then 'platform' else broadcast.tenant_id end
    and x.event_type = broadcast.event_type;
  why := case
    when not exists (select from tenants t where t.id = broadcast.tenant_id and t.active) then '#tenant-inactive'
    when hidden then '#broadcast-sensitive'
    when channels is null then '#no-template' end;
  channels := array(
    select c.channel from unnest(channels) c (channel)
    where c.channel <> all (p_provided) or exists (
      select from providers p where p.tenant_id = broadcast.tenant_id and p.channel = c.channel and p.active));
  if channels = '{}' or broadcast.provider_id is not null and not exists (
      select from providers p where p.id = broadcast.provider_id and p.active) then
    why := coalesce(why, '#no-provider');
  end if;

  if why is null then
    select p.daily_cap, case when owner.day >= today then owner.day_total else 0 end
    into room, used from tenants p where p.id = broadcast.tenant_id;
    room := floor(room * p_day_share) - used;
    if room <= 0 then
      why := '#broadcast-daily-cap';
      -- The broadcast continues by itself on the next day.
      again_at := (today + 1)::timestamp at time zone 'UTC';
    end if;
  end if;
  if why is not null then
    update broadcasts b set state = 'paused', reason = why, next_at = again_at where b.id = p_id;
    tenant_id := broadcast.tenant_id;
    return next;
    return;
  end if;

  select least(most_people, min(coalesce(p.max_per_second, broadcasts_without_rate()))) into size
  from unnest(channels) c (channel)
  cross join lateral broadcast_provider(broadcast.tenant_id, c.channel, broadcast.provider_id) p
  where c.channel = any (p_provided);
  -- A broadcast that has at least a chunk of due deliveries on a channel waits until they are released.
  if exists (
      select from unnest(channels) c (channel)
      cross join lateral (
        select from deliveries d
        where d.channel = c.channel and d.tenant_id = broadcast.tenant_id and d.broadcast_id = p_id
          and d.released_at is null and d.status in ('queued', 'waiting') and d.due_at <= moment
        order by d.due_at offset size - 1 limit 1) d)
  then
    update broadcasts b
    set state = 'running', reason = null, started_at = coalesce(b.started_at, moment),
        next_at = moment + interval '250 milliseconds'
    where b.id = p_id;
    return;
  end if;

  size := least(size, room);
  if broadcast.topics is null then
    walked := array(
      select p.user_id from broadcast_people p
      where p.broadcast_id = p_id and not p.is_excepted and p.user_id > broadcast.reached
      order by p.user_id limit size);
  else
    walked := array(
      select distinct m.user_id from unnest(broadcast.topics) t (topic)
      cross join lateral (
        select x.key from topics x
        where x.tenant_id = broadcast.tenant_id and x.key = t.topic and x.deleted_at is null limit 1
      ) x
      cross join lateral (
        select m.user_id from topic_members m
        where m.tenant_id = broadcast.tenant_id and m.topic = x.key and m.user_id > broadcast.reached
        order by m.user_id limit size
      ) m
      order by m.user_id limit size);
  end if;
  people := array(
    select w.user_id from unnest(walked) w (user_id)
    where not exists (
      select from broadcast_people p where p.broadcast_id = p_id and p.is_excepted and p.user_id = w.user_id));
  -- All ids are UUIDv7 of the same moment, so their order means nothing.
  first_id := left(id_of_now()::text, 15);
  ids := array(
    select overlay(gen_random_uuid()::text placing first_id from 1 for 15)::uuid
    from generate_series(1, cardinality(people)));

  insert into events (id, tenant_id, event_type, user_id, channels, variables, trace_id, accepted_at, locale, broadcast_id)
    select u.id, broadcast.tenant_id, broadcast.event_type, u.user_id, broadcast.channels,
           broadcast_variables(p_id), broadcast.trace_id, moment, broadcast.locale, p_id
    from unnest(ids, people) u (id, user_id);
  insert into undispatched_events (event_id, published_at, user_key, accepted_at)
    select u.id, moment, user_key(broadcast.tenant_id, u.user_id), moment from unnest(ids, people) u (id, user_id);
  if cardinality(ids) > 0 then
    insert into broadcast_chunks (broadcast_id, number, event_ids, count_at, created_at)
    values (p_id, broadcast.chunks + 1, ids, moment + interval '10 seconds', moment);
    update tenant_limits l
    set day = greatest(l.day, today), day_total = used + cardinality(ids) where l.tenant_id = broadcast.tenant_id;
  end if;
  update broadcasts b
  set state = 'running', reason = null, started_at = coalesce(b.started_at, moment),
      reached = coalesce(walked[cardinality(walked)], b.reached), expanded = b.expanded + cardinality(ids),
      chunks = b.chunks + (cardinality(ids) > 0)::integer, is_expanded = cardinality(walked) < size,
      total = case when cardinality(walked) < size then b.expanded + cardinality(ids)
                   else greatest(b.total, b.expanded + cardinality(ids)) end,
      next_at = case when cardinality(walked) = size then moment end
  where b.id = p_id;
  perform end_broadcast(p_id, moment);
  tenant_id := broadcast.tenant_id;
  trace_id := broadcast.trace_id;
  foreach event_id in array ids loop
    return next;
  end loop;
  if ids = '{}' then return next; end if;
end
$function$;

-- Returns the text that a broadcast's event has in place of its variables: see broadcast-variables.ts.
create or replace function broadcast_variables(p_broadcast uuid) returns text
language sql immutable parallel safe as $function$
  select 'broadcast ' || p_broadcast
$function$;
