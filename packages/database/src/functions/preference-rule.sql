-- Returns whether the users' preferences allow events to be sent on channels. The only rule, in this order:
--   1. a required category sends the message;
--   2. an explicit off in any of the four cells (*/*, */channel, category/*, category/channel) skips it;
--   3. an explicit on in a category cell sends it, and so does a category that is on by default; any other skips it.
-- For an event type without a category only the cells of * count: without an off there it is sent.
--
-- Arrays are parallel, one item per event; each item of p_channels has the event's channels, separated by spaces.
-- `place` is the index of the event, from 1. Usually nothing is off and nothing has to be read: then the event has one
-- row, whose `channel` is null, for all channels; else it has one row per channel. `cell` is the most specific cell
-- that is off. `reason` is the reason code of a message that is not sent, with the data of that cell. `category` is the
-- event type's, null if it has none. A null user has no preferences.
create or replace function preferences_of(
  p_tenants text[], p_users text[], p_event_types text[], p_channels text[]
) returns table (
  place integer, channel text, sends boolean, reason text, category text, required boolean, cell text
) language plpgsql stable
-- All reads are index look-ups: Postgres plans them on an empty database, and the plan must stay good.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $function$
#variable_conflict use_column
begin
  return query
    select i.place::integer, v.channel, coalesce(v.sends, true), v.reason, c.key, coalesce(c.required, false), v.cell
    from unnest(p_tenants, p_users, p_event_types, p_channels)
      with ordinality i (tenant_id, user_id, event_type, channels, place)
    left join lateral (
      select e.category from event_type_categories e
      where e.tenant_id = i.tenant_id and e.event_type = i.event_type limit 1
    ) e on true
    -- Looks into the index once per item: a join would read all categories of the tenant.
    left join lateral (
      select c.key, c.required, c.default_on
      from categories c where c.tenant_id = i.tenant_id and c.key = e.category limit 1
    ) c on true
    -- Whether any cell is off: an index-only scan.
    left join lateral (
      select true as is_off from preferences p
      where p.tenant_id = i.tenant_id and p.user_id = i.user_id and p.category in ('*', c.key) and not p.enabled
      limit 1
    ) any_cell on true
    left join lateral (
      select asked.channel, o.sends, o.cell,
             case
               when o.sends then null
               when o.cell is null then '#not-turned-on ' || json_build_object('label', l.label)
               else '#turned-off' || case when o.cell not like '*/%' then '-category' else '' end
                 || case when o.cell not like '%/*' then '-channel' else '' end
                 || ' ' || json_build_object('label', l.label, 'channel', asked.channel,
                   'date', to_char(s.times[array_position(s.cells, o.cell)] at time zone 'UTC', 'FMDD Mon YYYY'),
                   'source', s.sources[array_position(s.cells, o.cell)])
             end as reason
      from (
        -- Keys and channels contain no slash.
        select array_agg(p.category || '/' || p.channel) as cells, array_agg(p.enabled) as enabled,
               array_agg(p.at) as times, array_agg(p.source) as sources
        from preferences p
        where p.tenant_id = i.tenant_id and p.user_id = i.user_id and p.category in ('*', c.key)
      ) s
      left join lateral (
        select c.label ->> '' as label from categories c
        where c.tenant_id = i.tenant_id and c.key = e.category limit 1
      ) l on true
      cross join lateral unnest(string_to_array(i.channels, ' ')) asked (channel)
      cross join lateral (
        select case
          when s.cells is null then null
          when not s.enabled[array_position(s.cells, c.key || '/' || asked.channel)] then c.key || '/' || asked.channel
          when not s.enabled[array_position(s.cells, c.key || '/*')] then c.key || '/*'
          when not s.enabled[array_position(s.cells, '*/' || asked.channel)] then '*/' || asked.channel
          when not s.enabled[array_position(s.cells, '*/*')] then '*/*'
        end as cell
      ) f
      cross join lateral (
        select f.cell, c.required is true or f.cell is null and (
          c.key is null or c.default_on
          or coalesce(s.enabled[array_position(s.cells, c.key || '/' || asked.channel)], false)
          or coalesce(s.enabled[array_position(s.cells, c.key || '/*')], false)) as sends
      ) o
      where any_cell.is_off or c.required is not true and not c.default_on
      -- `offset 0` keeps Postgres from reading anything of this subquery if the condition is false.
      offset 0
    ) v on true;
end
$function$;
