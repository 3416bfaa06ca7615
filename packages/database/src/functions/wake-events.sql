-- Moves due events from scheduled_events to undispatched_events. It visits the tenants after p_after in order of id,
-- and takes the earliest events of each first. It takes at most most_of_tenant events of one tenant, so that a tenant
-- with very many events does not block the others. A call moves at most p_most events and visits at most most_tenants
-- tenants. One replica works at a time. If a replica stops between commit and publication, the sweeper publishes its
-- events.
--
-- An event's `released_at` is its place in the order of its user: successive events differ by a microsecond.
--
-- Returns one row with state `event` for each event, then one row with state `woken`, whose tenant_id is the p_after of
-- the next call (null: all tenants were visited). While another replica works, it returns one row with state `busy`.
create or replace function wake_events(p_after text, p_most integer)
returns table (state text, event_id uuid, tenant_id text, trace_id text)
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $function$
#variable_conflict use_column
declare
  most_of_tenant constant integer := 200;
  most_tenants constant integer := 500;
  -- Read under the lock, so that it is later than any time that an earlier call has stored.
  moment timestamptz;
  soonest timestamptz;
  last_tenant text := p_after;
  looked integer := 0;
  left_over integer := p_most;
  woken uuid[];
  traces text[];
  users bigint[];
  known boolean[];
begin
  if not pg_try_advisory_xact_lock(hashtextextended('belfry wake', 0)) then
    return query select 'busy', null::uuid, null::text, null::text;
    return;
  end if;
  moment := clock_timestamp();
  state := 'event';
  while left_over > 0 and looked < most_tenants loop
    -- The next tenant, and when its first event is due.
    select s.tenant_id, s.send_at into last_tenant, soonest
    from scheduled_events s where s.tenant_id > last_tenant
    order by s.tenant_id, s.send_at limit 1;
    exit when last_tenant is null;
    looked := looked + 1;
    continue when soonest > moment;

    select array_agg(s.event_id order by s.send_at, s.event_id), array_agg(s.trace_id order by s.send_at, s.event_id),
           array_agg(s.user_key order by s.send_at, s.event_id),
           array_agg(s.acknowledged order by s.send_at, s.event_id)
    into woken, traces, users, known
    from (
      select * from scheduled_events s
      where s.tenant_id = last_tenant and s.send_at <= moment
      order by s.send_at limit least(most_of_tenant, left_over) for update skip locked
    ) s;
    continue when woken is null;
    delete from scheduled_events s where s.event_id = any (woken);
    insert into undispatched_events (event_id, published_at, acknowledged, user_key, accepted_at)
      select u.id, moment, u.acknowledged, u.user_key, moment + u.place * interval '1 microsecond'
      from unnest(woken, users, known) with ordinality as u (id, user_key, acknowledged, place);
    update events e set released_at = moment + array_position(woken, e.id) * interval '1 microsecond'
    where e.id = any (woken);
    left_over := left_over - cardinality(woken);
    tenant_id := last_tenant;
    for i in 1 .. cardinality(woken) loop
      event_id := woken[i];
      trace_id := traces[i];
      return next;
    end loop;
  end loop;
  state := 'woken';
  event_id := null;
  tenant_id := last_tenant;
  trace_id := null;
  return next;
end
$function$;
