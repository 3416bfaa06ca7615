-- Returns the slot of a user in realtime_resets.
create or replace function realtime_slot(p_tenant text, p_user text) returns bytea
language sql stable parallel safe as $function$
  select substr(sha256(convert_to(p_tenant || ' ' || p_user, 'UTF8')), 1, 2)
$function$;

-- Invalidates every position that clients have in these users' channels.
create or replace function reset_slots(p_tenants text[], p_users text[]) returns void language sql volatile as $function$
  insert into realtime_resets as r (slot, resets)
  select distinct realtime_slot(u.tenant_id, u.user_id), 1 from unnest(p_tenants, p_users) u (tenant_id, user_id)
  order by 1
  on conflict (slot) do update set resets = r.resets + 1
$function$;

-- Deletes realtime channels with their remaining notifications; if p_empty is set, only channels without notifications.
-- It locks the channels' rows, as dispatch_events does while it assigns offsets, so that no notification remains
-- without its channel. Returns the numbers of deleted rows.
create or replace function forget_channels(p_tenants text[], p_users text[], p_names text[], p_empty boolean)
returns table (channels bigint, notifications bigint)
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $function$
#variable_conflict use_column
declare
  owners text[];
  users text[];
  names text[];
begin
  with locked as materialized (
    select c.* from unnest(p_tenants, p_users, p_names) u (tenant_id, user_id, name)
    join realtime_channels c
      on c.tenant_id = u.tenant_id and c.user_id = u.user_id and c.channel_name = u.name
    order by c.tenant_id, c.user_id, c.channel_name for update of c
  )
  select array_agg(l.tenant_id), array_agg(l.user_id), array_agg(l.channel_name)
  into owners, users, names from locked l;

  -- After this point, statements see everything that the locks' previous holders have stored.
  notifications := 0;
  if p_empty then
    select array_agg(l.tenant_id), array_agg(l.user_id), array_agg(l.name) into owners, users, names
    from unnest(owners, users, names) l (tenant_id, user_id, name)
    where not exists (
      select from notifications n
      where n.tenant_id = l.tenant_id and n.user_id = l.user_id and n.channel_name = l.name);
  else
    with doomed as materialized (
      select n.id from unnest(owners, users, names) l (tenant_id, user_id, name)
      join notifications n
        on n.tenant_id = l.tenant_id and n.user_id = l.user_id and n.channel_name = l.name
      order by n.id for update of n
    )
    delete from notifications n where n.id = any (array(select d.id from doomed d));
    get diagnostics notifications = row_count;
  end if;
  delete from realtime_channels c using unnest(owners, users, names) l (tenant_id, user_id, name)
  where c.tenant_id = l.tenant_id and c.user_id = l.user_id and c.channel_name = l.name;
  get diagnostics channels = row_count;
  perform reset_slots(owners, users);
  return next;
end
$function$;

-- Raises the top offset of channels to that of their newest notification, and resets the users of raised channels.
create or replace function heal_channels(p_tenants text[], p_users text[], p_names text[]) returns void
language plpgsql volatile
set enable_seqscan = off
set enable_bitmapscan = off
as $function$
#variable_conflict use_column
declare
  owners text[];
  users text[];
begin
  with raised as (
    insert into realtime_channels as c (tenant_id, user_id, channel_name, top_offset)
    select u.tenant_id, u.user_id, u.name, highest.channel_offset
    from (select distinct * from unnest(p_tenants, p_users, p_names)) u (tenant_id, user_id, name)
    cross join lateral (
      select n.channel_offset from notifications n
      where n.tenant_id = u.tenant_id and n.user_id = u.user_id and n.channel_name = u.name
      order by n.channel_offset desc limit 1
    ) highest
    order by u.tenant_id collate "C", u.user_id collate "C", u.name collate "C"
    on conflict on constraint realtime_channels_pkey do update set top_offset = excluded.top_offset
      where c.top_offset < excluded.top_offset
    returning c.tenant_id, c.user_id
  )
  select array_agg(r.tenant_id), array_agg(r.user_id) into owners, users from raised r;
  perform reset_slots(owners, users);
end
$function$;
