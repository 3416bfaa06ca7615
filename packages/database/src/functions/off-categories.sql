-- Updates recipients.off_categories from preferences, for every writer of preferences. It locks the users' rows first
-- and computes the categories in a later statement: if two transactions change the preferences of one user at once, the
-- second sees the result of the first. It locks the rows in order of id, like every writer of several rows.
create or replace function keep_off_categories() returns trigger language plpgsql
-- All reads are index look-ups, for any number of rows.
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
