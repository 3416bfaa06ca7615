-- Broadcasts send one event to many people and are expanded chunk by chunk. A chunk's events and the position that it
-- has reached (broadcasts.reached) are written in one transaction. So nobody gets the event twice or not at all, even
-- if a process dies.

-- Returns the key of a broadcast's advisory lock. Transactions that dispatch or claim a part of the broadcast hold it
-- shared; a cancel locks it exclusively before it answers.
create or replace function broadcast_lock(p_broadcast uuid) returns bigint
language sql immutable as $function$
  select hashtextextended('belfry broadcast ' || p_broadcast, 0)
$function$;

-- Returns the key of an advisory lock on a tenant's people. Expanding a chunk holds it shared; an erasure holds it
-- exclusively while it removes the user from topics and lists. So either the chunk no longer finds the user, or the
-- erasure finds the event.
create or replace function people_lock(p_tenant text) returns bigint
language sql immutable as $function$
  select hashtextextended('belfry people ' || p_tenant, 0)
$function$;

-- Returns those of the broadcasts that are cancelled. A cancel of another one is not answered before the transaction
-- ends.
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

-- Returns those of the broadcasts that name a provider of the channel, and these providers; null if none does.
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

-- Cancels the events of cancelled broadcasts in a batch that is being dispatched, and returns the other events. The
-- caller has locked the batch's rows in undispatched_events.
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
