-- Returns the end of quiet hours as text for the timeline, by the clock of the zone.
create or replace function quiet_end_words(p_until timestamptz, p_zone text)
returns text language plpgsql stable as $function$
declare
  form constant text := 'HH24:MI, FMDD Mon YYYY';
begin
  return to_char(p_until at time zone coalesce(zone_name(p_zone), 'UTC'), form) || ' (' || coalesce(p_zone, 'UTC') || ')';
exception when invalid_parameter_value then
  return to_char(p_until at time zone 'UTC', form) || ' (UTC)';
end
$function$;

-- Returns a reason in the form that contracts/reasons.ts reads: a code with the time until which it is valid.
create or replace function coded_reason(p_code text, p_until text) returns text
language sql immutable parallel safe as $function$
  select '#' || p_code || ' ' || json_build_object('until', p_until)
$function$;

-- Returns what the directory knows about the users of a batch of events, for tenants that name users, have quiet hours,
-- or whose users have preferences. The tenant's zone and quiet hours replace missing ones of a user. Arrays are
-- parallel, except the event types, of which a batch has few: each is passed once, and p_types are indexes into that
-- array. Indexes and `place` are from 1. `quiet_until` is null outside quiet hours. `required`: the event type's
-- category is sent even if it is off; `chooses`: the user may have turned it off, so the caller must call
-- preferences_of. `attributes` are returned for the places where p_reads is true; null: they are for none.
create or replace function recipients_with_attributes(
  p_tenants text[], p_users text[], p_types integer[], p_type_tenants text[], p_type_names text[], p_reads boolean[]
) returns table (
  place integer, email text, phone text, locale text, timezone text, quiet_until timestamptz, quiet_end text,
  required boolean, chooses boolean, attributes text
) language plpgsql stable
-- All reads are index look-ups: Postgres plans them on an empty database, and the plan must stay good.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $function$
#variable_conflict use_column
declare
  moment constant timestamptz := clock_timestamp();
  keys text[];
  requireds boolean[];
  offs_by_default boolean[];
begin
  select array_agg(c.key order by n), array_agg(coalesce(c.required, false) order by n),
         array_agg(coalesce(not c.default_on, false) order by n)
  into keys, requireds, offs_by_default
  from unnest(p_type_tenants, p_type_names) with ordinality y (tenant_id, event_type, n)
  left join lateral (
    select o.category from event_type_categories o
    where o.tenant_id = y.tenant_id and o.event_type = y.event_type limit 1
  ) o on true
  -- Looks into the index: a join would read all categories of the tenant.
  left join lateral (
    select c.key, c.required, c.default_on
    from categories c where c.tenant_id = y.tenant_id and c.key = o.category limit 1
  ) c on true;
  return query
    select a.place::integer, r.email, r.phone, r.locale, coalesce(r.timezone, t.timezone), q.until,
           case when q.until is not null
             then quiet_end_words(q.until, coalesce(r.timezone, t.timezone)) end,
           requireds[a.type],
           not requireds[a.type]
             and (offs_by_default[a.type] or coalesce(r.off_categories && array['*', keys[a.type]], false)),
           case when p_reads[a.place] then r.attributes end
    from unnest(p_tenants, p_users, p_types) with ordinality a (tenant_id, user_id, type, place)
    left join lateral (
      select r.email, r.phone, r.locale, r.timezone, r.quiet_from, r.quiet_to, r.off_categories, r.attributes
      from recipients r where r.tenant_id = a.tenant_id and r.user_id = a.user_id limit 1
    ) r on true
    -- Read only if the user has no zone or no quiet hours of their own.
    left join lateral (
      select t.timezone, t.quiet_from, t.quiet_to from tenants t
      where t.id = a.tenant_id and (r.timezone is null or r.quiet_from is null) limit 1
    ) t on true
    cross join lateral (
      select quiet_until(moment, coalesce(r.timezone, t.timezone), coalesce(r.quiet_from, t.quiet_from),
                         coalesce(r.quiet_to, t.quiet_to)) as until
      offset 0
    ) q;
end
$function$;

-- Returns the same without `attributes`, for dispatchers of the previous version.
create or replace function recipients_of(
  p_tenants text[], p_users text[], p_types integer[], p_type_tenants text[], p_type_names text[]
) returns table (
  place integer, email text, phone text, locale text, timezone text, quiet_until timestamptz, quiet_end text,
  required boolean, chooses boolean
) language sql stable
as $function$
  select r.place, r.email, r.phone, r.locale, r.timezone, r.quiet_until, r.quiet_end, r.required, r.chooses
  from recipients_with_attributes(
    p_tenants => p_tenants, p_users => p_users, p_types => p_types, p_type_tenants => p_type_tenants,
    p_type_names => p_type_names, p_reads => null) r
$function$;

-- Returns why addresses are suppressed on channels. Arrays are parallel; `place` is the index, from 1. Addresses that
-- are not suppressed have no row.
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
