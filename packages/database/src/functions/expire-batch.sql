-- Returns the smallest UUIDv7 of a moment.
create or replace function first_id_of(p_moment timestamptz) returns uuid
language sql immutable parallel safe as $function$
  select (lpad(to_hex(greatest(0, floor(extract(epoch from p_moment) * 1000))::bigint), 12, '0')
    || '00000000000000000000')::uuid
$function$;

-- Makes one small step over a table (`events`, `notifications`, `outbox`, `inbound_messages`, `webhook_messages`), see
-- expiry_cursors. Tenants with the same retention (p_days if a tenant has none of its own) and the same cursor form a
-- group. A step reads the rows of one group from its cursor on, up to the id of p_moment minus the retention; the group
-- that has waited longest is next. It reads p_looks rows and deletes at most p_most. Returns `state`: `busy` (another
-- replica works on this table), `done` (no group has expired rows left) or `walked`; and the numbers of deleted rows by
-- table.
create or replace function expire_batch(
  p_table text, p_days integer, p_moment timestamptz, p_looks integer, p_most integer
) returns table (state text, counted jsonb)
language plpgsql volatile
set enable_seqscan = off
set enable_bitmapscan = off
as $function$
#variable_conflict use_column
declare
  -- An idempotency key is valid for 24 hours, and for as long its event must say whether it was refused. A webhook
  -- message is retried for days, and may be looked up after its last attempt.
  least_age constant interval := case p_table when 'webhook_messages' then interval '5 days' else interval '25 hours' end;
  walk record;
  looked integer;
  reached uuid;
  mine uuid[];
begin
  if not pg_try_advisory_xact_lock(hashtextextended('belfry expiry ' || p_table, 0)) then
    return query select 'busy', '{}'::jsonb;
    return;
  end if;

  insert into expiry_cursors (table_name, tenant_id, next_id)
  values (p_table, '', first_id_of('epoch')) on conflict do nothing;
  insert into expiry_cursors (table_name, tenant_id, next_id)
  select p_table, t.id, every.next_id
  from tenants t
  join expiry_cursors every on every.table_name = p_table and every.tenant_id = ''
  where case p_table when 'notifications' then t.notification_retention_days
        else t.event_retention_days end is not null
  on conflict do nothing;
  delete from expiry_cursors c
  using expiry_cursors every
  where every.table_name = p_table and every.tenant_id = ''
    and c.table_name = p_table and c.tenant_id <> ''
    and not exists (
      select 1 from tenants t
      where t.id = c.tenant_id
        and (c.next_id < every.next_id or case p_table when 'notifications'
          then t.notification_retention_days else t.event_retention_days end is not null));

  select c.next_id, last.id as until, array_agg(c.tenant_id) as owners into walk
  from expiry_cursors c
  left join lateral (
    select case p_table when 'notifications' then t.notification_retention_days
           else t.event_retention_days end as days
    from tenants t where t.id = c.tenant_id limit 1
  ) own on true
  cross join lateral (
    select first_id_of(p_moment
      - greatest(least_age, make_interval(hours => 24 * coalesce(own.days, p_days)))) as id
  ) last
  where c.table_name = p_table and c.next_id < last.id
  group by c.next_id, last.id
  order by min(c.walked_at), c.next_id
  limit 1;
  if walk.until is null then
    return query select 'done', '{}'::jsonb;
    return;
  end if;

  execute format($query$
    with seen as materialized (
      select x.id, x.tenant_id from %I x where x.id > $1 and x.id < $2 order by x.id limit $3
    )
    select count(*)::integer, (select id from seen order by id desc limit 1),
           coalesce(array_agg(seen.id order by seen.id) filter (where coalesce(own.tenant_id, '') = any ($4)), '{}')
    from seen
    left join lateral (
      select c.tenant_id from expiry_cursors c
      where c.table_name = $5 and c.tenant_id = seen.tenant_id limit 1
    ) own on true
  $query$, p_table)
  into looked, reached, mine
  using walk.next_id, walk.until, p_looks, walk.owners, p_table;
  if looked < p_looks then reached := walk.until; end if;
  if cardinality(mine) > p_most then
    mine := mine[1:p_most];
    reached := mine[p_most];
  end if;

  update expiry_cursors c set next_id = reached, walked_at = clock_timestamp()
  where c.table_name = p_table and c.tenant_id = any (walk.owners);

  if p_table = 'events' then
    -- The retention of a scheduled event ends later than its id says. The cursor passes it for good: the event is
    -- deleted later as a stray.
    mine := array(
      select u.id from unnest(mine) u (id)
      where not exists (select 1 from scheduled_events s where s.event_id = u.id));
    return query
      select 'walked', to_jsonb(d) - 'held' from delete_events(mine, false) d;
  elsif p_table = 'webhook_messages' then
    -- The cursor also passes an unsent message for good.
    return query select 'walked', to_jsonb(d) from delete_webhook_messages(mine, true) d;
  else
    -- The row of a keyword stays, because its id must: the vendor's signature never expires, and a repeated call must
    -- not apply the keyword twice.
    execute format('delete from %I where id = any ($1)', p_table)
      || case p_table when 'inbound_messages' then ' and text is not null' else '' end
    using mine;
    get diagnostics looked = row_count;
    return query select 'walked', jsonb_build_object(p_table, looked);
  end if;
end
$function$;
