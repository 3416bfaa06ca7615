-- Releases due deliveries of a channel, tenant by tenant, beginning with the first tenant id after p_after, at most
-- p_most rows. A tenant with a backlog gets more only once a fifth of its allowed outstanding deliveries is free,
-- because deliveries that are released one by one need one NATS message each. One replica works at a time: any other
-- gets one row `busy`. Kinds:
--   released  released now: the caller publishes it     settled   ended as skipped (tenant inactive) or expired
--   capped    the tenant may have more due deliveries   cut       a limit of the call is reached: continue after it
-- Deliveries of broadcasts are released after the tenant's others, see broadcast_deliveries. Messages of status
-- webhooks that are held for their endpoint get the room that is left, and at least half of it.
create or replace function release_deliveries(p_channel text, p_in_flight integer, p_after text, p_most integer)
returns table (kind text, tenant_id text, delivery_id uuid, event_id uuid, trace_id text)
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $function$
#variable_conflict use_column
declare
  most_tenants constant integer := 500;
  moment constant timestamptz := clock_timestamp();
  room_left integer := p_most;
  turns integer := 0;
  owner text := p_after;
  endpoints uuid[] := '{}';
  ids uuid[];
  room integer;
  is_capped boolean;
  of_broadcasts record;
begin
  if not pg_try_advisory_xact_lock(release_lock(p_channel, '')) then
    return query select 'busy', null::text, null::uuid, null::uuid, null::text;
    return;
  end if;
  loop
    p_after := owner;
    if room_left <= 0 or turns >= most_tenants then
      return query select 'cut', p_after, null::uuid, null::uuid, null::text;
      exit;
    end if;
    -- A loose index scan: the next tenant with waiting deliveries.
    owner := (
      select o.tenant_id from (
        (select d.tenant_id from deliveries d
         where d.channel = p_channel and d.released_at is null and d.status in ('queued', 'waiting')
           and d.broadcast_id is null and d.tenant_id > p_after collate "C"
         order by d.tenant_id limit 1)
        union all
        (select d.tenant_id from deliveries d
         where d.channel = p_channel and d.released_at is null and d.status in ('queued', 'waiting')
           and d.broadcast_id is not null and d.tenant_id > p_after collate "C"
         order by d.tenant_id limit 1)) o
      order by o.tenant_id limit 1);
    exit when owner is null;
    turns := turns + 1;

    if not exists (select 1 from tenants t where t.id = owner and t.active) then
      ids := array(
        select d.id from deliveries d
        where d.channel = p_channel and d.tenant_id = owner and d.released_at is null
          and d.status in ('queued', 'waiting') and d.broadcast_id is null
        order by d.due_at limit room_left for update skip locked);
      ids := ids || array(
        select d.id from deliveries d
        where d.channel = p_channel and d.tenant_id = owner and d.released_at is null
          and d.status in ('queued', 'waiting') and d.broadcast_id is not null
        limit room_left - cardinality(ids) for update skip locked);
      return query
        update deliveries d
        set status = 'skipped', reason = '#tenant-inactive', due_at = null, held_for = null, settled_at = moment
        where d.id = any (ids)
        returning 'settled', d.tenant_id, d.id, d.event_id, null::text;
      room_left := room_left - cardinality(ids);
      continue;
    end if;

    if p_channel = 'WEBHOOK' then endpoints := endpoints_to_call(owner); end if;
    continue when endpoints = '{}' and not exists (
      select 1 from deliveries d
      where d.channel = p_channel and d.tenant_id = owner and d.released_at is null
        and d.status in ('queued', 'waiting') and d.broadcast_id is null and d.due_at <= moment
      limit 1) and not exists (
      select 1 from deliveries d
      where d.channel = p_channel and d.tenant_id = owner and d.released_at is null
        and d.status in ('queued', 'waiting') and d.broadcast_id is not null
      limit 1);
    if not pg_try_advisory_xact_lock(release_lock(p_channel, owner)) then
      return query select 'capped', owner, null::uuid, null::uuid, null::text;
      continue;
    end if;
    room := p_in_flight - outstanding(p_channel, owner, p_in_flight);
    if room < greatest(1, p_in_flight / 5) then
      return query select 'capped', owner, null::uuid, null::uuid, null::text;
      continue;
    end if;
    room := least(room, room_left);
    ids := array(
      select d.id from deliveries d
      where d.channel = p_channel and d.tenant_id = owner and d.released_at is null
        and d.status in ('queued', 'waiting') and d.broadcast_id is null and d.due_at <= moment
      order by d.due_at limit case when endpoints = '{}' then room else room - room / 2 end for update skip locked);
    if endpoints <> '{}' then
      ids := ids || held_messages(owner, endpoints, ids, p_in_flight, room - cardinality(ids));
    end if;
    is_capped := cardinality(ids) >= room;
    if not is_capped then
      of_broadcasts := broadcast_deliveries(p_channel, owner, moment, room - cardinality(ids));
      ids := ids || of_broadcasts.ids;
      is_capped := of_broadcasts.is_capped;
    end if;
    room_left := room_left - cardinality(ids);
    return query
      update deliveries d
      set status = case when d.expires_at <= moment then 'expired' else d.status end,
          reason = case when d.expires_at <= moment then '#expired-in-turn' else d.reason end,
          due_at = case when d.expires_at <= moment then null else coalesce(d.due_at, moment) end,
          held_for = null,
          settled_at = case when d.expires_at <= moment then moment end,
          released_at = case when d.expires_at <= moment then null else moment end
      where d.id = any (ids)
      returning case when d.status = 'expired' then 'settled' else 'released' end,
        d.tenant_id, d.id, d.event_id,
        (select e.trace_id || coalesce(' ' || e.trace_parent, '') from events e where e.id = d.event_id);
    if is_capped or endpoints <> '{}' then
      return query select 'capped', owner, null::uuid, null::uuid, null::text;
    end if;
  end loop;
end
$function$;

-- Returns the tenant's endpoints whose held messages may be released: the endpoint is not paused, its pause is over, or
-- it is disabled or deleted and the messages end as skipped. Costs one look-up per endpoint with held messages.
create or replace function endpoints_to_call(p_tenant text) returns uuid[] language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
as $function$
declare
  moment constant timestamptz := clock_timestamp();
  endpoint uuid := '00000000-0000-0000-0000-000000000000';
  endpoints uuid[] := '{}';
begin
  loop
    endpoint := (
      select d.held_for from deliveries d
      where d.tenant_id = p_tenant and d.held_for > endpoint and d.released_at is null
        and d.status in ('queued', 'waiting')
      order by d.held_for limit 1);
    exit when endpoint is null;
    if not exists (
      select from webhooks w
      where w.id = endpoint and w.tenant_id = p_tenant and w.active and w.paused_until > moment
    ) then endpoints := endpoints || endpoint; end if;
  end loop;
  return endpoints;
end
$function$;

-- Returns and locks held messages of these endpoints, the oldest first, at most p_most. An endpoint whose pause is over
-- gets one message as a probe, and none while another message is in flight to it or about to be (p_leaving). Any other
-- endpoint has at most at_a_time messages in flight, as many as its calls can handle.
create or replace function held_messages(
  p_tenant text, p_endpoints uuid[], p_leaving uuid[], p_in_flight integer, p_most integer
) returns uuid[] language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
as $function$
declare
  at_a_time constant integer := 32;
  on_their_way constant uuid[] := array(
    select m.webhook_id from (
      (select d.event_id from deliveries d
       where d.channel = 'WEBHOOK' and d.tenant_id = p_tenant and d.released_at is not null
         and d.status in ('queued', 'waiting', 'sending')
       limit p_in_flight)
      union all
      select d.event_id from deliveries d where d.id = any (p_leaving)) d
    cross join lateral (select m.webhook_id from webhook_messages m where m.id = d.event_id limit 1) m);
  endpoint uuid;
  share integer;
  ids uuid[] := '{}';
begin
  foreach endpoint in array p_endpoints loop
    share := case when exists (
      select from webhooks w
      where w.id = endpoint and w.tenant_id = p_tenant and w.active and w.paused_until is not null
    ) then 1 else at_a_time end;
    share := least(share - cardinality(array_positions(on_their_way, endpoint)), p_most - cardinality(ids));
    continue when share <= 0;
    ids := ids || array(
      select d.id from deliveries d
      where d.tenant_id = p_tenant and d.held_for = endpoint and d.released_at is null
        and d.status in ('queued', 'waiting')
      order by d.id limit share for update skip locked);
  end loop;
  return ids;
end
$function$;

-- Returns whether release_again would find a delivery.
create or replace function has_unclaimed(p_channel text, p_older_than interval) returns boolean
language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
as $function$
declare
  moment constant timestamptz := clock_timestamp();
begin
  return exists (
    select from deliveries d
    where d.channel = p_channel and d.released_at <= moment - p_older_than
      and (d.status in ('queued', 'waiting') or d.status = 'sending' and d.claimed_until <= moment - left_to_jetstream())
    limit 1);
end
$function$;

-- Returns how long a delivery is left to JetStream after the end of a lease. It redelivers a dead sender's messages.
create or replace function left_to_jetstream() returns interval language sql immutable parallel safe as $function$
  select interval '10 seconds'
$function$;

-- Releases again the deliveries that were released more than p_older_than ago and that no sender claimed, or whose
-- sender died; settles those of inactive tenants. Kinds: released, settled, busy.
create or replace function release_again(p_channel text, p_older_than interval, p_most integer)
returns table (kind text, tenant_id text, delivery_id uuid, event_id uuid, trace_id text)
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $function$
#variable_conflict use_column
declare
  moment constant timestamptz := clock_timestamp();
  ids uuid[];
begin
  if not pg_try_advisory_xact_lock(release_lock(p_channel, '')) then
    return query select 'busy', null::text, null::uuid, null::uuid, null::text;
    return;
  end if;
  ids := array(
    select d.id from deliveries d
    where d.channel = p_channel and d.released_at <= moment - p_older_than
      and (d.status in ('queued', 'waiting') or d.status = 'sending' and d.claimed_until <= moment - left_to_jetstream())
    limit p_most for update skip locked);
  return query
    update deliveries d
    set status = 'skipped', reason = '#tenant-inactive', due_at = null, released_at = null,
        settled_at = moment
    where d.id = any (ids) and d.status in ('queued', 'waiting')
      and not exists (select 1 from tenants t where t.id = d.tenant_id and t.active)
    returning 'settled', d.tenant_id, d.id, d.event_id, null::text;
  return query
    update deliveries d set released_at = moment
    where d.id = any (ids) and d.released_at is not null
    returning 'released', d.tenant_id, d.id, d.event_id,
      (select e.trace_id || coalesce(' ' || e.trace_parent, '') from events e where e.id = d.event_id);
end
$function$;
