-- One turn over the tenants that have deliveries due on a channel, from the one after p_after to the last,
-- at most p_most rows. A tenant with a backlog gets more only once a fifth of what it may have outstanding
-- is free: given back one by one, its deliveries would leave in as many messages. One replica at a time:
-- any other gets one row `busy`. Kinds:
--   released  on its way now; publish it       settled   ended as skipped (tenant inactive) or expired
--   capped    the tenant has more than it may   cut      p_most is reached: go on after this tenant
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
  ids uuid[];
  room integer;
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
    -- A loose index scan: the next tenant that has anything at rest.
    owner := (
      select d.tenant_id from deliveries d
      where d.channel = p_channel and d.released_at is null and d.status in ('queued', 'waiting')
        and d.tenant_id > p_after collate "C"
      order by d.tenant_id limit 1);
    exit when owner is null;
    turns := turns + 1;

    if not exists (select 1 from tenants t where t.id = owner and t.active) then
      ids := array(
        select d.id from deliveries d
        where d.channel = p_channel and d.tenant_id = owner and d.released_at is null
          and d.status in ('queued', 'waiting')
        order by d.due_at limit room_left for update skip locked);
      return query
        update deliveries d
        set status = 'skipped', reason = 'tenant inactive', due_at = null, settled_at = moment
        where d.id = any (ids)
        returning 'settled', d.tenant_id, d.id, d.event_id, null::text;
      room_left := room_left - cardinality(ids);
      continue;
    end if;

    continue when not exists (
      select 1 from deliveries d
      where d.channel = p_channel and d.tenant_id = owner and d.released_at is null
        and d.status in ('queued', 'waiting') and d.due_at <= moment
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
        and d.status in ('queued', 'waiting') and d.due_at <= moment
      order by d.due_at limit room for update skip locked);
    room_left := room_left - cardinality(ids);
    return query
      update deliveries d
      set status = case when d.expires_at <= moment then 'expired' else d.status end,
          reason = case when d.expires_at <= moment then 'expired before it was sent' else d.reason end,
          due_at = case when d.expires_at <= moment then null else d.due_at end,
          settled_at = case when d.expires_at <= moment then moment end,
          released_at = case when d.expires_at <= moment then null else moment end
      where d.id = any (ids)
      returning case when d.status = 'expired' then 'settled' else 'released' end,
        d.tenant_id, d.id, d.event_id, (select e.trace_id from events e where e.id = d.event_id);
    if cardinality(ids) >= room then
      return query select 'capped', owner, null::uuid, null::uuid, null::text;
    end if;
  end loop;
end
$function$;

-- Stamps anew what was released before p_older_than and reached no sender, or whose sender died; settles those
-- of inactive tenants. Kinds: released, settled, busy.
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
      and (d.status in ('queued', 'waiting') or d.status = 'sending' and d.claimed_until <= moment)
    limit p_most for update skip locked);
  return query
    update deliveries d
    set status = 'skipped', reason = 'tenant inactive', due_at = null, released_at = null,
        settled_at = moment
    where d.id = any (ids) and d.status in ('queued', 'waiting')
      and not exists (select 1 from tenants t where t.id = d.tenant_id and t.active)
    returning 'settled', d.tenant_id, d.id, d.event_id, null::text;
  return query
    update deliveries d set released_at = moment
    where d.id = any (ids) and d.released_at is not null
    returning 'released', d.tenant_id, d.id, d.event_id,
      (select e.trace_id from events e where e.id = d.event_id);
end
$function$;
