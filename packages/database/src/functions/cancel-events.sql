-- Returns the events that a cancel call names, at most p_most: all of p_ids, then those of p_keys and p_references. Of
-- the latter, events that no cancel has looked at are first, so that repeated calls make progress, then those looked at
-- longest ago. If p_users is given, only events of these users. Refused events are ignored. Each row has the key or
-- reference by which the event was found. A row without an id means that there are more events, under this or a later
-- name; `is_new`: no cancel has looked at them. If the references have more than ten times p_most events, neither they
-- nor the keys are read, and one row has neither id nor name: no index shows which events of a reference a cancel has
-- looked at, so all would have to be read.
create or replace function events_to_cancel(
  p_tenant text, p_keys text[], p_ids uuid[], p_references text[], p_users text[], p_most integer
) returns table (id uuid, name text, is_new boolean) language plpgsql stable
-- Reads each index in its own order. Postgres makes this plan on an empty database, and it must remain good.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $function$
#variable_conflict use_column
declare
  found_ids uuid[];
  had bigint;
begin
  found_ids := array(
    select e.id from unnest(p_ids) u (id)
    cross join lateral (select * from events e where e.id = u.id limit 1) e
    where e.tenant_id = p_tenant and e.refused_at is null and (p_users is null or e.user_id = any (p_users)));
  foreach id in array found_ids loop
    return next;
  end loop;

  if cardinality(p_references) > 0 then
    select count(*) into had from (
      select from unnest(p_references) u (name)
      cross join lateral (
        select from events e where e.tenant_id = p_tenant and e.reference = u.name limit 10 * p_most + 1
      ) e
      limit 10 * p_most + 1
    ) e;
    if had > 10 * p_most then
      id := null;
      return next;
      return;
    end if;
  end if;

  foreach is_new in array array[true, false] loop
    for id, name in
      select * from events_of_keys(p_tenant, p_keys, p_users, is_new, p_most - cardinality(found_ids) + 1)
    loop
      if cardinality(found_ids) = p_most then id := null; else found_ids := found_ids || id; end if;
      return next;
    end loop;

    foreach name in array p_references loop
      for id in
        select e.id from events e
        where e.tenant_id = p_tenant and e.reference = events_to_cancel.name and e.refused_at is null
          and (e.cancel_asked_at is null) = events_to_cancel.is_new and e.id <> all (found_ids)
          and (p_users is null or e.user_id = any (p_users))
        order by e.id limit p_most - cardinality(found_ids) + 1
      loop
        if cardinality(found_ids) = p_most then id := null; else found_ids := found_ids || id; end if;
        return next;
      end loop;
    end loop;
  end loop;
end
$function$;

-- Returns events of these keys, and of these users if any are named. Walks the index once, because a hundred keys and a
-- hundred users are ten thousand pairs.
create or replace function events_of_keys(
  p_tenant text, p_keys text[], p_users text[], p_new boolean, p_most integer
) returns table (id uuid, name text) language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $function$
begin
  -- Each case has its own statement, so that it reads along its index and stops at the last row that it needs. The rows
  -- have the order of the index: without statistics, Postgres prefers a plan that reads all events of the tenant. The
  -- statements without users require a non-empty key, as their index does; no other statement may use that index.
  if p_users is null and p_new then
    return query
      select e.id, e.cancel_key from events e
      where e.tenant_id = p_tenant and e.cancel_key = any (p_keys) and e.cancel_key <> ''
        and e.cancel_asked_at is null and e.refused_at is null
      order by e.cancel_key limit p_most;
  elsif p_users is null then
    return query
      select e.id, e.cancel_key from events e
      where e.tenant_id = p_tenant and e.cancel_key = any (p_keys) and e.cancel_key <> ''
        and e.cancel_asked_at is not null and e.refused_at is null
      order by e.cancel_key limit p_most;
  elsif p_new then
    return query
      select e.id, e.cancel_key from events e
      where e.tenant_id = p_tenant and e.cancel_key = any (p_keys) and e.user_id = any (p_users)
        and e.cancel_asked_at is null and e.refused_at is null
      order by e.cancel_key, e.user_id limit p_most;
  else
    return query
      select e.id, e.cancel_key from events e
      where e.tenant_id = p_tenant and e.cancel_key = any (p_keys) and e.user_id = any (p_users)
        and e.cancel_asked_at is not null and e.refused_at is null
      order by e.cancel_key, e.user_id limit p_most;
  end if;
end
$function$;

-- Stops everything that can be stopped of a tenant's events. Returns a row for each event, but none for refused events
-- and those of other tenants. Deletes scheduled and undispatched events in the same way as waking and dispatching claim
-- them, and locks deliveries of dispatched events as senders do. `verdict`:
--   cancelled   nothing of the event has been or will be delivered
--   partly      some channels have been reached; those in `stopped` were stopped, now or by an earlier cancel
--   pending     an attempt is in progress and will be the last; its result decides between the other three
--   too late    nothing was left to stop
-- A channel has been reached if there is a notification or an attempt that a provider may have accepted. A delivery
-- that waits after an attempt with unknown result is not retried: it ends as unknown. The event is removed from its
-- digest, which remains for other events.
--
-- Failed deliveries of a cancelled event are discarded from the dead letters, so that nobody replays them.
create or replace function cancel_events(p_tenant text, p_ids uuid[])
returns table (id uuid, verdict text, stopped text[])
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $function$
#variable_conflict use_column
declare
  moment timestamptz;
  mine uuid[];
  asked uuid[];
  taken uuid[] := '{}';
  own uuid[];
  digests uuid[];
  item record;
  gone uuid[] := '{}';
  to_skip uuid[] := '{}';
  to_end uuid[] := '{}';
  left_events uuid[] := '{}';
  left_digests uuid[] := '{}';
  to_ask uuid[] := '{}';
  asked_events uuid[] := '{}';
  asked_digests uuid[] := '{}';
begin
  mine := array(
    select e.id from unnest(p_ids) u (id)
    cross join lateral (select * from events e where e.id = u.id limit 1) e
    where e.tenant_id = p_tenant and e.refused_at is null);
  asked := mine;
  while asked <> '{}' loop
    -- scheduled_events first: when its lock is free, waking has already moved the event to undispatched_events.
    perform 1 from scheduled_events s where s.event_id = any (asked) order by s.event_id for update;
    with went as (delete from scheduled_events s where s.event_id = any (asked) returning s.event_id)
    select taken || coalesce(array_agg(w.event_id), '{}') into taken from went w;
    perform 1 from undispatched_events u where u.event_id = any (asked) order by u.event_id for update;
    with went as (delete from undispatched_events u where u.event_id = any (asked) returning u.event_id)
    select taken || coalesce(array_agg(w.event_id), '{}') into taken from went w;
    -- Events that were refused and then accepted again under the same id in the meantime.
    asked := array(
      select a.id from unnest(asked) a (id)
      where a.id <> all (taken) and (
        exists (select from undispatched_events u where u.event_id = a.id)
        or exists (select from scheduled_events s where s.event_id = a.id)));
  end loop;

  -- Nobody can add a delivery, a notification or a digest item to these events any more.
  own := array(
    select d.id from unnest(mine) u (id)
    cross join lateral (select d.id from deliveries d where d.event_id = u.id limit 32) d);
  digests := array(
    select distinct d.id from unnest(mine) u (id)
    cross join lateral (select i.digest_id from digest_items i where i.event_id = u.id limit 32) i
    cross join lateral (select d.id from deliveries d where d.event_id = i.digest_id limit 1) d);
  perform 1 from deliveries d where d.id = any (own || digests) order by d.id for update;
  moment := clock_timestamp();
  perform 1 from events e where e.id = any (mine) order by e.id for update;

  for item in
    select e.id,
           e.id = any (taken) or e.cancelled_at is not null
             or (c.stops or c.stopped) and not c.reached and not c.under_way as cancelled, c.*
    from unnest(mine) u (id)
    cross join lateral (
      select * from events e where e.id = u.id and e.refused_at is null limit 1
    ) e
    cross join lateral cancel_facts(e.id, p_tenant) c
  loop
    id := item.id;
    verdict := case
      when item.cancelled then 'cancelled'
      when item.under_way then 'pending'
      when item.channels <> '{}' then 'partly'
      else 'too late' end;
    stopped := case when verdict = 'partly' then item.channels else '{}' end;
    to_skip := to_skip || item.to_skip;
    to_end := to_end || item.to_end;
    to_ask := to_ask || item.to_ask;
    for i in 1 .. cardinality(item.left_digests) loop
      left_events := left_events || id;
      left_digests := left_digests || item.left_digests[i];
    end loop;
    for i in 1 .. cardinality(item.asked_digests) loop
      asked_events := asked_events || id;
      asked_digests := asked_digests || item.asked_digests[i];
    end loop;
    if item.cancelled then gone := gone || id; end if;
    return next;
  end loop;

  update deliveries d
  set status = 'skipped', reason = '#cancelled', due_at = null, released_at = null, claimed_until = null,
      settled_at = moment
  where d.id = any (to_skip);
  update deliveries d
  set status = 'unknown', reason = '#cancelled-in-doubt', due_at = null, released_at = null,
      claimed_until = null, settled_at = moment
  where d.id = any (to_end);
  update deliveries d set cancel_asked_at = moment where d.id = any (to_ask) and d.cancel_asked_at is null;
  update deliveries d set status = 'discarded'
  where d.id = any (own) and d.event_id = any (gone) and d.status in ('failed', 'expired');
  for n in 1 .. cardinality(left_events) loop
    update digest_items i set state = 'cancelled'
    where i.digest_id = left_digests[n] and i.event_id = left_events[n];
  end loop;
  for n in 1 .. cardinality(asked_events) loop
    update digest_items i set cancel_asked_at = moment
    where i.digest_id = asked_digests[n] and i.event_id = asked_events[n] and i.cancel_asked_at is null;
  end loop;
  -- Also in a failed digest, because a person may replay it.
  update digest_items i set state = 'cancelled' where i.event_id = any (gone) and i.state = 'in';
  update events e set cancel_asked_at = moment where e.id = any (mine) and e.refused_at is null;
  perform note_cancelled(p_tenant, mine, gone, moment);
end
$function$;

-- Records that events, whose rows are locked, were cancelled: those in p_gone as a whole. Deletes the automatic keys of
-- these. Deletes variables if a template is or was sensitive and nothing of the event is to be sent.
create or replace function note_cancelled(p_tenant text, p_ids uuid[], p_gone uuid[], p_moment timestamptz)
returns void language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $function$
begin
  update events e
  set cancelled_at = case when e.id = any (p_gone) then coalesce(e.cancelled_at, p_moment) else e.cancelled_at end,
      variables = case
        when e.variables is not null
          and not exists (
            select from (select * from deliveries d where d.event_id = e.id limit 32) d
            where d.status in ('queued', 'sending', 'waiting'))
          and exists (
            select from templates t
            where t.tenant_id = case when starts_with(e.event_type, 'global.') then 'platform' else p_tenant end
              and t.event_type = e.event_type and (t.sensitive or e.accepted_at <= t.sensitive_until))
        then null else e.variables end
  where e.id = any (p_ids) and e.refused_at is null;
  perform forget_automatic_keys(p_tenant, p_gone);
end
$function$;

-- Returns the state of a dispatched event for a cancel: whether something of it stops now, was stopped before, has
-- reached or may have reached somebody, or is in an attempt; the stopped channels; and the rows to change.
create or replace function cancel_facts(
  p_event uuid, p_tenant text,
  out stops boolean, out stopped boolean, out reached boolean, out under_way boolean, out channels text[],
  out to_skip uuid[], out to_end uuid[], out to_ask uuid[], out left_digests uuid[], out asked_digests uuid[]
) language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $function$
begin
  select coalesce(bool_or(f.what = 'stops'), false), coalesce(bool_or(f.what = 'stopped'), false),
         coalesce(bool_or(f.what in ('reached', 'in doubt')), false)
           or exists (select from notifications n where n.id = p_event and n.tenant_id = p_tenant),
         coalesce(bool_or(f.what = 'under way'), false),
         coalesce(array_agg(f.channel order by f.channel) filter (where f.what in ('stops', 'stopped')), '{}'),
         coalesce(array_agg(f.delivery_id) filter (where f.what = 'stops' and f.digest_id is null), '{}'),
         coalesce(array_agg(f.delivery_id) filter (where f.what = 'in doubt' and f.digest_id is null), '{}'),
         -- Includes a delivery of which a provider may have accepted an earlier attempt: it is not retried either.
         coalesce(array_agg(f.delivery_id) filter (
           where f.what = 'under way' or f.status = 'sending' and f.digest_id is null), '{}'),
         coalesce(array_agg(f.digest_id) filter (where f.what = 'stops' and f.digest_id is not null), '{}'),
         coalesce(array_agg(f.digest_id) filter (where f.what = 'under way' and f.digest_id is not null), '{}')
  into stops, stopped, reached, under_way, channels, to_skip, to_end, to_ask, left_digests, asked_digests
  from (
    select d.id as delivery_id, d.channel, null::uuid as digest_id, d.status,
           cancel_state(d.id, d.status, d.reason in ('#cancelled', 'cancelled')) as what
    from (select * from deliveries d where d.event_id = p_event limit 32) d
    union all
    select d.id, g.channel, g.id, d.status,
           case when i.state = 'cancelled' then 'stopped'
                when i.state = 'in' and d.id is null then 'stops'
                when i.state = 'in' then cancel_state(d.id, d.status, false) end
    from (select * from digest_items i where i.event_id = p_event limit 32) i
    cross join lateral (select * from digests g where g.id = i.digest_id limit 1) g
    left join lateral (select * from deliveries d where d.event_id = i.digest_id limit 1) d on true
  ) f;
end
$function$;

-- Returns how a delivery, whose row is locked, ends after a failed attempt that was cancelled; nulls if the attempt no
-- longer holds the delivery. Cancelled events leave a digest, which continues for the others.
create or replace function end_of_cancelled(
  p_delivery uuid, p_number integer, p_class text, out status text, out reason text
) language plpgsql volatile
set enable_seqscan = off
as $function$
declare
  event uuid;
  in_doubt boolean;
begin
  select d.event_id into event from deliveries d
  where d.id = p_delivery and d.status = 'sending' and d.attempts = p_number;
  if not found then return; end if;
  in_doubt := coalesce(p_class = 'ambiguous', false) or exists (
    select from attempts a
    where a.delivery_id = p_delivery and a.number < p_number
      and (a.class is null or a.class in ('ambiguous', 'accepted')));
  if exists (select from digests g where g.id = event) then
    if not in_doubt then
      update digest_items i set state = 'cancelled'
      where i.digest_id = event and i.state = 'in' and i.cancel_asked_at is not null;
    end if;
  elsif in_doubt then
    status := 'unknown';
    reason := '#cancelled-in-doubt';
  else
    status := 'skipped';
    reason := '#cancelled';
  end if;
end
$function$;

-- Completes cancels that waited for attempts of these deliveries. The holder of the deliveries calls it when the
-- attempts have ended. If two holders end the last attempts of an event at the same time, the second waits for the
-- event's row and sees the result of the first.
create or replace function finish_cancels(p_deliveries uuid[]) returns void language plpgsql volatile
set plan_cache_mode = force_generic_plan
-- Callers may have disabled it.
set enable_nestloop = on
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $function$
declare
  moment constant timestamptz := clock_timestamp();
  mine uuid[];
  gone uuid[];
  free uuid[];
  owner record;
begin
  mine := array(
    select e.id
    from (
      select d.event_id as id from unnest(p_deliveries) u (id)
      cross join lateral (select d.event_id from deliveries d where d.id = u.id limit 1) d
      union
      select i.event_id from unnest(p_deliveries) u (id)
      cross join lateral (select d.event_id from deliveries d where d.id = u.id limit 1) d
      cross join lateral (
        select i.event_id from digest_items i where i.digest_id = d.event_id and i.cancel_asked_at is not null
      ) i
    ) f
    cross join lateral (select e.id from events e where e.id = f.id limit 1) e);
  perform 1 from events e where e.id = any (mine) order by e.id for update;
  for owner in
    select e.tenant_id, array_agg(e.id) as ids from events e where e.id = any (mine) group by e.tenant_id
  loop
    gone := array(
      select u.id from unnest(owner.ids) u (id)
      cross join lateral cancel_facts(u.id, owner.tenant_id) c
      where (c.stops or c.stopped) and not c.reached and not c.under_way);
    -- Skips locked rows: a cancel that holds one of them and waits for the event's row discards the delivery itself.
    free := array(
      select d.id from deliveries d
      where d.event_id = any (gone) and d.status in ('failed', 'expired') for update skip locked);
    update deliveries d set status = 'discarded' where d.id = any (free);
    perform note_cancelled(owner.tenant_id, owner.ids, gone, moment);
  end loop;
end
$function$;

-- Returns the state of a delivery, whose row is locked, for a cancel: `stops` (it is stopped now), `stopped` (by an
-- earlier cancel), `under way` (in an attempt), `in doubt` (it waits for a retry, but a provider may have it),
-- `reached`, or null if it ended in another way.
create or replace function cancel_state(p_delivery uuid, p_status text, p_cancelled boolean) returns text
language plpgsql stable
set enable_seqscan = off
as $function$
begin
  if p_status in ('accepted', 'delivered', 'bounced', 'complained', 'unknown') then return 'reached'; end if;
  -- While the delivery is `sending`, an attempt without a class is the current one and does not count.
  if exists (
    select from attempts a
    where a.delivery_id = p_delivery
      and (a.class is null and p_status <> 'sending' or a.class in ('ambiguous', 'accepted'))
  ) then
    return case when p_status in ('queued', 'waiting') then 'in doubt' else 'reached' end;
  end if;
  if p_status = 'sending' then return 'under way'; end if;
  if p_status in ('queued', 'waiting') then return 'stops'; end if;
  if p_status = 'skipped' and p_cancelled then return 'stopped'; end if;
  return null;
end
$function$;

-- Deletes the automatic dedup keys of events, so that the same trigger makes a new event. Keys that the client chose
-- stay; their last bit is 1.
create or replace function forget_automatic_keys(p_tenant text, p_ids uuid[]) returns void language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $function$
declare
  keys bytea[];
begin
  -- Locks the keys in the order in which accepting deletes old ones.
  keys := array(
    select d.key
    from unnest(p_ids) u (id)
    cross join lateral (select e.accepted_at from events e where e.id = u.id limit 1) e
    -- Finds keys by the time alone, because a tenant has as many keys as events in a day.
    cross join lateral (select * from dedup_keys d where d.accepted_at = e.accepted_at offset 0) d
    where d.tenant_id = p_tenant and d.event_id = u.id and get_byte(d.key, octet_length(d.key) - 1) & 1 = 0);
  perform 1 from dedup_keys d where d.tenant_id = p_tenant and d.key = any (keys) order by d.key for update;
  delete from dedup_keys d where d.tenant_id = p_tenant and d.key = any (keys) and d.event_id = any (p_ids);
end
$function$;
