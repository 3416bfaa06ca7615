-- The sliding window of a tenant's requests: a ring of 61 seconds, second s at s % 61 + 1. It only moves forward, because
-- a clock that goes back must not reopen a window.
--
-- turned_ring: the ring and its sum at a later second.
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

-- The current second of the ring: the moment's, or the ring's own if that is later.
create or replace function ring_second(ring_second bigint, moment timestamptz) returns bigint
language sql immutable as $function$
  select greatest(floor(extract(epoch from moment))::bigint, ring_second)
$function$;

-- The ring with more requests in a second.
create or replace function ring_with(ring integer[], at_second bigint, more integer) returns integer[]
language plpgsql immutable as $function$
declare
  slot constant integer := (at_second % 61)::integer + 1;
begin
  ring[slot] := ring[slot] + more;
  return ring;
end
$function$;

-- Seconds until enough of the oldest seconds have left the window for one more request.
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
