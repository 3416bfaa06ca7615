-- Returns the name by which `at time zone` finds the zone that Intl has under p_zone. Postgres looks for an
-- abbreviation first: it reads `CET` as UTC+1 all year. So an abbreviation that is also the name of a zone is replaced
-- by a zone with the same rules. Belfry refuses other abbreviations for users. Those that were stored earlier are read
-- as Intl reads them, like the dates in messages.
create or replace function zone_name(p_zone text) returns text language sql immutable as $function$
  select case when position('/' in p_zone) > 0 then p_zone else
    case upper(p_zone)
      when 'CET' then 'Europe/Brussels'
      when 'EET' then 'Europe/Athens'
      when 'EST' then 'America/Panama'
      when 'HST' then 'Pacific/Honolulu'
      when 'MET' then 'Europe/Brussels'
      when 'MST' then 'America/Phoenix'
      when 'WET' then 'Europe/Lisbon'
      -- The following are abbreviations only, not names of zones.
      when 'ACT' then 'Australia/Darwin'
      when 'AET' then 'Australia/Sydney'
      when 'AGT' then 'America/Argentina/Buenos_Aires'
      when 'ART' then 'Africa/Cairo'
      when 'AST' then 'America/Anchorage'
      when 'BET' then 'America/Sao_Paulo'
      when 'BST' then 'Asia/Dhaka'
      when 'CAT' then 'Africa/Maputo'
      when 'CNT' then 'America/St_Johns'
      when 'CST' then 'America/Chicago'
      when 'CTT' then 'Asia/Shanghai'
      when 'EAT' then 'Africa/Nairobi'
      when 'ECT' then 'Europe/Paris'
      when 'IET' then 'America/Indiana/Indianapolis'
      when 'IST' then 'Asia/Kolkata'
      when 'JST' then 'Asia/Tokyo'
      when 'MIT' then 'Pacific/Apia'
      when 'NET' then 'Asia/Yerevan'
      when 'NST' then 'Pacific/Auckland'
      when 'PLT' then 'Asia/Karachi'
      when 'PNT' then 'America/Phoenix'
      when 'PRT' then 'America/Puerto_Rico'
      when 'PST' then 'America/Los_Angeles'
      when 'SST' then 'Pacific/Guadalcanal'
      when 'VST' then 'Asia/Ho_Chi_Minh'
      else p_zone
    end
  end
$function$;

-- Returns the first and the last moment at which the clock of a zone (as `zone_name` names it) shows a time. They
-- differ if the clock goes back and shows the time twice. If the clock goes forward over the time, both are the moment
-- of that change, the first at which the clock shows a later time. p_time has no fractions of a second.
create or replace function clock_moments(
  p_time timestamp, p_zone text, out first_at timestamptz, out last_at timestamptz
) language plpgsql stable as $function$
declare
  -- Longer than any change of a clock: Apia went forward by a day in 2011.
  a_day constant interval := interval '25 hours';
  guess constant timestamptz := p_time at time zone p_zone;
  -- p_time by the zone's offset a day before, and by the one a day after. They differ only near a change of the clock.
  old_at constant timestamptz := (
    p_time - ((guess - a_day) at time zone p_zone - (guess - a_day) at time zone 'UTC')) at time zone 'UTC';
  new_at constant timestamptz := (
    p_time - ((guess + a_day) at time zone p_zone - (guess + a_day) at time zone 'UTC')) at time zone 'UTC';
  was_shown constant boolean := old_at at time zone p_zone = p_time;
  is_shown constant boolean := new_at at time zone p_zone = p_time;
  earlier bigint;
  later bigint;
  middle bigint;
begin
  if was_shown or is_shown then
    first_at := case when was_shown and is_shown then least(old_at, new_at) when was_shown then old_at else new_at end;
    last_at := case when was_shown and is_shown then greatest(old_at, new_at) else first_at end;
    return;
  end if;
  -- The clock skips p_time: a binary search finds the second of the change.
  earlier := extract(epoch from least(old_at, new_at));
  later := extract(epoch from greatest(old_at, new_at));
  while later - earlier > 1 loop
    middle := (earlier + later) / 2;
    if to_timestamp(middle) at time zone p_zone > p_time then later := middle; else earlier := middle; end if;
  end loop;
  first_at := to_timestamp(later);
  last_at := first_at;
end
$function$;

-- Returns the end of the quiet hours that contain p_moment, or null if it is not quiet. Quiet hours begin at p_from by
-- the clock of the zone and end before p_to, on the next day if p_to is not later than p_from. If both are equal there
-- are none. When the clock changes, quiet hours are never shorter than the clock shows:
--   - if the clock skips the begin or the end (02:30 in spring), the moment of the change counts;
--   - if it shows one twice (02:30 in autumn), quiet hours begin at the first and end at the second, without a gap
--     between the two;
--   - quiet hours that end after the next ones have begun last until the end of the next ones.
-- A zone that this database does not know is read as UTC.
create or replace function quiet_until(p_moment timestamptz, p_zone text, p_from time, p_to time)
returns timestamptz language plpgsql stable as $function$
declare
  -- Longer than quiet hours that begin with a change of the clock, plus the day that such a change may take.
  near constant interval := interval '3 days';
  zone text := coalesce(zone_name(p_zone), 'UTC');
  shown timestamp;
  today date;
  begins timestamptz;
  ends timestamptz;
begin
  if p_from is null or p_to is null or p_from = p_to then return null; end if;
  begin
    shown := p_moment at time zone zone;
  exception when invalid_parameter_value then
    zone := 'UTC';
    shown := p_moment at time zone zone;
  end;
  today := shown::date;
  if (p_moment + near) at time zone zone - (p_moment - near) at time zone zone = 2 * near then
    -- The usual case: no change is near, and the clock alone decides.
    if p_from < p_to and (shown::time < p_from or shown::time >= p_to)
      or p_from > p_to and shown::time < p_from and shown::time >= p_to then return null; end if;
    return (today + (p_from > p_to and shown::time >= p_from)::integer + p_to) at time zone zone;
  end if;
  -- Tries yesterday, today and tomorrow, because a clock may go back over midnight.
  for day in -1..1 loop
    begins := (clock_moments(today + day + p_from, zone)).first_at;
    ends := (clock_moments(today + day + (p_to < p_from)::integer + p_to, zone)).last_at;
    if begins <= p_moment and p_moment < ends then
      return coalesce(quiet_until(ends, zone, p_from, p_to), ends);
    end if;
  end loop;
  return null;
end
$function$;
