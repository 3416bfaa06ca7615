-- When quiet hours end, as the timeline names it: by the clock of the zone.
create or replace function quiet_end_words(p_until timestamptz, p_zone text)
returns text language plpgsql stable as $function$
declare
  form constant text := 'HH24:MI, FMDD Mon YYYY';
begin
  return to_char(p_until at time zone coalesce(p_zone, 'UTC'), form) || ' (' || coalesce(p_zone, 'UTC') || ')';
exception when invalid_parameter_value then
  return to_char(p_until at time zone 'UTC', form) || ' (UTC)';
end
$function$;

-- What is known of users, for tenants that name theirs or have quiet hours: the zone and the quiet hours of the
-- tenant stand in for those of a user without. Arrays run in parallel; `place` is from 1. `quiet_until` is null
-- where it is not quiet now.
create or replace function recipients_of(p_tenants text[], p_users text[]) returns table (
  place integer, email text, phone text, locale text, timezone text, quiet_until timestamptz, quiet_end text
) language plpgsql stable
-- By index, row by row: this plan is made on an empty database, and must stay good.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $function$
#variable_conflict use_column
declare
  moment constant timestamptz := clock_timestamp();
begin
  return query
    select i.place::integer, r.email, r.phone, r.locale, coalesce(r.timezone, t.timezone), q.until,
           case when q.until is not null
             then quiet_end_words(q.until, coalesce(r.timezone, t.timezone)) end
    from unnest(p_tenants, p_users) with ordinality i (tenant_id, user_id, place)
    left join lateral (
      select r.email, r.phone, r.locale, r.timezone, r.quiet_from, r.quiet_to
      from recipients r where r.tenant_id = i.tenant_id and r.user_id = i.user_id limit 1
    ) r on true
    -- Asked only for what the user leaves to it.
    left join lateral (
      select t.timezone, t.quiet_from, t.quiet_to from tenants t
      where t.id = i.tenant_id and (r.timezone is null or r.quiet_from is null) limit 1
    ) t on true
    cross join lateral (
      select quiet_until(moment, coalesce(r.timezone, t.timezone), coalesce(r.quiet_from, t.quiet_from),
                         coalesce(r.quiet_to, t.quiet_to)) as until
      offset 0
    ) q;
end
$function$;

-- Why addresses are suppressed on channels. Arrays run in parallel; `place` is from 1, those that are not
-- suppressed are missing.
create or replace function suppressions_of(p_tenants text[], p_channels text[], p_addresses text[])
returns table (place integer, reason text) language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
as $function$
#variable_conflict use_column
begin
  return query
    select i.place::integer, s.reason
    from unnest(p_tenants, p_channels, p_addresses) with ordinality i (tenant_id, channel, address, place)
    cross join lateral (
      select min(s.reason) as reason from suppressions s
      where s.tenant_id = i.tenant_id and s.channel = i.channel
        and s.address = lower(i.address collate "C")
    ) s
    where s.reason is not null;
end
$function$;
