-- Returns the chat addresses of events: the event's own, else that of its user in the directory. Arrays are parallel;
-- `place` is the index, from 1. Events without an address have no row.
create or replace function chat_addresses(p_events uuid[], p_tenants text[], p_users text[])
returns table (place integer, address text) language sql stable
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $function$
  select i.place::integer, coalesce(e.recipient_chat, r.chat)
  from unnest(p_events, p_tenants, p_users) with ordinality i (event_id, tenant_id, user_id, place)
  left join lateral (select e.recipient_chat from events e where e.id = i.event_id limit 1) e on true
  left join lateral (
    select r.chat from recipients r where r.tenant_id = i.tenant_id and r.user_id = i.user_id limit 1
  ) r on true
  where coalesce(e.recipient_chat, r.chat) is not null
$function$;
