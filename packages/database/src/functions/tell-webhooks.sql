-- These functions write messages to the tenants' endpoints, in the transaction of the change that a message reports.
-- Endpoints are looked up by tenant; a tenant without any costs one index look-up.
--
-- Other functions call these functions under their own planner settings. So each statement is written with lateral
-- joins that permit one join order only: an index look-up for each row.

-- Returns a UUIDv7 of the current time, for rows that the database itself creates.
create or replace function id_of_now() returns uuid language sql volatile parallel safe as $function$
  -- Milliseconds, version (0x7000) and fraction of a millisecond, random bits. Postgres 18 has its own function.
  select encode(
    substring(int8send(now.micros / 1000) from 3)
      || substring(int4send((28672 + now.micros % 1000 * 4096 / 1000)::integer) from 3)
      || substring(uuid_send(gen_random_uuid()) from 9),
    'hex')::uuid
  from (select (extract(epoch from clock_timestamp()) * 1000000)::bigint as micros) now
$function$;

-- Returns a moment in the form of webhook payloads: ISO 8601, UTC.
create or replace function iso_time(p_at timestamptz) returns text language sql stable parallel safe as $function$
  select to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$function$;

-- Writes a message and its delivery for each of these endpoints of one tenant. p_data holds ids and texts of Belfry,
-- but no personal data. p_user is set only if the message names the user; an erasure finds the message by it. If
-- p_pauses has a time for an endpoint, the message is held, even if that time has passed: a probe must first succeed.
create or replace function write_webhook_messages(
  p_webhooks uuid[], p_pauses timestamptz[], p_tenant text, p_type text, p_event uuid, p_user text,
  p_at timestamptz, p_data json
) returns void language plpgsql volatile as $function$
declare
  moment constant timestamptz := clock_timestamp();
  payload constant text := json_build_object('type', p_type, 'timestamp', iso_time(p_at), 'data', p_data);
  id uuid;
begin
  for i in 1 .. cardinality(p_webhooks) loop
    id := id_of_now();
    insert into webhook_messages (id, webhook_id, tenant_id, type, event_id, user_id, payload, created_at)
    values (id, p_webhooks[i], p_tenant, p_type, p_event, p_user, payload, moment);
    insert into deliveries (id, event_id, tenant_id, channel, status, due_at, held_for, created_at)
    values (id, id, p_tenant, 'WEBHOOK', 'queued', case when p_pauses[i] is null then moment end,
      case when p_pauses[i] is not null then p_webhooks[i] end, moment);
  end loop;
end
$function$;

-- Writes the message for all endpoints of the tenant that subscribe to the type. If p_named is true, endpoints that
-- subscribe to all types are left out, because a broadcast would flood them.
create or replace function tell_endpoints(
  p_tenant text, p_type text, p_event uuid, p_user text, p_at timestamptz, p_data json, p_named boolean
) returns void language plpgsql volatile
set enable_seqscan = off
as $function$
declare
  ids uuid[];
  pauses timestamptz[];
begin
  select array_agg(w.id), array_agg(w.paused_until) into ids, pauses
  from webhooks w
  where w.tenant_id = p_tenant and w.active and (w.types = '{}' and not p_named or p_type = any (w.types));
  if ids is null then return; end if;
  perform write_webhook_messages(ids, pauses, p_tenant, p_type, p_event, p_user, p_at, p_data);
end
$function$;

create or replace function tell_webhooks(
  p_tenant text, p_type text, p_event uuid, p_user text, p_at timestamptz, p_data json
) returns void language sql volatile as $function$
  select tell_endpoints(p_tenant, p_type, p_event, p_user, p_at, p_data, false)
$function$;

-- Returns a stored reason in words, like reasonWords of contracts/reasons.ts; returns a reason without a code
-- unchanged. The table reason_words holds the REASONS of contracts.
create or replace function reason_in_words(p_reason text) returns text language plpgsql stable
set enable_seqscan = off
as $function$
declare
  found_words text;
  args json;
begin
  if p_reason is null or not starts_with(p_reason, '#') then return p_reason; end if;
  select w.words into found_words from reason_words w where w.code = split_part(substr(p_reason, 2), ' ', 1);
  if found_words is null then return p_reason; end if;
  if strpos(found_words, '{') = 0 then return found_words; end if;
  args := coalesce(nullif(substr(p_reason, strpos(p_reason || ' ', ' ') + 1), ''), '{}')::json;
  -- The names are between braces: every second part is a name.
  return (
    select string_agg(
      case
        when p.place % 2 = 1 then p.part
        when p.part = 'why' then reason_in_words(args ->> p.part)
        else coalesce(args ->> p.part, '')
      end, '' order by p.place)
    from regexp_split_to_table(found_words, '[{}]') with ordinality p (part, place));
exception when invalid_text_representation then
  -- The reason is a vendor's text that only looks like a code.
  return p_reason;
end
$function$;

-- Replaces everything in a reason that may be an email address or a phone number, because providers often quote them. A
-- phone number has at least seven digits, in any grouping; status codes of mail servers (550 5.7.26) and times have
-- fewer. The expressions have no capturing group, so that Postgres needs only one pass over the text for each.
create or replace function told_reason(p_reason text, p_recipient text) returns text
language sql immutable parallel safe as $function$
  select left(regexp_replace(regexp_replace(
    case when p_recipient <> '' then replace(left(p_reason, 1000), p_recipient, '…') else left(p_reason, 1000) end,
    '(?:"[^"@]{1,64}"|[^[:space:]<>()"'',;:@＠]*)(?:[@＠]|%40|&#64;|&#x40;|&commat;|\\u0040)[^[:space:]<>()"'',;:@＠]+', '…', 'gi'),
    '[+＋]?[0-9０-９](?:[- ()/‐‑–\u00a0\u2009\u202f]{0,2}[0-9０-９]){6,}|[0-9]{2,}(?:[.][0-9]{2,}){2,}', '…', 'g'), 500)
$function$;

-- Writes webhook messages about the new state of these deliveries, if they have ended or been sent. It is one statement,
-- because it is a large part of a settlement's cost: see docs/performance.md.
create or replace function tell_moves(p_ids uuid[]) returns void language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $function$
declare
  moment constant timestamptz := clock_timestamp();
  said constant text := iso_time(moment);
begin
  with wanted as materialized (
    select id_of_now() as id, w.id as webhook_id, w.paused_until, d.tenant_id, 'delivery.' || d.status as type,
           d.event_id, coalesce(e.user_id, g.user_id) as user_id,
           json_build_object('type', 'delivery.' || d.status, 'timestamp', said, 'data', case
             when e.id is not null then json_build_object(
               'deliveryId', d.id, 'id', e.id, 'eventId', coalesce(e.reference, e.id::text),
               'eventType', e.event_type, 'channel', d.channel, 'status', d.status, 'reason', r.told,
               'occurredAt', said)
             else json_build_object(
               'deliveryId', d.id, 'digestId', g.id, 'count', g.count, 'ids', g.ids, 'eventIds', g.event_ids,
               'eventType', g.event_type, 'channel', d.channel, 'status', d.status, 'reason', r.told,
               'occurredAt', said)
           end)::text as payload
    from unnest(p_ids) u (id)
    cross join lateral (
      select d.id, d.tenant_id, d.event_id, d.channel, d.status, d.reason, d.recipient, d.broadcast_id
      from deliveries d where d.id = u.id limit 1
    ) d
    cross join lateral (
      select w.id, w.paused_until from webhooks w
      where w.tenant_id = d.tenant_id and w.active
        and (w.types = '{}' and d.broadcast_id is null or 'delivery.' || d.status = any (w.types))
      offset 0
    ) w
    left join lateral (
      select e.id, e.user_id, e.reference, e.event_type from events e
      where e.id = d.event_id and e.tenant_id = d.tenant_id limit 1
    ) e on true
    left join lateral (
      select g.id, g.user_id, g.event_type, t.* from digests g cross join lateral told_digest(g.id, g.tenant_id) t
      where e.id is null and g.id = d.event_id and g.tenant_id = d.tenant_id limit 1
    ) g on true
    cross join lateral (
      select case when d.reason is not null then told_reason(reason_in_words(d.reason), d.recipient) end as told offset 0
    ) r
    where d.status not in ('queued', 'sending', 'waiting', 'discarded') and (e.id is not null or g.id is not null)
  ),
  told as (
    insert into webhook_messages (id, webhook_id, tenant_id, type, event_id, user_id, payload, created_at)
    select m.id, m.webhook_id, m.tenant_id, m.type, m.event_id, m.user_id, m.payload, moment from wanted m
  )
  insert into deliveries (id, event_id, tenant_id, channel, status, due_at, held_for, created_at)
  select m.id, m.id, m.tenant_id, 'WEBHOOK', 'queued', case when m.paused_until is null then moment end,
         case when m.paused_until is not null then m.webhook_id end, moment from wanted m;
end
$function$;

-- Trigger function: writes webhook messages when a delivery gets a status that is reported, whichever function sets it.
-- A caller that updates many at once sets belfry.tells to 'apart', which disables the trigger, and calls tell_moves.
create or replace function tell_delivery() returns trigger language plpgsql
set enable_seqscan = off
as $function$
begin
  if exists (select from webhooks w where w.tenant_id = new.tenant_id and w.active) then
    perform tell_moves(array[new.id]);
  end if;
  return null;
end
$function$;

-- Returns the events of a digest for its webhook message: their number, and the ids of the oldest 100, both Belfry's
-- and the tenant's. If every event was read or cancelled before the digest was sent, these events are returned.
create or replace function told_digest(
  p_digest uuid, p_tenant text, out count bigint, out ids json, out event_ids json
) language plpgsql stable as $function$
declare
  states text[] := '{in}';
begin
  if not exists (select from digest_items i where i.digest_id = p_digest and i.state = 'in') then
    states := '{read,cancelled}';
  end if;
  count := (select count(*) from digest_items i where i.digest_id = p_digest and i.state = any (states));
  select coalesce(json_agg(o.event_id), '[]'), coalesce(json_agg(o.name), '[]') into ids, event_ids
  from (
    select i.event_id, coalesce(
      (select e.reference from events e where e.id = i.event_id and e.tenant_id = p_tenant), i.event_id::text) as name
    from digest_items i where i.digest_id = p_digest and i.state = any (states) order by i.event_id limit 100
  ) o;
end
$function$;

-- Writes webhook messages about channels without a delivery: skipped and failed channels with an active template.
create or replace function tell_outcomes(p_ids uuid[]) returns void language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $function$
declare
  moment constant timestamptz := clock_timestamp();
  told record;
begin
  for told in
    select e.id, e.tenant_id, e.user_id, e.reference, e.event_type, o.status, c.key as channel, c.value as reason,
           e.recipient_email, e.recipient_phone, e.broadcast_id
    from unnest(p_ids) u (id)
    cross join lateral (select * from events e where e.id = u.id limit 1) e
    cross join lateral (select t.uses_webhooks from tenants t where t.id = e.tenant_id limit 1) t
    cross join lateral (values ('skipped', e.outcome -> 'skipped'), ('failed', e.outcome -> 'failed')) o (status, reasons)
    cross join lateral jsonb_each_text(o.reasons) c
    where t.uses_webhooks and o.reasons is not null and (
      select x.active from templates x
      where x.tenant_id = case when starts_with(e.event_type, 'global.') then 'platform' else e.tenant_id end
        and x.event_type = e.event_type and x.channel = c.key)
  loop
    perform tell_endpoints(told.tenant_id, 'delivery.' || told.status, told.id, told.user_id, moment,
      json_build_object('id', told.id, 'eventId', coalesce(told.reference, told.id::text),
        'eventType', told.event_type, 'channel', told.channel, 'status', told.status,
        'reason', told_reason(told_reason(reason_in_words(told.reason), coalesce(told.recipient_email, '')),
          coalesce(told.recipient_phone, '')),
        'occurredAt', iso_time(moment)), told.broadcast_id is not null);
  end loop;
end
$function$;

-- Writes webhook messages about notifications of any user: `p_type` is notification.created or notification.read. It is
-- one statement, because a user may read thousands at once.
create or replace function tell_notifications(p_ids uuid[], p_type text) returns void language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $function$
declare
  moment constant timestamptz := clock_timestamp();
  said constant text := iso_time(moment);
begin
  -- The usual case: tenants without endpoints cost no more than this.
  if not exists (
    select from unnest(p_ids) u (id)
    cross join lateral (select n.tenant_id from notifications n where n.id = u.id limit 1) n
    cross join lateral (select from webhooks w where w.tenant_id = n.tenant_id and w.active limit 1) w
  ) then return; end if;
  with wanted as materialized (
    select id_of_now() as id, w.id as webhook_id, w.paused_until, n.tenant_id, n.id as event_id, n.user_id,
           json_build_object('type', p_type, 'timestamp', said, 'data', json_build_object(
             'id', n.id, 'eventId', coalesce(e.reference, n.id::text), 'eventType', n.event_type, 'channel', 'PUSH',
             'occurredAt', said))::text as payload
    from unnest(p_ids) u (id)
    cross join lateral (select * from notifications n where n.id = u.id limit 1) n
    left join lateral (
      select e.reference, e.broadcast_id from events e where e.id = n.id and e.tenant_id = n.tenant_id limit 1) e on true
    cross join lateral (
      select * from webhooks w
      where w.tenant_id = n.tenant_id and w.active
        and (w.types = '{}' and e.broadcast_id is null or p_type = any (w.types)) offset 0
    ) w
  ),
  told as (
    insert into webhook_messages (id, webhook_id, tenant_id, type, event_id, user_id, payload, created_at)
    select m.id, m.webhook_id, m.tenant_id, p_type, m.event_id, m.user_id, m.payload, moment from wanted m
  )
  insert into deliveries (id, event_id, tenant_id, channel, status, due_at, held_for, created_at)
  select m.id, m.id, m.tenant_id, 'WEBHOOK', 'queued', case when m.paused_until is null then moment end,
         case when m.paused_until is not null then m.webhook_id end, moment from wanted m;
end
$function$;

-- Writes webhook messages about changed preferences, one per user and endpoint. p_cells is parallel to p_users: each
-- item is a JSON array of objects with the fields category, channel and enabled.
create or replace function tell_preferences(p_tenant text, p_source text, p_users text[], p_cells json[])
returns void language plpgsql volatile
set enable_seqscan = off
as $function$
declare
  moment constant timestamptz := clock_timestamp();
  said constant text := iso_time(moment);
  ids uuid[];
  pauses timestamptz[];
begin
  select array_agg(w.id), array_agg(w.paused_until) into ids, pauses
  from webhooks w
  where w.tenant_id = p_tenant and w.active and (w.types = '{}' or 'preference.changed' = any (w.types));
  if ids is null then return; end if;
  for i in 1 .. cardinality(p_users) loop
    perform write_webhook_messages(ids, pauses, p_tenant, 'preference.changed', null, p_users[i], moment,
      json_build_object('userId', p_users[i], 'source', p_source, 'preferences', p_cells[i], 'occurredAt', said));
  end loop;
end
$function$;
