-- Broadcasts: one event to many people, expanded a chunk at a time. A chunk's events and the place that it has reached
-- (broadcasts.reached) are written in one transaction, so nobody gets it twice and nobody is left out, whoever dies.

-- The key of a broadcast's advisory lock. Transactions that dispatch or claim something of the broadcast hold it shared;
-- a cancel takes it exclusively before it answers.
create or replace function broadcast_lock(p_broadcast uuid) returns bigint
language sql immutable as $function$
  select hashtextextended('belfry broadcast ' || p_broadcast, 0)
$function$;

-- A chunk holds this shared; an erasure takes it exclusively while it takes the user out of topics and lists. So either
-- the chunk does not know the user any more, or the erasure finds the event.
create or replace function people_lock(p_tenant text) returns bigint
language sql immutable as $function$
  select hashtextextended('belfry people ' || p_tenant, 0)
$function$;

-- Returns the cancelled ones of these broadcasts. No cancel of the others is answered before the transaction ends.
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

-- Returns those of the broadcasts that name a provider of the channel, with the providers; null if none does.
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

-- Takes the events of cancelled broadcasts out of a batch that is being dispatched, whose rows in undispatched_events are
-- locked: they end as cancelled. Returns the others.
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
