-- Returns the first moment, at p_moment or later, at which the clock of a zone shows p_time on one of the ISO days of
-- the week in p_days (1 is Monday; null: any day). If the clock skips the time, this is the moment of the change; if it
-- shows the time twice, the first one. A zone that this database does not know is read as UTC. p_time has no fractions
-- of a second.
create or replace function next_local_time(p_moment timestamptz, p_time time, p_days integer[], p_zone text)
returns timestamptz language plpgsql stable as $function$
declare
  zone text := coalesce(zone_name(p_zone), 'UTC');
  today date;
  found_at timestamptz;
begin
  begin
    today := (p_moment at time zone zone)::date;
  exception when invalid_parameter_value then
    zone := 'UTC';
    today := (p_moment at time zone zone)::date;
  end;
  -- Begins with yesterday, because a clock may go back over midnight.
  for day in -1..8 loop
    continue when extract(isodow from today + day) <> all (p_days);
    found_at := (clock_moments(today + day + p_time, zone)).first_at;
    if found_at >= p_moment then return found_at; end if;
  end loop;
  return null;
end
$function$;
