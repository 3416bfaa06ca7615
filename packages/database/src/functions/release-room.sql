-- How many deliveries of a tenant are outstanding on a channel, counted under one advisory lock per (channel, tenant).
-- Nobody waits for the lock: a caller that does not get it leaves its rows in Postgres. The tenant '' is the channel's
-- own lock.
create or replace function release_lock(p_channel text, p_tenant text) returns bigint
language sql immutable as $function$
  select hashtextextended('belfry release ' || p_channel || ' ' || p_tenant, 0)
$function$;

-- Deliveries of the tenant that are released and not settled, counted up to p_most.
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
