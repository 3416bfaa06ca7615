import { type Kysely, sql } from "kysely";

/**
 * How long a tenant's data is kept, and how it leaves.
 *
 * tenants.event_retention_days: events, and with each its deliveries, attempts, receipts and outbox
 * rows. tenants.notification_retention_days: the in-app history. Null: the installation's default.
 *
 * expiry_cursors: how far the walk over a table has come. Ids are UUIDv7, so that a primary key is an
 * index by age, and no other index is needed. A row says of a tenant: of its rows in this table none is
 * left with an id up to `next_id`. The tenant '' stands for all that have no row of their own; only a
 * tenant with days of its own has one, and after it lost them until it has caught up. So a change of
 * the days puts no cursor back: the walk goes on where this tenant's own rows begin.
 *
 * delete_events: removes events whole, in the order in which dispatch_events locks. Where p_spare is
 * set, a delivery that a sender holds right now stays, and with it its event; their ids come as `held`.
 * `unfinished` counts the deliveries that were still to be sent.
 *
 * expire_batch: one small step over a table (`events`, `notifications`, `outbox`). Tenants with the
 * same days and cursor are walked together, from their cursor towards the id of p_moment less their
 * days; of several such walks the one that waited longest has its turn. Looks at p_looks rows and
 * deletes p_most at most. Returns what it did: `busy` (another replica is at it), `done` (nothing is
 * left to walk), `walked`, and the rows by table.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table tenants
      add column event_retention_days integer check (event_retention_days between 1 and 3650),
      add column notification_retention_days integer check (notification_retention_days between 1 and 3650)
  `.execute(db);
  await sql`comment on column tenants.event_retention_days is 'null: EVENT_RETENTION_DAYS of the dispatcher'`.execute(
    db,
  );
  await sql`comment on column tenants.notification_retention_days is 'null: NOTIFICATION_RETENTION_DAYS of the dispatcher'`.execute(
    db,
  );
  await sql`
    create table expiry_cursors (
      table_name text not null,
      tenant_id text collate "C" not null,
      next_id uuid not null,
      walked_at timestamptz not null default '-infinity',
      primary key (table_name, tenant_id)
    ) with (fillfactor = 50)`.execute(db);
  await sql`comment on column expiry_cursors.tenant_id is 'empty: every tenant without a row of its own'`.execute(
    db,
  );

  await sql`
create function first_id_of(p_moment timestamptz) returns uuid
language sql immutable parallel safe as $function$
  select (lpad(to_hex(greatest(0, floor(extract(epoch from p_moment) * 1000))::bigint), 12, '0')
    || '00000000000000000000')::uuid
$function$`.execute(db);

  await sql`
create function delete_events(p_ids uuid[], p_spare boolean)
returns table (held uuid[], events bigint, undispatched_events bigint, deliveries bigint,
  unfinished bigint, attempts bigint, receipts bigint)
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $function$
#variable_conflict use_column
declare
  doomed uuid[];
  whole uuid[] := p_ids;
begin
  held := '{}';
  -- First: from here on nobody can dispatch them, and what was dispatched is visible below.
  perform 1 from undispatched_events u where u.event_id = any (p_ids) order by u.event_id for update;
  delete from undispatched_events u where u.event_id = any (p_ids);
  get diagnostics undispatched_events = row_count;

  -- Looked up event by event: this plan is made on an empty database, and must stay good.
  doomed := array(
    select d.id from unnest(p_ids) u (id)
    cross join lateral (
      select d.id from deliveries d where d.event_id = u.id and d.channel in ('EMAIL', 'SMS') limit 2
    ) d);
  -- In the order in which senders lock them.
  perform 1 from deliveries d where d.id = any (doomed) order by d.id for update;
  if p_spare then
    held := array(
      select distinct d.event_id from deliveries d
      where d.id = any (doomed) and d.status = 'sending' and d.claimed_until > clock_timestamp());
    whole := array(select u.id from unnest(p_ids) u (id) where u.id <> all (held));
  end if;
  with gone as (
    delete from deliveries d
    where d.id = any (doomed) and not (p_spare and d.event_id = any (held) and d.status = 'sending')
    returning d.id, d.status
  )
  select coalesce(array_agg(g.id), '{}'), count(*),
         count(*) filter (where g.status in ('queued', 'sending', 'waiting'))
  into doomed, deliveries, unfinished from gone g;
  delete from attempts a where a.delivery_id = any (doomed);
  get diagnostics attempts = row_count;
  delete from receipts r where r.delivery_id = any (doomed);
  get diagnostics receipts = row_count;
  delete from events e where e.id = any (whole);
  get diagnostics events = row_count;
  return next;
end
$function$`.execute(db);

  await sql`
create function expire_batch(
  p_table text, p_days integer, p_moment timestamptz, p_looks integer, p_most integer
) returns table (state text, counted jsonb)
language plpgsql volatile
set enable_seqscan = off
set enable_bitmapscan = off
as $function$
#variable_conflict use_column
declare
  -- A key is remembered for 24 hours, and as long its event has to tell whether it was refused.
  least_age constant interval := interval '25 hours';
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
    return query
      select 'walked', to_jsonb(d) - 'held' from delete_events(mine, false) d;
  else
    execute format('delete from %I where id = any ($1)', p_table) using mine;
    get diagnostics looked = row_count;
    return query select 'walked', jsonb_build_object(p_table, looked);
  end if;
end
$function$`.execute(db);

  // Rows leave all the time from here on: their place is free again for new ones after a vacuum.
  for (const table of ["events", "attempts", "notifications", "outbox"]) {
    await sql`alter table ${sql.table(table)} set (autovacuum_vacuum_scale_factor = 0.05)`.execute(
      db,
    );
  }
}
