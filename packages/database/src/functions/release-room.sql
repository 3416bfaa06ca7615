-- Returns the key of the advisory lock for counting a tenant's outstanding deliveries on a channel. Nobody waits for
-- the lock: a caller that does not get it releases nothing. The tenant '' means the lock of the whole channel.
create or replace function release_lock(p_channel text, p_tenant text) returns bigint
language sql immutable as $function$
  select hashtextextended('belfry release ' || p_channel || ' ' || p_tenant, 0)
$function$;

-- Returns how many deliveries of the tenant are released and not settled, counted up to p_most.
create or replace function outstanding(p_channel text, p_tenant text, p_most integer) returns integer
language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
as $function$
begin
  return (select count(*) from (
    select 1 from deliveries d
    where d.channel = p_channel and d.tenant_id = p_tenant and d.released_at is not null
      and d.status in ('queued', 'waiting', 'sending')
    limit p_most) d);
end
$function$;
