-- A tenant's requests are counted in a sliding window of 60 seconds: a ring of 61 counters, one for each past second
-- and one for the current second. Second s is at index s % 61 + 1. The ring only moves forward, because a clock that
-- goes back must not reopen a window.
--
-- turned_ring returns the ring and its sum at a later second.
create or replace function turned_ring(inout ring integer[], inout used integer, from_second bigint, to_second bigint)
language plpgsql immutable as $function$
declare
  slots constant integer := 61;
  slot integer;
begin
  if to_second - from_second >= slots then
    ring := array_fill(0, array[slots]);
    used := 0;
    return;
  end if;
  for s in from_second + 1 .. to_second loop
    slot := (s % slots)::integer + 1;
    used := used - ring[slot];
    ring[slot] := 0;
  end loop;
end
$function$;

-- Returns the second that counts as now: the second of the moment, or the ring's last second if that is later.
create or replace function ring_second(ring_second bigint, moment timestamptz) returns bigint
language sql immutable as $function$
  select greatest(floor(extract(epoch from moment))::bigint, ring_second)
$function$;

-- Returns the ring with more requests in a second.
create or replace function ring_with(ring integer[], at_second bigint, more integer) returns integer[]
language plpgsql immutable as $function$
declare
  slot constant integer := (at_second % 61)::integer + 1;
begin
  ring[slot] := ring[slot] + more;
  return ring;
end
$function$;

-- Returns the number of seconds until the window has room for one more request.
create or replace function ring_wait(ring integer[], used integer, per_minute integer, last_second bigint, moment timestamptz)
returns integer language plpgsql immutable as $function$
declare
  slots constant integer := 61;
begin
  if used = 0 then return case when per_minute = 0 then slots - 1 else 0 end; end if;
  for s in last_second - slots + 1 .. last_second loop
    if ring[(s % slots)::integer + 1] > 0 then
      used := used - ring[(s % slots)::integer + 1];
      if used < per_minute or used = 0 then
        return greatest(1, ceil(s + slots - extract(epoch from moment)))::integer;
      end if;
    end if;
  end loop;
  return slots;
end
$function$;

-- Counts one test message against the tenant's limits per minute and per day, as accept_events counts an event. This is
-- one function, so that no client holds the lock of the tenant's row between two statements. Returns false and counts
-- nothing if a limit is reached.
create or replace function count_event(p_tenant text) returns boolean language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $function$
begin
  perform 1 from tenant_limits l where l.tenant_id = p_tenant for update;
  -- This is a separate statement, so that it sees what the previous holder of the lock has counted.
  update tenant_limits l
  set ring = ring_with(o.ring, o.second, 1), ring_second = o.second, ring_total = o.used + 1,
      day = o.day, day_total = o.day_total + 1
  from (
    select r.ring, r.used, s.second, t.per_minute, t.daily_cap, greatest(k.day, d.today) as day,
           case when k.day >= d.today then k.day_total else 0 end as day_total
    from tenants t join tenant_limits k on k.tenant_id = t.id
    cross join lateral (select (clock_timestamp() at time zone 'UTC')::date as today) d
    cross join lateral (select ring_second(k.ring_second, clock_timestamp()) as second) s
    cross join lateral turned_ring(k.ring, k.ring_total, k.ring_second, s.second) r
    where t.id = p_tenant
  ) o
  where l.tenant_id = p_tenant and o.used < o.per_minute
    and (o.daily_cap is null or o.day_total < o.daily_cap);
  return found;
end
$function$;
