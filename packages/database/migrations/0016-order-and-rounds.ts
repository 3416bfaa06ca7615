import { type Kysely, sql } from "kysely";

/**
 * undispatched_events knows its event's user and when it was accepted, so that dispatch_events can keep
 * the order: with p_in_turn an event of a batch with pushes is claimed only when no earlier one of the
 * same user waits outside the batch. Those of such a user are answered as rows of the kind `earlier`, up
 * to the last of the batch (event ids, at most 200 a user, the oldest). Offsets of a realtime
 * channel follow the acceptance, and a notification is as old as its event. The rest is as in 0003, whose
 * function stays for dispatchers of the version before. accept_events (see 0018) fills the new columns.
 *
 * message_tries: a NATS message that has come often is tried alone, and each try is noted here before it
 * begins. What stands is a try that ended with its process, or one under way.
 *
 * release_deliveries (see 0003 and 0015) ends with the last tenant instead of going on with the first, so
 * that its caller knows when it has seen every tenant once.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table undispatched_events add column user_key bigint, add column accepted_at timestamptz`.execute(
    db,
  );
  await sql`
    comment on column undispatched_events.user_key is 'user_key(tenant, user); null: takes no part in the order'`.execute(
    db,
  );
  await sql`
create function user_key(p_tenant text, p_user text) returns bigint
language sql immutable as $function$
  select hashtextextended(p_tenant || ' ' || p_user, 0)
$function$`.execute(db);

  await sql`
create function dispatch_events(
  p_ids uuid[], p_accepted timestamptz[], p_outcomes text[], p_erase boolean[],
  p_delivery_ids uuid[], p_delivery_events uuid[], p_delivery_tenants text[],
  p_delivery_channels text[], p_delivery_versions bigint[], p_delivery_expires timestamptz[],
  p_push_ids uuid[], p_push_tenants text[], p_push_users text[], p_push_types text[],
  p_push_titles text[], p_push_bodies text[], p_push_names text[], p_push_accepted timestamptz[],
  p_in_flight integer, p_in_turn boolean
) returns table (kind text, id uuid, channel_offset bigint, created_at timestamptz)
language plpgsql volatile
-- Planning these statements anew costs more than running them, and the planner knows nothing of the
-- size of a batch: every table is looked into by index, item by item.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $function$
#variable_conflict use_column
declare
  most_earlier constant integer := 200;
  claimed uuid[];
  users bigint[];
  times timestamptz[];
  behind bigint[];
  passing uuid[];
  every boolean;
  locked text[];
  moment timestamptz;
begin
  select coalesce(array_agg(item.id), '{}'), array_agg(u.user_key), array_agg(u.accepted_at),
         array_agg(u.user_key) filter (where u.behind)
    into claimed, users, times, behind
  from unnest(p_ids, p_accepted) as item (id, accepted)
  cross join lateral (
    select u.user_key, u.accepted_at, p_in_turn and exists (
        select 1 from undispatched_events other
        where other.user_key = u.user_key and other.accepted_at < u.accepted_at
      ) as behind
    from undispatched_events u where u.event_id = item.id limit 1 for update of u
  ) u
  cross join lateral (
    select 1 from events e where e.id = item.id and e.accepted_at = item.accepted limit 1
  ) e;
  if cardinality(claimed) = 0 then return; end if;

  if behind is not null and cardinality(p_push_ids) > 0 then
    -- Mostly the earlier ones are here as well. Whoever else has dispatched one has committed by now, or
    -- its row is still seen.
    select array_agg(mine.id) into passing
    from (
      select m.*, rank() over (partition by m.user_key order by m.accepted_at) as place
      from unnest(claimed, users, times) as m (id, user_key, accepted_at)
      where m.user_key = any (behind)
    ) mine
    where exists (
      select 1 from undispatched_events u
      where u.user_key = mine.user_key and u.accepted_at < mine.accepted_at
      offset mine.place - 1);
    if passing is not null then
      return query
        with late as (
          select m.user_key, max(m.accepted_at) as last
          from unnest(claimed, users, times) as m (id, user_key, accepted_at)
          where m.id = any (passing) group by m.user_key
        )
        select 'earlier', u.event_id, null::bigint, null::timestamptz
        from late
        cross join lateral (
          select u.event_id from undispatched_events u
          where u.user_key = late.user_key and u.accepted_at < late.last
          order by u.accepted_at limit most_earlier
        ) u;
      claimed := array(select c.id from unnest(claimed) as c (id) where c.id <> all (passing));
      if cardinality(claimed) = 0 then return; end if;
    end if;
  end if;

  every := cardinality(claimed) = cardinality(p_ids);
  moment := clock_timestamp();
  delete from undispatched_events u where u.event_id = any (claimed);

  update events e
  set dispatched_at = moment, outcome = item.outcome::jsonb,
      variables = case when item.erase then null else e.variables end
  from unnest(p_ids, p_outcomes, p_erase) as item (id, outcome, erase)
  where e.id = item.id and (every or item.id = any (claimed));
  return query select 'claimed', c.id, null::bigint, null::timestamptz from unnest(claimed) as c (id);

  if cardinality(p_delivery_ids) > 0 then
    -- A statement of its own: what the holder of a lock before us has released is visible below.
    with pair as materialized (
      select distinct item.channel, item.tenant_id
      from unnest(p_delivery_channels, p_delivery_tenants) as item (channel, tenant_id)
    )
    select array_agg(pair.channel || ' ' || pair.tenant_id) into locked
    from pair where pg_try_advisory_xact_lock(release_lock(pair.channel, pair.tenant_id));

    return query
      with item as materialized (
        select item.*,
               row_number() over (partition by item.channel, item.tenant_id order by item.i) as place
        from unnest(p_delivery_ids, p_delivery_events, p_delivery_tenants, p_delivery_channels,
            p_delivery_versions, p_delivery_expires) with ordinality
          as item (id, event_id, tenant_id, channel, version, expires, i)
        where every or item.event_id = any (claimed)
      ),
      roomy as materialized (
        select item.*,
               max(case when item.place = 1 and item.channel || ' ' || item.tenant_id = any (locked)
                        then p_in_flight - outstanding(item.channel, item.tenant_id, p_in_flight) end)
                 over (partition by item.channel, item.tenant_id) as room
        from item
      ),
      stored as (
        insert into deliveries (id, event_id, tenant_id, channel, template_version_id, due_at,
            released_at, expires_at, created_at)
        select r.id, r.event_id, r.tenant_id, r.channel, r.version, moment,
               case when r.place <= r.room then moment end, r.expires, moment
        from roomy r
        returning deliveries.id, deliveries.released_at
      )
      select 'released', stored.id, null::bigint, null::timestamptz
      from stored where stored.released_at is not null;
  end if;

  if cardinality(p_push_ids) > 0 then
    -- Sorted, so that two replicas take the channels in one order.
    insert into realtime_channels as c (tenant_id, user_id, channel_name, top_offset)
    select item.tenant_id, item.user_id, item.name, count(*)
    from unnest(p_push_ids, p_push_tenants, p_push_users, p_push_names)
      as item (id, tenant_id, user_id, name)
    where every or item.id = any (claimed)
    group by item.tenant_id, item.user_id, item.name
    order by item.tenant_id collate "C", item.user_id collate "C", item.name collate "C"
    on conflict on constraint realtime_channels_pkey do update
      set top_offset = c.top_offset + excluded.top_offset;

    return query
      with item as materialized (
        select item.*, row_number() over same as place, count(*) over whole as places
        from unnest(p_push_ids, p_push_tenants, p_push_users, p_push_types, p_push_titles,
            p_push_bodies, p_push_names, p_push_accepted)
          as item (id, tenant_id, user_id, type, title, body, name, accepted)
        where every or item.id = any (claimed)
        window whole as (partition by item.tenant_id, item.user_id, item.name),
               same as (whole order by item.accepted, item.id)
      ),
      stored as (
        insert into notifications (id, tenant_id, user_id, event_type, title, body, channel_name,
            channel_offset, created_at)
        select item.id, item.tenant_id, item.user_id, item.type, item.title, item.body, item.name,
               top.top_offset - item.places + item.place, item.accepted
        from item
        cross join lateral (
          select c.top_offset from realtime_channels c
          where c.tenant_id = item.tenant_id and c.user_id = item.user_id
            and c.channel_name = item.name
          limit 1
        ) top
        returning notifications.id, notifications.channel_offset, notifications.created_at
      )
      select 'published', stored.id, stored.channel_offset, stored.created_at from stored;
  end if;
end
$function$`.execute(db);

  await sql`
    create table message_tries (
      stream text not null,
      sequence bigint not null,
      begun integer not null,
      begun_at timestamptz not null,
      primary key (stream, sequence)
    )`.execute(db);

  await sql`
create or replace function release_deliveries(p_channel text, p_in_flight integer, p_after text, p_most integer)
returns table (kind text, tenant_id text, delivery_id uuid, event_id uuid, trace_id text)
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $function$
#variable_conflict use_column
declare
  most_tenants constant integer := 500;
  moment constant timestamptz := clock_timestamp();
  room_left integer := p_most;
  turns integer := 0;
  owner text := p_after;
  ids uuid[];
  room integer;
begin
  if not pg_try_advisory_xact_lock(release_lock(p_channel, '')) then
    return query select 'busy', null::text, null::uuid, null::uuid, null::text;
    return;
  end if;
  loop
    p_after := owner;
    if room_left <= 0 or turns >= most_tenants then
      return query select 'cut', p_after, null::uuid, null::uuid, null::text;
      exit;
    end if;
    -- A loose index scan: the next tenant that has anything at rest.
    owner := (
      select d.tenant_id from deliveries d
      where d.channel = p_channel and d.released_at is null and d.status in ('queued', 'waiting')
        and d.tenant_id > p_after collate "C"
      order by d.tenant_id limit 1);
    exit when owner is null;
    turns := turns + 1;

    if not exists (select 1 from tenants t where t.id = owner and t.active) then
      ids := array(
        select d.id from deliveries d
        where d.channel = p_channel and d.tenant_id = owner and d.released_at is null
          and d.status in ('queued', 'waiting')
        order by d.due_at limit room_left for update skip locked);
      return query
        update deliveries d
        set status = 'skipped', reason = 'tenant inactive', due_at = null, settled_at = moment
        where d.id = any (ids)
        returning 'settled', d.tenant_id, d.id, d.event_id, null::text;
      room_left := room_left - cardinality(ids);
      continue;
    end if;

    continue when not exists (
      select 1 from deliveries d
      where d.channel = p_channel and d.tenant_id = owner and d.released_at is null
        and d.status in ('queued', 'waiting') and d.due_at <= moment
      limit 1);
    if not pg_try_advisory_xact_lock(release_lock(p_channel, owner)) then
      return query select 'capped', owner, null::uuid, null::uuid, null::text;
      continue;
    end if;
    room := p_in_flight - outstanding(p_channel, owner, p_in_flight);
    if room < greatest(1, p_in_flight / 5) then
      return query select 'capped', owner, null::uuid, null::uuid, null::text;
      continue;
    end if;
    room := least(room, room_left);
    ids := array(
      select d.id from deliveries d
      where d.channel = p_channel and d.tenant_id = owner and d.released_at is null
        and d.status in ('queued', 'waiting') and d.due_at <= moment
      order by d.due_at limit room for update skip locked);
    room_left := room_left - cardinality(ids);
    return query
      update deliveries d
      set status = case when d.expires_at <= moment then 'expired' else d.status end,
          reason = case when d.expires_at <= moment then 'expired before it was sent' else d.reason end,
          due_at = case when d.expires_at <= moment then null else d.due_at end,
          settled_at = case when d.expires_at <= moment then moment end,
          released_at = case when d.expires_at <= moment then null else moment end
      where d.id = any (ids)
      returning case when d.status = 'expired' then 'settled' else 'released' end,
        d.tenant_id, d.id, d.event_id, (select e.trace_id from events e where e.id = d.event_id);
    if cardinality(ids) >= room then
      return query select 'capped', owner, null::uuid, null::uuid, null::text;
    end if;
  end loop;
end
$function$`.execute(db);
}
