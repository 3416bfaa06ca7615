-- Inserts demo data of tenant $1 for the 29 days before $2: events, deliveries, attempts, receipts and notifications.
-- Random choices use digits of md5 hashes, so that the same arguments always give the same data.
with hours as (
  select at, extract(isodow from at at time zone 'UTC') > 5 as weekend,
         extract(hour from at at time zone 'UTC') as hour
  from generate_series(date_trunc('hour', $2::timestamptz) - interval '29 days',
                       date_trunc('hour', $2::timestamptz) - interval '1 hour', interval '1 hour') at
),
busy as (
  -- Few events at night, a peak in the afternoon, and a third of the traffic at weekends.
  select at, 1 + round(case when weekend then 2 else 6 end
                       * greatest(0, sin((hour - 6) * pi() / 16)))::integer as events
  from hours
),
numbered as (
  select row_number() over (order by at, slot)::integer as n,
         at + (slot - 0.5) * interval '1 hour' / events as at
  from busy, generate_series(1, events) slot
),
dice as (
  select n, at,
         ('x' || substr(md5('type' || n), 1, 7))::bit(28)::integer % 100 as type_die,
         ('x' || substr(md5('user' || n), 1, 7))::bit(28)::integer % 24 as user_die,
         ('x' || substr(md5('luck' || n), 1, 7))::bit(28)::integer % 100 as luck
  from numbered
),
made as materialized (
  select n, at, luck,
         -- A UUIDv7 of the event's time; an md5 hash takes the place of its random bits.
         (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7'
          || substr(md5(n::text), 1, 3) || '8' || substr(md5($1 || n), 1, 15))::uuid as id,
         case when type_die < 55 then 'order.confirmed' else 'parcel.arriving' end as event_type,
         'customer-' || 1 + user_die as user_id,
         'customer-' || 1 + user_die || '@example.com' as email,
         '+1202555' || lpad((100 + user_die)::text, 4, '0') as phone,
         'A-' || 1000 + n as order_number
  from dice
),
events_made as (
  insert into events (id, tenant_id, event_type, user_id, reference, recipient_email, recipient_phone,
                      variables, trace_id, accepted_at, dispatched_at, outcome)
  select id, $1, event_type, user_id, order_number, email, phone,
         json_build_object('name', 'Ada', 'order', order_number, 'total', '49.90 EUR', 'delivery', 'on Thursday'),
         'month-' || n, at, at + interval '40 ms',
         case event_type when 'parcel.arriving' then '{"skipped": {"EMAIL": "no active template"}}'::jsonb
                         else '{}' end
  from made
),
sent as materialized (
  -- The delivery's id differs from the event's id in one digit, which depends on the channel.
  select (substr(id::text, 1, 24) || digit || substr(id::text, 26))::uuid as delivery_id, made.*, channel,
         case when luck < 3 then 'failed'
              when luck < 6 and channel = 'EMAIL' then 'bounced'
              when luck < 12 then 'accepted'
              else 'delivered' end as status,
         -- One delivery in ten needs a second attempt.
         case when luck >= 3 and luck % 10 = 3 then 2 else 1 end as tries
  from made, (values ('EMAIL', 'e'), ('SMS', '5')) channels (channel, digit)
  where channel = 'SMS' or event_type = 'order.confirmed'
),
deliveries_made as (
  insert into deliveries (id, event_id, tenant_id, channel, status, reason, template_version_id,
                          provider_id, attempts, message_id, created_at, settled_at)
  select delivery_id, sent.id, $1, channel, status,
         case status when 'failed' then 'the sandbox refused the address'
                     when 'bounced' then 'mailbox unavailable' end,
         (select current_version_id from templates t join template_variants v on v.template_id = t.id
          where t.tenant_id = $1 and t.event_type = sent.event_type and t.channel = sent.channel
            and v.locale = ''),
         (select p.id from providers p where p.tenant_id = $1 and p.channel = sent.channel
          order by position limit 1),
         tries, 'month-' || n, at + interval '40 ms', at + (tries - 1) * interval '30 s' + interval '1 s'
  from sent
),
attempts_made as (
  insert into attempts (delivery_id, number, provider_kind, started_at, ended_at, class, reason)
  select delivery_id, try, 'sandbox', at + (try - 1) * interval '30 s' + interval '100 ms',
         at + (try - 1) * interval '30 s' + (300 + luck * 5) * interval '1 ms',
         case when try < tries then 'transient' when status = 'failed' then 'permanent' else 'accepted' end,
         case when try < tries then 'the sandbox was busy'
              when status = 'failed' then 'the sandbox refused the address'
              else 'kept in the outbox' end
  from sent, generate_series(1, tries) try
),
receipts_made as (
  insert into receipts (tenant_id, provider_kind, vendor_event, delivery_id, kind, reason, occurred_at, received_at)
  select $1, 'sandbox', 'month-' || channel || n, delivery_id, status,
         case status when 'bounced' then 'mailbox unavailable' end, at + interval '40 s', at + interval '41 s'
  from sent where status in ('delivered', 'bounced')
),
notified as materialized (
  select made.*, channel_name, row_number() over (partition by user_id, channel_name order by at) as channel_offset
  from made, lateral (select case event_type when 'order.confirmed' then 'orders' else 'personal' end as channel_name) c
),
notifications_made as (
  insert into notifications (id, tenant_id, user_id, event_type, title, body, channel_name, channel_offset,
                             created_at, read_at)
  select id, $1, user_id, event_type,
         case event_type when 'order.confirmed' then 'Order ' || order_number || ' confirmed'
                         else 'Your parcel is nearly there' end,
         case event_type when 'order.confirmed' then 'It leaves our warehouse on Thursday.'
                         else 'Order ' || order_number || ' arrives today before 18:00.' end,
         channel_name, channel_offset, at + interval '40 ms',
         case when luck < 70 then least(at + luck * interval '3 min', $2::timestamptz) end
  from notified
)
insert into realtime_channels (tenant_id, user_id, channel_name, top_offset)
select $1, user_id, channel_name, max(channel_offset) from notified group by user_id, channel_name
