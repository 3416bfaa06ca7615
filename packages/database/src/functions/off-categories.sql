-- Keeps recipients.off_categories as preferences has it, for whoever changes those. The rows are held before they are
-- reckoned, by a statement that begins after that: so of two who change the cells of one user at once the second sees
-- what the first has written. Held by their ids, as everybody holds them who writes several.
create or replace function keep_off_categories() returns trigger language plpgsql
-- By index, row by row, however many there are.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $function$
begin
  if tg_op <> 'DELETE' then
    insert into recipients (tenant_id, user_id, named)
    select distinct c.tenant_id, c.user_id, false from changed c where not c.enabled
    order by c.tenant_id, c.user_id
    on conflict (tenant_id, user_id) do nothing;
  end if;
  perform from (select distinct c.tenant_id, c.user_id from changed c order by c.tenant_id, c.user_id) u
  cross join lateral (
    select from recipients r where r.tenant_id = u.tenant_id and r.user_id = u.user_id for update
  ) held;
  update recipients r set off_categories = o.categories
  from (select distinct c.tenant_id, c.user_id from changed c) u
  cross join lateral (
    select coalesce(array_agg(distinct p.category), '{}') as categories
    from preferences p
    where p.tenant_id = u.tenant_id and p.user_id = u.user_id and not p.enabled
  ) o
  where r.tenant_id = u.tenant_id and r.user_id = u.user_id and r.off_categories <> o.categories;
  return null;
end
$function$;
