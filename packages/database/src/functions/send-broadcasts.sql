-- Selects deliveries of broadcasts that may be released. The broadcasts of a tenant share the limit of each provider.

-- Returns the provider that sends a broadcast's deliveries on a channel: the active one that the broadcast names, else
-- the tenant's first active one, if possible one whose circuit is closed. Null if the tenant has no active one.
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

-- Returns the messages per second that are assumed for a provider without a configured rate.
create or replace function broadcasts_without_rate() returns integer language sql immutable parallel safe as $function$
  select 20
$function$;

-- Returns and locks the tenant's due deliveries of broadcasts that may be released now, at most p_most. Each provider
-- has its own limit, which its broadcasts share. Skips broadcasts that are paused or being cancelled. The caller holds
-- the channel's release_lock and releases the deliveries.
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
    -- A person may replay deliveries of a broadcast that is already cancelled: they are released, and end when claimed.
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

-- Returns the due deliveries of these broadcasts that may be released for one provider now, at most p_most. Each
-- broadcast has the same share, beginning with the one after the last that got deliveries.
--
-- At most half a second of the provider's configured rate may be outstanding. Of these, at most half a second of the
-- rate that the provider really reaches may wait for a sender, because a login code that is sent now waits behind them.
-- Nothing is released while calls to the provider are reserved for more than half a second ahead. Senders reserve calls
-- a second ahead, so a single event always finds one.
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
  -- So many may wait for a sender even if the provider is slow, so that a broadcast can begin and become faster.
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
  -- Decaying average of calls per second: an ended call counts as 1, and a second later as 1/e.
  taken := known.ended + coalesce(
    lane.taken * exp(-least(30, greatest(0, extract(epoch from p_moment - lane.looked_at)::double precision))), 0);
  room := case
    when p_max_per_second is null then broadcasts_without_rate()
    when exists (select from provider_sends s where s.provider_id = p_provider and s.next_at > p_moment + ahead) then 0
    else greatest(1, p_max_per_second / 2) end;
  room := least(p_most, room - cardinality(known.outstanding),
    greatest(least_waiting, floor(taken / 2)::integer) - known.unclaimed);

  -- Begins after the broadcast that got the last delivery (turn_of).
  waiting := array(
    select b.id from unnest(p_broadcasts) b (id) order by coalesce(b.id <= lane.turn_of, false), b.id);
  -- A broadcast without further due deliveries drops out, and the others share its room in the next round.
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
