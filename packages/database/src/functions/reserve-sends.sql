-- Reserves start times for calls to a provider. The times are evenly spaced across all replicas, so the calls per
-- second never exceed the account's limit. `granted`: the number of reserved start times, at most p_wanted, all within
-- p_horizon_ms. `first_in_ms`: the delay until the first of them; if none was granted, the delay before calling again.
create or replace function reserve_sends(
  p_provider uuid, p_wanted integer, p_spacing_ms double precision, p_horizon_ms double precision,
  out granted integer, out first_in_ms double precision
) language plpgsql volatile as $function$
declare
  spacing constant interval := p_spacing_ms * interval '1 millisecond';
  moment timestamptz;
  first_at timestamptz;
begin
  insert into provider_sends (provider_id, next_at)
  select p.id, '-infinity' from providers p where p.id = p_provider
  on conflict do nothing;
  select s.next_at into first_at from provider_sends s where s.provider_id = p_provider for update;
  moment := clock_timestamp();
  first_at := greatest(moment, coalesce(first_at, moment));
  first_in_ms := extract(epoch from first_at - moment) * 1000;
  granted := least(p_wanted, greatest(0, floor((p_horizon_ms - first_in_ms) / p_spacing_ms) + 1))::integer;
  if granted > 0 then
    update provider_sends s set next_at = first_at + granted * spacing where s.provider_id = p_provider;
  end if;
end
$function$;
