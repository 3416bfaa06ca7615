-- Returns the places of users with a device, from 1. Arrays are parallel.
create or replace function users_with_devices(p_tenants text[], p_users text[]) returns setof integer
language sql stable
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $function$
  select i.place::integer from unnest(p_tenants, p_users) with ordinality i (tenant_id, user_id, place)
  where exists (
    select from devices d
    where d.tenant_id = i.tenant_id and d.user_id = i.user_id and coalesce(d.ends_at, 'infinity') > clock_timestamp())
$function$;

-- Takes the devices of deliveries that this sender has claimed. The first call for a delivery inserts a row for each
-- device that the user has at that moment; later calls do not add devices. A device that is no longer the user's is
-- skipped. Rows that wait, or whose sender died, become `sending`. Returns all rows of the deliveries; `token` is null
-- for devices that must not be called. Arrays are parallel.
create or replace function take_devices(p_deliveries uuid[], p_tenants text[], p_users text[]) returns table (
  delivery_id uuid, device_id text, kind text, state text, id uuid, token text, registered_at timestamptz,
  ttl_seconds integer
) language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $function$
#variable_conflict use_column
begin
  insert into device_sends (delivery_id, device_id, kind)
  select i.delivery_id, d.device_id, d.kind
  from unnest(p_deliveries, p_tenants, p_users) i (delivery_id, tenant_id, user_id)
  cross join lateral (
    select * from devices d
    where d.tenant_id = i.tenant_id and d.user_id = i.user_id and coalesce(d.ends_at, 'infinity') > clock_timestamp()
    offset 0
  ) d
  where not exists (select from device_sends s where s.delivery_id = i.delivery_id offset 0)
  on conflict do nothing;
  return query
    with mine as materialized (
      select s.delivery_id, s.device_id, s.kind, s.state, d.id, d.kind as kind_now, d.token, d.registered_at
      from unnest(p_deliveries, p_tenants, p_users) i (delivery_id, tenant_id, user_id)
      cross join lateral (select * from device_sends s where s.delivery_id = i.delivery_id offset 0) s
      left join lateral (
        select * from devices d
        where d.tenant_id = i.tenant_id and d.user_id = i.user_id and d.device_id = s.device_id
          and coalesce(d.ends_at, 'infinity') > clock_timestamp()
        limit 1
      ) d on s.state in ('waiting', 'sending')
    ),
    taken as (
      update device_sends s
      set state = case when m.id is null then 'skipped' else 'sending' end, kind = coalesce(m.kind_now, s.kind),
          reason = case when m.id is null then '#device-gone' end, tried_at = clock_timestamp()
      from mine m
      -- The array makes plans use the index, also those that were made while the table was empty.
      where s.delivery_id = any (p_deliveries) and s.delivery_id = m.delivery_id and s.device_id = m.device_id
        and m.state in ('waiting', 'sending')
    )
    select m.delivery_id, m.device_id, coalesce(m.kind_now, m.kind),
           case when m.state not in ('waiting', 'sending') then m.state when m.id is null then 'skipped' else 'sending' end,
           m.id, m.token, m.registered_at, (
             select greatest(1, ceil(extract(epoch from d.expires_at - clock_timestamp())))::integer
             from deliveries d where d.id = m.delivery_id limit 1)
    from mine m;
end
$function$;

-- Stores the results of calls for devices. Deletes devices whose vendor does not know them any more (`gone`), unless
-- they were registered again meanwhile (then they have another id), and tells the tenant's endpoints. Arrays are
-- parallel.
create or replace function settle_devices(
  p_deliveries uuid[], p_devices text[], p_states text[], p_reasons text[], p_vendor_statuses text[],
  p_providers uuid[], p_ids uuid[]
) returns void language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $function$
declare
  gone record;
begin
  update device_sends s
  set state = i.state, reason = i.reason, vendor_status = i.vendor_status, provider_id = i.provider_id
  from unnest(p_deliveries, p_devices, p_states, p_reasons, p_vendor_statuses, p_providers)
    i (delivery_id, device_id, state, reason, vendor_status, provider_id)
  where s.delivery_id = any (p_deliveries) and s.delivery_id = i.delivery_id and s.device_id = i.device_id
    and s.state = 'sending';
  -- In one order, as in put_device, so that no two calls deadlock.
  perform 1 from devices d
  where d.id = any (array(select i.id from unnest(p_ids, p_states) i (id, state) where i.state in ('accepted', 'gone')))
  order by d.id for update;
  update devices d set seen_at = clock_timestamp()
  where d.id = any (array(select i.id from unnest(p_ids, p_states) i (id, state) where i.state = 'accepted'))
    and coalesce(d.seen_at, '-infinity') < clock_timestamp() - interval '1 day';
  for gone in
    delete from devices d
    where d.id = any (array(select i.id from unnest(p_ids, p_states) i (id, state) where i.state = 'gone'))
    returning d.*
  loop
    perform tell_webhooks(gone.tenant_id, 'device.gone', null, gone.user_id, clock_timestamp(), json_build_object(
      'userId', gone.user_id, 'deviceId', gone.device_id, 'kind', gone.kind, 'occurredAt', iso_time(clock_timestamp())));
  end loop;
end
$function$;

-- Stores a device of a user. A device of another user or id with the same token is deleted: the token moves. Each
-- registration has an id of its own, for which its token is encrypted, so a result for an earlier registration does not
-- delete the device. Tells the tenant's endpoints of a new one. Beyond p_most devices, those that were not registered
-- again for longest are deleted, first those that end, so that a stolen realtime token does not push out phones. Waits
-- for other registrations of the same user or token.
create or replace function put_device(
  p_id uuid, p_tenant text, p_user text, p_device text, p_kind text, p_token text, p_hash text, p_name text, p_most integer
) returns void language plpgsql volatile
set enable_seqscan = off
as $function$
declare
  moment constant timestamptz := clock_timestamp();
  is_new boolean;
begin
  -- In one order, so that two registrations do not deadlock.
  perform pg_advisory_xact_lock(k.key) from (
    select distinct hashtextextended(k.text, 0) as key
    from unnest(array['belfry devices of ' || p_tenant || ' ' || p_user, 'belfry device token ' || p_tenant || ' ' || p_hash])
      k (text)
    order by 1
  ) k;
  perform 1 from devices d
  where d.id = any (array(
    select o.id from devices o where o.tenant_id = p_tenant and o.token_hash = p_hash
    union all
    select o.id from devices o where o.tenant_id = p_tenant and o.user_id = p_user))
  order by d.id for update;
  delete from devices d
  where d.tenant_id = p_tenant and d.token_hash = p_hash and (d.user_id, d.device_id) <> (p_user, p_device);
  insert into devices as o (id, tenant_id, user_id, device_id, kind, token, token_hash, name, registered_at)
  values (p_id, p_tenant, p_user, p_device, p_kind, p_token, p_hash, p_name, moment)
  on conflict (tenant_id, user_id, device_id) do update
  set id = excluded.id, kind = excluded.kind, token = excluded.token, token_hash = excluded.token_hash,
      name = excluded.name, registered_at = excluded.registered_at, ends_at = null,
      seen_at = case when o.token_hash = excluded.token_hash then o.seen_at end
  returning xmax = 0 into is_new;
  if is_new then
    perform tell_webhooks(p_tenant, 'device.added', null, p_user, moment, json_build_object(
      'userId', p_user, 'deviceId', p_device, 'kind', p_kind, 'occurredAt', iso_time(moment)));
  end if;
  delete from devices d
  where d.id = any (array(
    select o.id from devices o where o.tenant_id = p_tenant and o.user_id = p_user
    order by o.id = p_id desc, o.ends_at is null desc, o.registered_at desc, o.id desc offset p_most));
end
$function$;

-- Deletes the devices of a user and returns their number. Waits for registrations of the user, which change the ids of
-- devices and so the order in which they are locked.
create or replace function delete_devices(p_tenant text, p_user text) returns integer language plpgsql volatile
set enable_seqscan = off
as $function$
declare
  deleted integer;
begin
  perform pg_advisory_xact_lock(hashtextextended('belfry devices of ' || p_tenant || ' ' || p_user, 0));
  perform 1 from devices d where d.tenant_id = p_tenant and d.user_id = p_user order by d.id for update;
  delete from devices d where d.tenant_id = p_tenant and d.user_id = p_user;
  get diagnostics deleted = row_count;
  return deleted;
end
$function$;
