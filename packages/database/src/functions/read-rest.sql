-- Returns what waits for the dispatcher, and the version of the configuration. An idle dispatcher reads only this. In a
-- plain statement, planning would take ten times as long as reading; a kept plan that was made for empty tables would
-- read whole tables once they are filled.
create or replace function read_rest(p_channels text[])
returns table (channels text[], is_event_due boolean, is_broadcast_due boolean, is_import_due boolean,
  is_erasure_open boolean, is_deletion_open boolean, has_sensitive boolean, version bigint)
language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_sort = off
as $function$
begin
  -- Reads the soonest event and then the clock. In an index condition, a running clock would be read row by row.
  return query select
    array(
      select c.channel from unnest(p_channels) as c (channel)
      cross join lateral (
        (select from deliveries d
         where d.channel = c.channel and d.released_at is null and d.broadcast_id is null
           and d.status in ('queued', 'waiting')
         order by d.tenant_id limit 1)
        union all
        (select from deliveries d
         where d.channel = c.channel and d.released_at is null and d.broadcast_id is not null
           and d.status in ('queued', 'waiting')
         order by d.tenant_id limit 1)
        limit 1
      ) d
    ),
    coalesce((select send_at from scheduled_events order by send_at limit 1) <= clock_timestamp(), false),
    coalesce(least(
      (select next_at from broadcasts where next_at is not null order by next_at limit 1),
      (select count_at from broadcast_chunks where count_at is not null order by count_at limit 1)
    ) <= clock_timestamp() + interval '100 milliseconds', false),
    exists (select from imports i
            where i.state in ('receiving', 'waiting', 'running') and i.due_at <= clock_timestamp())
      or exists (select from topics where deleted_at is not null),
    exists (select from erasures where state <> 'done'),
    exists (select from tenant_deletions where ended_at is null),
    (select event_id from sensitive_events order by event_id limit 1) is not null,
    (select v.version from configuration_version v);
end
$function$;
