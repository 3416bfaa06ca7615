import { type Kysely, sql } from "kysely";

/**
 * One order in which rows are locked, and realtime channels that can leave.
 *
 * refuse_events (0002) locks the tenants' rows first, in order, as accept_events does, then the events;
 * acknowledge_events and delete_events (0011) lock what they change in order of its key.
 *
 * store_receipts (0008) and settle_deliveries (0005) end a delivery that was replayed and is queued
 * again, too: a receipt of an earlier attempt, or an acceptance that comes late, proves that a provider
 * has it. A delivery that was never tried has no receipts.
 *
 * forget_channels: deletes realtime channels with what is left of their notifications; with p_empty only
 * those that have none any more. It holds the channels' rows, as dispatch_events does while it gives
 * offsets, so that no notification stays behind without its channel. Returns the rows deleted.
 *
 * realtime_resets: a channel that was forgotten begins at 1 again, so whoever knows an old position must
 * see that it is worth nothing: the epoch of a user's channels is that of realtime_epoch and the
 * count of the user's slot. A slot is two bytes of a hash: no person stands here, the table stays
 * small, and a reset makes one of 65,536 users read the history once more for nothing.
 *
 * heal_channels: raises channels above the highest offset that any of their notifications has, and resets
 * those that stood below it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db);
}

const statements = [
  sql`
create or replace function refuse_events(p_ids uuid[]) returns setof uuid language plpgsql volatile
set enable_seqscan = off
as $function$
#variable_conflict use_column
begin
  perform 1 from tenant_limits l
  where l.tenant_id = any (array(
    select e.tenant_id from unnest(p_ids) u (id)
    cross join lateral (select e.tenant_id from events e where e.id = u.id limit 1) e))
  order by l.tenant_id for update;
  perform 1 from undispatched_events u where u.event_id = any (p_ids) order by u.event_id for update;
  return query
    with gone as (
      delete from undispatched_events u where u.event_id = any (p_ids) and not u.acknowledged
      returning u.event_id
    ),
    refused as (
      update events e set refused_at = clock_timestamp()
      from gone where e.id = gone.event_id and e.dispatched_at is null
      returning e.id, e.tenant_id, (e.accepted_at at time zone 'UTC')::date as day
    ),
    given_back as (
      update tenant_limits l set day_total = greatest(0, l.day_total - r.slots)
      from (select tenant_id, day, count(*)::integer as slots from refused group by 1, 2) r
      where l.tenant_id = r.tenant_id and l.day = r.day
    )
    select refused.id from refused;
end
$function$`,

  sql`
create or replace function acknowledge_events(p_ids uuid[]) returns setof uuid language plpgsql volatile
set enable_seqscan = off
as $function$
#variable_conflict use_column
begin
  -- Waits for a refusal that is under way: the row is locked by it.
  perform 1 from undispatched_events u where u.event_id = any (p_ids) order by u.event_id for update;
  update undispatched_events u set acknowledged = true where u.event_id = any (p_ids);
  return query
    select e.id from events e
    where e.id = any (p_ids) and e.refused_at is null;
end
$function$`,

  sql`
create or replace function settle_deliveries(
  p_ids uuid[], p_numbers integer[], p_statuses text[], p_reasons text[], p_delays_ms bigint[],
  p_counted boolean[], p_missing text[], p_classes text[], p_durations_ms integer[],
  p_attempt_reasons text[], p_vendor_statuses text[], p_vendor_answers text[], p_message_ids text[]
) returns setof uuid language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $function$
#variable_conflict use_column
declare
  moment timestamptz;
begin
  perform 1 from deliveries d where d.id = any (p_ids) order by d.id for update;
  moment := clock_timestamp();
  return query
    with settled as materialized (
      select * from unnest(p_ids, p_numbers, p_statuses, p_reasons, p_delays_ms, p_counted, p_missing,
        p_classes, p_durations_ms, p_attempt_reasons, p_vendor_statuses, p_vendor_answers, p_message_ids)
        s (id, number, status, reason, delay_ms, counted, missing,
           class, duration_ms, attempt_reason, vendor_status, vendor_answer, message_id)
    ),
    moved as (
      update deliveries d
      set status = s.status, reason = s.reason,
          attempts = d.attempts - (s.class is null)::integer,
          retries = d.retries + s.counted::integer,
          due_at = case when s.status = 'waiting'
            then least(moment + s.delay_ms * interval '1 millisecond', d.expires_at) end,
          released_at = null, claimed_until = null,
          message_id = coalesce(s.message_id, d.message_id),
          missing = coalesce(string_to_array(s.missing, E'\\x1f'), d.missing),
          settled_at = case when s.status <> 'waiting' then moment end
      from settled s
      where d.id = any (p_ids) and d.id = s.id and (
        (d.status = 'sending' and d.attempts = s.number)
        or (s.status = 'accepted' and d.status in ('queued', 'sending', 'waiting', 'unknown'))
      )
      returning d.id, d.due_at
    ),
    ended as (
      update attempts a
      set started_at = moment - s.duration_ms * interval '1 millisecond', ended_at = moment,
          class = s.class, reason = s.attempt_reason, vendor_status = s.vendor_status,
          vendor_answer = s.vendor_answer, message_id = s.message_id,
          next_at = coalesce(m.due_at, a.next_at)
      from settled s left join moved m on m.id = s.id
      where a.delivery_id = any (p_ids)
        and a.delivery_id = s.id and a.number = s.number and s.class is not null
    ),
    taken_back as (
      delete from attempts a using settled s, moved m
      where a.delivery_id = any (p_ids)
        and a.delivery_id = s.id and a.number = s.number and s.class is null and m.id = s.id
    )
    select m.id from moved m;
end
$function$`,

  sql`
create or replace function store_receipts(
  p_tenant text, p_channel text, p_provider_kind text, p_vendor_events text[], p_deliveries uuid[],
  p_kinds text[], p_reasons text[], p_vendor_statuses text[], p_times timestamptz[], p_suppress text[]
) returns table (delivery_id uuid, event_id uuid) language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $function$
#variable_conflict use_column
declare
  ranks constant text[] := array['deferred', 'accepted', 'opted out', 'delivered', 'bounced', 'complained'];
  moment timestamptz;
begin
  perform 1 from deliveries d
  where d.id = any (p_deliveries) and d.tenant_id = p_tenant and d.channel = p_channel
  order by d.id for update;
  moment := clock_timestamp();
  return query
    with input as materialized (
      select distinct on (i.vendor_event) i.*, d.event_id
      from unnest(p_vendor_events, p_deliveries, p_kinds, p_reasons, p_vendor_statuses, p_times, p_suppress)
        i (vendor_event, delivery_id, kind, reason, vendor_status, occurred_at, suppress)
      join lateral (select * from deliveries d where d.id = i.delivery_id limit 1) d
        on d.tenant_id = p_tenant and d.channel = p_channel
      order by i.vendor_event
    ),
    stored as (
      insert into receipts (tenant_id, provider_kind, vendor_event, delivery_id, kind, reason,
                            vendor_status, occurred_at, received_at)
      select p_tenant, p_provider_kind, i.vendor_event, i.delivery_id, i.kind, i.reason,
             i.vendor_status, i.occurred_at, moment
      from input i
      on conflict do nothing
      returning receipts.vendor_event
    ),
    fresh as materialized (
      select i.* from input i join stored s on s.vendor_event = i.vendor_event
    ),
    suppressed as (
      insert into suppressions (tenant_id, channel, address, reason, source, created_at)
      select distinct on (a.address) p_tenant, p_channel, a.address, f.suppress, p_provider_kind, moment
      from fresh f
      join lateral (select * from events e where e.id = f.event_id limit 1) e
        on e.tenant_id = p_tenant
      cross join lateral (
        select lower((case p_channel when 'EMAIL' then e.recipient_email else e.recipient_phone end)
          collate "C") as address
      ) a
      where f.suppress is not null and a.address is not null
      order by a.address
      on conflict do nothing
    ),
    furthest as (
      select distinct on (f.delivery_id) f.delivery_id, f.kind, f.reason
      from fresh f order by f.delivery_id, array_position(ranks, f.kind) desc, f.occurred_at desc
    ),
    moved as (
      update deliveries d
      set status = case when f.kind in ('delivered', 'bounced', 'complained') then f.kind else 'accepted' end,
          reason = case when f.kind in ('bounced', 'complained') then f.reason end,
          due_at = null, released_at = null, claimed_until = null,
          settled_at = coalesce(d.settled_at, moment)
      from furthest f
      where d.id = any (p_deliveries) and d.id = f.delivery_id and (
        d.status in ('sending', 'waiting', 'unknown')
        or d.status = 'queued' and d.attempts > 0
        or d.status = 'accepted' and f.kind in ('delivered', 'bounced', 'complained')
        or d.status = 'delivered' and f.kind in ('bounced', 'complained')
      )
      returning d.id, d.event_id
    )
    select f.delivery_id, m.event_id from fresh f left join moved m on m.id = f.delivery_id;
end
$function$`,

  sql`
create or replace function delete_events(p_ids uuid[], p_spare boolean)
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
  perform 1 from events e where e.id = any (whole) order by e.id for update;
  delete from events e where e.id = any (whole);
  get diagnostics events = row_count;
  return next;
end
$function$`,

  sql`
    create table realtime_resets (
      slot bytea primary key,
      resets bigint not null
    ) with (fillfactor = 70)`,
  sql`comment on column realtime_resets.slot is 'realtime_slot: the first two bytes of a hash of tenant and user'`,

  sql`
create function realtime_slot(p_tenant text, p_user text) returns bytea
language sql stable parallel safe as $function$
  select substr(sha256(convert_to(p_tenant || ' ' || p_user, 'UTF8')), 1, 2)
$function$`,

  sql`
create function reset_slots(p_tenants text[], p_users text[]) returns void language sql volatile as $function$
  insert into realtime_resets as r (slot, resets)
  select distinct realtime_slot(u.tenant_id, u.user_id), 1 from unnest(p_tenants, p_users) u (tenant_id, user_id)
  order by 1
  on conflict (slot) do update set resets = r.resets + 1
$function$`,

  sql`
create function forget_channels(p_tenants text[], p_users text[], p_names text[], p_empty boolean)
returns table (channels bigint, notifications bigint)
language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $function$
#variable_conflict use_column
declare
  owners text[];
  users text[];
  names text[];
begin
  with locked as materialized (
    select c.* from unnest(p_tenants, p_users, p_names) u (tenant_id, user_id, name)
    join realtime_channels c
      on c.tenant_id = u.tenant_id and c.user_id = u.user_id and c.channel_name = u.name
    order by c.tenant_id, c.user_id, c.channel_name for update of c
  )
  select array_agg(l.tenant_id), array_agg(l.user_id), array_agg(l.channel_name)
  into owners, users, names from locked l;

  -- What the holder of a lock before us has stored is visible to the statements from here on.
  notifications := 0;
  if p_empty then
    select array_agg(l.tenant_id), array_agg(l.user_id), array_agg(l.name) into owners, users, names
    from unnest(owners, users, names) l (tenant_id, user_id, name)
    where not exists (
      select from notifications n
      where n.tenant_id = l.tenant_id and n.user_id = l.user_id and n.channel_name = l.name);
  else
    with doomed as materialized (
      select n.id from unnest(owners, users, names) l (tenant_id, user_id, name)
      join notifications n
        on n.tenant_id = l.tenant_id and n.user_id = l.user_id and n.channel_name = l.name
      order by n.id for update of n
    )
    delete from notifications n where n.id = any (array(select d.id from doomed d));
    get diagnostics notifications = row_count;
  end if;
  delete from realtime_channels c using unnest(owners, users, names) l (tenant_id, user_id, name)
  where c.tenant_id = l.tenant_id and c.user_id = l.user_id and c.channel_name = l.name;
  get diagnostics channels = row_count;
  perform reset_slots(owners, users);
  return next;
end
$function$`,

  sql`
create function heal_channels(p_tenants text[], p_users text[], p_names text[]) returns void
language plpgsql volatile
set enable_seqscan = off
set enable_bitmapscan = off
as $function$
#variable_conflict use_column
declare
  owners text[];
  users text[];
begin
  with raised as (
    insert into realtime_channels as c (tenant_id, user_id, channel_name, top_offset)
    select u.tenant_id, u.user_id, u.name, highest.channel_offset
    from (select distinct * from unnest(p_tenants, p_users, p_names)) u (tenant_id, user_id, name)
    cross join lateral (
      select n.channel_offset from notifications n
      where n.tenant_id = u.tenant_id and n.user_id = u.user_id and n.channel_name = u.name
      order by n.channel_offset desc limit 1
    ) highest
    order by u.tenant_id collate "C", u.user_id collate "C", u.name collate "C"
    on conflict on constraint realtime_channels_pkey do update set top_offset = excluded.top_offset
      where c.top_offset < excluded.top_offset
    returning c.tenant_id, c.user_id
  )
  select array_agg(r.tenant_id), array_agg(r.user_id) into owners, users from raised r;
  perform reset_slots(owners, users);
end
$function$`,
];
