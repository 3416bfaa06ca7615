-- Whether an event of a type is sent to a user on a channel, as far as the user has a say. The one rule, in this order:
--   1. a required category sends;
--   2. an explicit off in any of the four cells (*/*, */channel, category/*, category/channel) skips: it never loses;
--   3. an explicit on in a category cell sends, and so does a category that is on by default; another one skips.
-- An event type without a category knows the cells of * alone: without an off there it is sent.
-- `reason` says of what is not sent why, as the timeline shows it, and tells the most specific cell that is off;
-- `cell`, `source` and `at` are of that cell. `category` is the event type's, null where it has none.
create or replace function preference_of(p_tenant text, p_user text, p_event_type text, p_channel text)
returns table (
  sends boolean, reason text, category text, required boolean, cell text, source text, at timestamptz
) language sql stable as $function$
  select verdict.sends,
         case
           when verdict.sends then null
           when o.cell is null then 'not turned on by the user: ' || (c.label ->> '') || ' is off by default'
           else 'turned off by the user' || case when o.category <> '*' then ' for ' || (c.label ->> '') else '' end
             || case when o.channel <> '*' then ' on ' || o.channel else '' end
             || to_char(o.at at time zone 'UTC', ', FMDD Mon YYYY, ') || o.source
         end,
         c.key, coalesce(c.required, false), o.cell, o.source, o.at
  from (values (true)) one (row)
  left join lateral (
    select e.category from event_type_categories e
    where e.tenant_id = p_tenant and e.event_type = p_event_type limit 1
  ) e on true
  -- One look into an index each: as a join it would walk over all categories of the tenant.
  left join lateral (
    select c.key, c.label, c.required, c.default_on
    from categories c where c.tenant_id = p_tenant and c.key = e.category limit 1
  ) c on true
  left join lateral (
    select p.category, p.channel, p.category || '/' || p.channel as cell, p.source, p.at
    from preferences p
    where p.tenant_id = p_tenant and p.user_id = p_user and p.category in ('*', c.key)
      and p.channel in ('*', p_channel) and not p.enabled
    -- The most specific first, as the index has it: * stands before every letter and digit.
    order by p.category desc, p.channel desc limit 1
  ) o on true
  cross join lateral (
    select c.required is true or o.cell is null and (
      c.key is null or c.default_on or exists (
        select from preferences p
        where p.tenant_id = p_tenant and p.user_id = p_user and p.category = c.key
          and p.channel in ('*', p_channel) and p.enabled)
    ) as sends
  ) verdict
$function$;

-- The same of a batch. Arrays run in parallel; `place` is from 1.
create or replace function preferences_of(
  p_tenants text[], p_users text[], p_event_types text[], p_channels text[]
) returns table (place integer, sends boolean, reason text, category text, required boolean)
language plpgsql stable
-- By index, row by row: this plan is made on an empty database, and must stay good.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $function$
#variable_conflict use_column
begin
  return query
    select i.place::integer, p.sends, p.reason, p.category, p.required
    from unnest(p_tenants, p_users, p_event_types, p_channels)
      with ordinality i (tenant_id, user_id, event_type, channel, place)
    cross join lateral preference_of(i.tenant_id, i.user_id, i.event_type, i.channel) p;
end
$function$;
