-- A UUIDv7 of now, for rows that the database itself makes.
create or replace function id_of_now() returns uuid language sql volatile parallel safe as $function$
  select (lpad(to_hex(floor(extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0')
    || '7' || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid
$function$;

-- A moment as the payloads of webhooks have it: ISO 8601, UTC.
create or replace function iso_time(p_at timestamptz) returns text language sql stable parallel safe as $function$
  select to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$function$;

-- Writes a message for each endpoint of the tenant that wants the type, with its delivery, in the transaction of what
-- it tells of. `p_data` holds ids and words of ours, nothing of a person. A paused endpoint gets it when the pause ends.
create or replace function tell_webhooks(
  p_tenant text, p_type text, p_event uuid, p_user text, p_at timestamptz, p_data jsonb
) returns void language plpgsql volatile
-- By index, row by row: this plan is made on an empty database, and must stay good.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $function$
declare
  moment constant timestamptz := clock_timestamp();
begin
  with told as (
    insert into webhook_messages (id, webhook_id, tenant_id, type, event_id, user_id, payload, created_at)
    select id_of_now(), w.id, p_tenant, p_type, p_event, p_user,
           json_build_object('type', p_type, 'timestamp', iso_time(p_at), 'data', p_data)::text, moment
    from webhooks w
    where w.tenant_id = p_tenant and w.active and (w.types = '{}' or p_type = any (w.types))
    returning id, webhook_id
  )
  insert into deliveries (id, event_id, tenant_id, channel, status, due_at, created_at)
  select t.id, t.id, p_tenant, 'WEBHOOK', 'queued', greatest(moment, w.paused_until), moment
  from told t
  cross join lateral (select w.paused_until from webhooks w where w.id = t.webhook_id limit 1) w;
end
$function$;

-- A reason without what may be somebody's address or number: providers like to name them.
create or replace function told_reason(p_reason text, p_recipient text) returns text
language sql immutable parallel safe as $function$
  select regexp_replace(regexp_replace(
    case when p_recipient <> '' then replace(left(p_reason, 500), p_recipient, '…') else left(p_reason, 500) end,
    '[^[:space:]<>()"'',;:@]+@[^[:space:]<>()"'',;:@]+', '…', 'g'), '\+?[0-9][0-9 -]{5,}[0-9]', '…', 'g')
$function$;

-- Tells of every move of a delivery to where it has ended or been sent: the one place, whoever moves it. The tenant's row
-- is read for it (measured: see docs/performance.md), as its mark stands nowhere else.
create or replace function tell_delivery() returns trigger language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $function$
declare
  moment constant timestamptz := clock_timestamp();
  event record;
  digest record;
  data jsonb;
begin
  if not coalesce((select t.uses_webhooks from tenants t where t.id = new.tenant_id), false) then return null; end if;
  data := jsonb_build_object('deliveryId', new.id, 'channel', new.channel, 'status', new.status,
    'reason', told_reason(new.reason, new.recipient), 'occurredAt', iso_time(moment));
  select e.reference, e.event_type into event from events e where e.id = new.event_id and e.tenant_id = new.tenant_id;
  if found then
    data := data || jsonb_build_object('id', new.event_id, 'eventId', coalesce(event.reference, new.event_id::text),
      'eventType', event.event_type);
  else
    select g.id, g.event_type into digest from digests g where g.id = new.event_id and g.tenant_id = new.tenant_id;
    if not found then return null; end if;
    data := data || jsonb_build_object('digestId', digest.id, 'eventType', digest.event_type) || told_digest(digest.id);
  end if;
  perform tell_webhooks(new.tenant_id, 'delivery.' || new.status, new.event_id, null, moment, data);
  return null;
end
$function$;

-- Of a digest: how many events it is of, and the oldest 100, by Belfry's ids and by the tenant's own.
create or replace function told_digest(p_digest uuid) returns jsonb language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $function$
begin
  return (
    with oldest as materialized (
      select i.event_id from digest_items i
      where i.digest_id = p_digest and i.state = 'in' order by i.event_id limit 100
    )
    select jsonb_build_object(
      'count', (select count(*) from digest_items i where i.digest_id = p_digest and i.state = 'in'),
      'ids', coalesce(jsonb_agg(o.event_id order by o.event_id), '[]'),
      'eventIds', coalesce(jsonb_agg(coalesce(e.reference, o.event_id::text) order by o.event_id), '[]'))
    from oldest o
    left join lateral (select e.reference from events e where e.id = o.event_id limit 1) e on true);
end
$function$;

-- Tells what dispatching has decided of channels without a delivery: skipped and failed ones with an active template.
create or replace function tell_outcomes(p_ids uuid[]) returns void language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $function$
declare
  moment constant timestamptz := clock_timestamp();
  told record;
begin
  for told in
    select e.id, e.tenant_id, e.reference, e.event_type, o.status, c.key as channel, c.value as reason,
           coalesce(e.recipient_email, '') as email, coalesce(e.recipient_phone, '') as phone
    from unnest(p_ids) u (id)
    cross join lateral (select * from events e where e.id = u.id limit 1) e
    cross join lateral (select t.uses_webhooks from tenants t where t.id = e.tenant_id limit 1) t
    cross join lateral (values ('skipped', e.outcome -> 'skipped'), ('failed', e.outcome -> 'failed')) o (status, reasons)
    cross join lateral jsonb_each_text(o.reasons) c
    where t.uses_webhooks and o.reasons is not null and exists (
      select from templates x
      where x.tenant_id = case when starts_with(e.event_type, 'global.') then 'platform' else e.tenant_id end
        and x.event_type = e.event_type and x.channel = c.key and x.active)
  loop
    perform tell_webhooks(told.tenant_id, 'delivery.' || told.status, told.id, null, moment,
      jsonb_build_object('id', told.id, 'eventId', coalesce(told.reference, told.id::text),
        'eventType', told.event_type, 'channel', told.channel, 'status', told.status,
        'reason', told_reason(told_reason(told.reason, told.email), told.phone), 'occurredAt', iso_time(moment)));
  end loop;
end
$function$;

-- Tells of notifications: `p_type` is notification.created or notification.read.
create or replace function tell_notifications(p_ids uuid[], p_type text) returns void language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $function$
declare
  moment constant timestamptz := clock_timestamp();
  told record;
begin
  for told in
    select n.id, n.tenant_id, n.event_type, e.reference
    from unnest(p_ids) u (id)
    cross join lateral (select * from notifications n where n.id = u.id limit 1) n
    cross join lateral (select t.uses_webhooks from tenants t where t.id = n.tenant_id limit 1) t
    left join lateral (select e.reference from events e where e.id = u.id and e.tenant_id = n.tenant_id limit 1) e on true
    where t.uses_webhooks
  loop
    perform tell_webhooks(told.tenant_id, p_type, told.id, null, moment,
      jsonb_build_object('id', told.id, 'eventId', coalesce(told.reference, told.id::text),
        'eventType', told.event_type, 'channel', 'PUSH', 'occurredAt', iso_time(moment)));
  end loop;
end
$function$;

-- Tells of what a user has changed: cells as JSON objects of category, channel and enabled.
create or replace function tell_preferences(p_tenant text, p_user text, p_source text, p_cells jsonb)
returns void language plpgsql volatile
set enable_seqscan = off
as $function$
declare
  moment constant timestamptz := clock_timestamp();
begin
  if not coalesce((select t.uses_webhooks from tenants t where t.id = p_tenant), false) then return; end if;
  perform tell_webhooks(p_tenant, 'preference.changed', null, p_user, moment,
    jsonb_build_object('userId', p_user, 'source', p_source, 'preferences', p_cells, 'occurredAt', iso_time(moment)));
end
$function$;
