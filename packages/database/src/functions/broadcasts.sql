-- Broadcasts: one event to many people, expanded a chunk at a time. A chunk's events and the place that it has reached
-- (broadcasts.reached) are written in one transaction, so nobody gets it twice and nobody is left out, whoever dies.

-- The key of a broadcast's advisory lock. Transactions that dispatch or claim something of the broadcast hold it shared;
-- a cancel takes it exclusively before it answers.
create or replace function broadcast_lock(p_broadcast uuid) returns bigint
language sql immutable as $function$
  select hashtextextended('belfry broadcast ' || p_broadcast, 0)
$function$;

-- A chunk holds this shared; an erasure takes it exclusively while it takes the user out of topics and lists. So either
-- the chunk does not know the user any more, or the erasure finds the event.
create or replace function people_lock(p_tenant text) returns bigint
language sql immutable as $function$
  select hashtextextended('belfry people ' || p_tenant, 0)
$function$;

-- Returns the cancelled ones of these broadcasts. No cancel of the others is answered before the transaction ends.
create or replace function cancelled_broadcasts(p_ids uuid[]) returns uuid[] language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $function$
begin
  perform pg_advisory_xact_lock_shared(broadcast_lock(u.id))
  from (select distinct id from unnest(p_ids) u (id) where id is not null order by id) u;
  return array(
    select b.id from unnest(p_ids) u (id)
    cross join lateral (
      select b.id from broadcasts b where b.id = u.id and b.cancel_asked_at is not null limit 1
    ) b);
end
$function$;

-- Returns those of the broadcasts that name a provider of the channel, with the providers; null if none does.
create or replace function named_providers(p_ids uuid[], p_channel text, out broadcasts uuid[], out providers uuid[])
language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $function$
begin
  select array_agg(b.id), array_agg(b.provider_id) into broadcasts, providers
  from (select distinct id from unnest(p_ids) u (id)) u
  cross join lateral (
    select * from broadcasts b where b.id = u.id and b.provider_id is not null and b.provider_channel = p_channel limit 1) b;
end
$function$;

-- Takes the events of cancelled broadcasts out of a batch that is being dispatched, whose rows in undispatched_events are
-- locked: they end as cancelled. Returns the others.
create or replace function without_cancelled(p_events uuid[], p_broadcasts uuid[]) returns uuid[]
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $function$
declare
  cancelled constant uuid[] := cancelled_broadcasts(p_broadcasts);
  moment constant timestamptz := clock_timestamp();
  gone uuid[];
begin
  if cancelled = '{}' then return p_events; end if;
  with ended as (
    update events e set cancel_asked_at = moment, cancelled_at = moment
    where e.id = any (p_events) and e.broadcast_id = any (cancelled)
    returning e.id
  )
  select coalesce(array_agg(x.id), '{}') into gone from ended x;
  delete from undispatched_events u where u.event_id = any (gone);
  return array(select u.id from unnest(p_events) u (id) where u.id <> all (gone));
end
$function$;

-- The provider that takes a broadcast's deliveries of a channel: the one that the broadcast names, else the tenant's first
-- one whose circuit is closed. Null: the tenant has no active one.
create or replace function broadcast_provider(
  p_tenant text, p_channel text, p_named uuid, out provider_id uuid, out max_per_second integer
) language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $function$
begin
  select p.id, p.max_per_second into provider_id, max_per_second from providers p
  where p.tenant_id = p_tenant and p.channel = p_channel and p.active
  order by p.id = p_named is true desc,
    exists (select from provider_circuits c where c.provider_id = p.id), p.position, p.id
  limit 1;
end
$function$;

-- How fast a broadcast is taken to go through a provider that has no rate.
create or replace function broadcasts_without_rate() returns integer language sql immutable parallel safe as $function$
  select 20
$function$;

-- The tenant's due deliveries of broadcasts that may leave now, at most p_most. Locks them. Each provider has its own room,
-- which its broadcasts share in turn. Nothing leaves of paused and cancelled broadcasts. The caller holds the channel's
-- release_lock and releases the deliveries.
create or replace function broadcast_deliveries(
  p_channel text, p_tenant text, p_moment timestamptz, p_most integer, out ids uuid[], out is_capped boolean
) language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $function$
declare
  broadcast uuid := '00000000-0000-0000-0000-000000000000';
  one record;
  due uuid[] := '{}';
  named uuid[] := '{}';
  lane record;
  lanes_left integer;
  leaving record;
begin
  ids := '{}';
  is_capped := false;
  loop
    -- A loose index scan: the next broadcast with waiting deliveries.
    broadcast := (
      select d.broadcast_id from deliveries d
      where d.channel = p_channel and d.tenant_id = p_tenant and d.released_at is null
        and d.status in ('queued', 'waiting') and d.broadcast_id > broadcast
      order by d.broadcast_id limit 1);
    exit when broadcast is null;
    -- A person may replay deliveries of a cancelled broadcast that has ended: they leave, and end when they are claimed.
    select b.state, case when b.provider_channel = p_channel then b.provider_id end as named into one
    from broadcasts b where b.id = broadcast;
    continue when one.state in ('paused', 'cancelling');
    continue when not exists (
      select from deliveries d
      where d.channel = p_channel and d.tenant_id = p_tenant and d.broadcast_id = broadcast
        and d.released_at is null and d.status in ('queued', 'waiting') and d.due_at <= p_moment
      limit 1);
    due := due || broadcast;
    named := named || one.named;
  end loop;
  for lane in
    select p.provider_id, p.max_per_second, array_agg(d.id) as broadcasts, count(*) over () as lanes
    from (select distinct n.id from unnest(named) n (id)) n
    cross join lateral broadcast_provider(p_tenant, p_channel, n.id) p
    join unnest(due, named) d (id, named) on d.named is not distinct from n.id
    group by p.provider_id, p.max_per_second
  loop
    lanes_left := coalesce(lanes_left, lane.lanes);
    leaving := broadcast_turns(p_channel, p_tenant, lane.provider_id, lane.max_per_second, lane.broadcasts, p_moment,
      ceil((p_most - cardinality(ids))::real / lanes_left)::integer);
    ids := ids || leaving.ids;
    is_capped := is_capped or leaving.is_capped;
    lanes_left := lanes_left - 1;
  end loop;
end
$function$;

-- The due deliveries of these broadcasts that may leave for one provider now, at most p_most. Each broadcast has the same
-- share, and the turn goes on from where it was.
--
-- Half a second of the provider's configured rate may be outstanding. No more than half a second of what it really takes
-- waits for a sender: a code that comes now waits behind them. Nothing leaves while the provider's calls are reserved for
-- longer than that. The senders reserve calls a second ahead, so a single event always finds one.
create or replace function broadcast_turns(
  p_channel text, p_tenant text, p_provider uuid, p_max_per_second integer, p_broadcasts uuid[], p_moment timestamptz,
  p_most integer, out ids uuid[], out is_capped boolean
) language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $function$
declare
  ahead constant interval := '500 milliseconds';
  -- Waits for a sender however little the provider takes, so that a broadcast begins and its pace can grow.
  least_waiting constant integer := 2;
  lane record;
  known record;
  taken double precision;
  room integer;
  waiting uuid[];
  broadcast uuid;
  share integer;
  leaving uuid[];
begin
  ids := '{}';
  select s.* into lane from provider_broadcasts s where s.provider_id = p_provider;
  select coalesce(array_agg(d.id) filter (where d.is_outstanding), '{}') as outstanding,
         count(*) filter (where d.is_outstanding and d.status <> 'sending') as unclaimed,
         count(*) filter (where d.settled_at is not null and d.attempts > 0) as ended
  into known
  from unnest(lane.outstanding) u (id)
  cross join lateral (
    select d.*, d.released_at is not null and d.status in ('queued', 'waiting', 'sending') as is_outstanding
    from deliveries d where d.id = u.id limit 1
  ) d;
  -- A call counts fully when it has ended, and a third of it a second later: a rate by the second.
  taken := known.ended + coalesce(
    lane.taken * exp(-least(30, greatest(0, extract(epoch from p_moment - lane.looked_at)::double precision))), 0);
  room := case
    when p_max_per_second is null then broadcasts_without_rate()
    when exists (select from provider_sends s where s.provider_id = p_provider and s.next_at > p_moment + ahead) then 0
    else greatest(1, p_max_per_second / 2) end;
  room := least(p_most, room - cardinality(known.outstanding),
    greatest(least_waiting, floor(taken / 2)::integer) - known.unclaimed);

  waiting := array(
    select b.id from unnest(p_broadcasts) b (id) order by coalesce(b.id <= lane.turn_of, false), b.id);
  while room > 0 and waiting <> '{}' loop
    share := greatest(1, room / cardinality(waiting));
    foreach broadcast in array waiting loop
      exit when room = 0;
      leaving := array(
        select d.id from deliveries d
        where d.channel = p_channel and d.tenant_id = p_tenant and d.broadcast_id = broadcast
          and d.released_at is null and d.status in ('queued', 'waiting') and d.due_at <= p_moment
          and d.id <> all (ids)
        order by d.due_at limit least(share, room) for update skip locked);
      if cardinality(leaving) < least(share, room) then waiting := array_remove(waiting, broadcast); end if;
      continue when leaving = '{}';
      ids := ids || leaving;
      room := room - cardinality(leaving);
      lane.turn_of := broadcast;
    end loop;
  end loop;
  is_capped := waiting <> '{}';
  if p_provider is null or ids = '{}' and known.outstanding = coalesce(lane.outstanding, '{}') then return; end if;
  insert into provider_broadcasts as s (provider_id, turn_of, outstanding, taken, looked_at, taken_at)
  values (p_provider, lane.turn_of, known.outstanding || ids, taken, p_moment,
    case when known.ended > 0 then p_moment else lane.taken_at end)
  on conflict (provider_id) do update
  set turn_of = excluded.turn_of, outstanding = excluded.outstanding, taken = excluded.taken,
      looked_at = excluded.looked_at, taken_at = excluded.taken_at;
end
$function$;

-- Finds due broadcasts, a few of each tenant: those that wait longest first. The caller moves one of each tenant on, then
-- asks again. p_moment is for tests; null: now.
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

-- The same for dispatchers of the version before, which move broadcasts on in the order of next_at.
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

-- Moves a broadcast on that is due: expands its next chunk, waits for those before, pauses, or ends its expansion.
-- p_channels are those that it asks for and p_provided those of them that need a provider. p_day_share of the tenant's
-- daily cap is for broadcasts. p_moment is for tests; null: now. Returns the new events, of which the dispatcher has to
-- be told; one row with no event if only the broadcast moved; none if it has to wait or somebody else holds it.
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
  -- One chunk of a tenant is dispatched at a time, whichever of its broadcasts made it: so nobody waits behind more in the
  -- bulk lane. Those that wait stay due, and the one that has waited longest makes the next chunk.
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

  -- Its templates are judged anew for each chunk: a person may have changed them.
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
      -- Goes on by itself the next day.
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
  -- A broadcast with as many due deliveries as a chunk has waits until they have left.
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
  -- UUIDv7 of one moment: their order among each other says nothing.
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

-- Counts chunks whose time has come, at most p_most, and those of cancelled broadcasts, whose events it cancels first.
-- Ends the broadcasts of which nothing is left to do. Returns how many chunks it counted.
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
  -- Two at a time would wait for each other's broadcasts.
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
    -- A cancel of which a part of the events is not known yet keeps it open.
    counted.is_open := counted.is_open or pending;
    update broadcast_chunks k
    set counts = counted.counts, is_open = counted.is_open, is_cancelled = chunk.is_cancelled,
        count_at = case
          -- An old one is looked at more rarely: many thousands may wait for the end of quiet hours.
          when counted.is_open then coalesce(counted.rests_until, moment + interval '10 seconds' + (moment - k.created_at) / 50)
          -- Receipts come later.
          when moment < k.created_at + interval '10 minutes' then k.created_at + interval '10 minutes'
          when moment < k.created_at + interval '6 hours' then k.created_at + interval '6 hours'
          when moment < k.created_at + interval '3 days' then k.created_at + interval '3 days' end
    where k.broadcast_id = chunk.broadcast_id and k.number = chunk.number;
    update broadcasts b set counts = sum_of_counts(b.counts, counted.counts, chunk.counts)
    where b.id = chunk.broadcast_id;
    if chunk.broadcast_id <> all (touched) then touched := touched || chunk.broadcast_id; end if;
    total := total + 1;
    -- Cancelling takes long: the locks of a call are held for a moment only.
    if chunk.is_cancelled then cancelled := cancelled + cardinality(chunk.event_ids); end if;
    exit when cancelled >= most_cancelled;
  end loop;
  -- A cancelled one may have no open chunk at all.
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
-- when all of those wait (null: some do not). An event that was cancelled as a whole counts once.
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

-- Sums of counts with new ones in place of old ones of a part.
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

-- Ends a broadcast, whose row is locked, if nothing of it is left to expand or to send, and tells webhooks.
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

-- For how long the broadcast stands still that should move and stands still for longest: since another one should have
-- begun, gone on, or been counted. A running one of which not everybody was passed stands still since its newest chunk, or
-- since its provider last took anything of the tenant's broadcasts, which take turns. Looks at p_most of them, those that
-- are due for longest. One that waits for a person, or for its last messages, is not due.
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
    -- A running one is looked at again some milliseconds later.
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
