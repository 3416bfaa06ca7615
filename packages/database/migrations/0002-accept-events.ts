import { type Kysely, sql } from "kysely";

/**
 * accept_events: the hot path. One call accepts a whole batch, whatever the tenants in it: it claims
 * the dedup keys, counts the sliding window and the day, and stores the events.
 *
 * Arguments: one text per column, values joined by U+001F (which no value can hold: control
 * characters are refused before, and JSON escapes them), empty = null. Sorted by tenant, then key, so
 * that two replicas take the tenants' rows in the same order and cannot deadlock.
 * Everything of one tenant happens under the lock on its row in tenant_limits, so statements here see
 * each other's keys and counters exactly. The clock is read once that lock is held.
 *
 * Returns one row an item (`position` counts from 1 in the order given), and for each tenant one row
 * with its limits as they are after the batch (no outcome, the position of the tenant's first item;
 * waits in seconds). `outcome`:
 *   accepted   stored now
 *   reopened   its first request was answered 500; stored again under the same id
 *   replayed   a duplicate; `pending` says that the first is not dispatched yet
 *   minute     over the per-minute limit          day   over the daily cap
 *   inactive   the tenant is not active or gone
 *
 * refuse_events: gives back what was claimed and then answered 500, unless it is dispatched already
 * or a replay of it was answered 200. Returns the ids that were given back.
 *
 * acknowledge_events: called by a replay that published the id again, before it answers 200. Returns
 * the ids that stand; one that is missing was refused meanwhile.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
create function turned_ring(inout ring integer[], inout used integer, from_second bigint, to_second bigint)
language plpgsql immutable as $function$
declare
  slots constant integer := 61;
  slot integer;
begin
  if to_second - from_second >= slots then
    ring := array_fill(0, array[slots]);
    used := 0;
    return;
  end if;
  for s in from_second + 1 .. to_second loop
    slot := (s % slots)::integer + 1;
    used := used - ring[slot];
    ring[slot] := 0;
  end loop;
end
$function$`.execute(db);

  // A clock that steps back must not reopen a window: the ring only turns forward.
  await sql`
create function ring_second(ring_second bigint, moment timestamptz) returns bigint
language sql immutable as $function$
  select greatest(floor(extract(epoch from moment))::bigint, ring_second)
$function$`.execute(db);

  await sql`
create function ring_with(ring integer[], at_second bigint, more integer) returns integer[]
language plpgsql immutable as $function$
declare
  slot constant integer := (at_second % 61)::integer + 1;
begin
  ring[slot] := ring[slot] + more;
  return ring;
end
$function$`.execute(db);

  // Seconds until enough of the oldest seconds have left the window for one more request.
  await sql`
create function ring_wait(ring integer[], used integer, per_minute integer, last_second bigint, moment timestamptz)
returns integer language plpgsql immutable as $function$
declare
  slots constant integer := 61;
begin
  if used = 0 then return case when per_minute = 0 then slots - 1 else 0 end; end if;
  for s in last_second - slots + 1 .. last_second loop
    if ring[(s % slots)::integer + 1] > 0 then
      used := used - ring[(s % slots)::integer + 1];
      if used < per_minute or used = 0 then
        return greatest(1, ceil(s + slots - extract(epoch from moment)))::integer;
      end if;
    end if;
  end loop;
  return slots;
end
$function$`.execute(db);

  await sql`
create function accept_events(
  p_tenants text, p_keys text, p_ids text, p_types text, p_users text, p_references text,
  p_emails text, p_phones text, p_channels text, p_variables text, p_traces text
) returns table (
  "position" integer, outcome text, event_id uuid, event_type text, tenant_name text, pending boolean,
  per_minute integer, minute_remaining integer, minute_wait integer,
  daily_cap integer, day_remaining integer, day_wait integer
) language plpgsql volatile
-- Planning this statement anew costs more than running it.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $function$
#variable_conflict use_column
declare
  separator constant text := E'\\x1f';
  owners constant text[] := string_to_array(p_tenants, separator);
  keys constant text[] := string_to_array(p_keys, separator);
  types constant text[] := string_to_array(p_types, separator);
  moment timestamptz;
  today date;
  outcomes text[];
  -- The event that each item is stored as; null where it is not.
  stored uuid[];
  answer_ids uuid[];
  answer_types text[];
  answer_names text[];
  names text[];
  pendings boolean[];
begin
  perform 1 from tenant_limits l where l.tenant_id = any (owners) order by l.tenant_id for update;
  moment := clock_timestamp();
  today := (moment at time zone 'UTC')::date;

  -- Decide. Row by row, with window functions and no join of the batch with itself: the planner knows
  -- nothing of its size, and a nested loop over 200 × 200 rows costs more than all the inserts. Every
  -- look into a table is one look into an index: the plan is made on an empty database, where a walk
  -- over a whole table looks cheapest, and it must stay good while the tables grow.
  with item as materialized (
    select u.i::integer as i, u.tenant_id, decode(u.key, 'hex') as key, u.id::uuid as id, u.type,
           row_number() over (partition by u.tenant_id order by u.i) as place,
           row_number() over (partition by u.tenant_id, u.key order by u.i) as nth
    from unnest(owners, keys, string_to_array(p_ids, separator), types)
      with ordinality as u (tenant_id, key, id, type, i)
  ),
  state as materialized (
    select t.id, t.name, t.per_minute - r.used as minute_free,
           t.daily_cap - case when l.day >= today then l.day_total else 0 end as day_free
    from tenants t
    join tenant_limits l on l.tenant_id = t.id
    cross join lateral turned_ring(l.ring, l.ring_total, l.ring_second, ring_second(l.ring_second, moment)) r
    where t.id = any (owners) and l.tenant_id = any (owners) and t.active
  ),
  admitted as materialized (
    select item.*, state.id is not null as live, state.name, state.day_free,
           coalesce(item.place <= state.minute_free, false) as admitted
    from item left join state on state.id = item.tenant_id
  ),
  known as materialized (
    select a.*, d.event_id as known_id, d.event_type as known_type, d.tenant_name as known_name,
           u.event_id is not null as undispatched,
           d.event_id is not null and u.event_id is null and coalesce(e.refused, false) as refused
    from admitted a
    left join lateral (
      select * from dedup_keys d
      where a.admitted and a.nth = 1 and d.tenant_id = a.tenant_id and d.key = a.key limit 1
    ) d on d.accepted_at > moment - interval '24 hours'
    left join lateral (
      select u.event_id from undispatched_events u where u.event_id = d.event_id limit 1
    ) u on true
    left join lateral (
      select e.refused_at is not null and e.dispatched_at is null as refused
      from events e where e.id = d.event_id limit 1
    ) e on true
  ),
  ranked as materialized (
    select k.*, f.fresh,
           count(*) filter (where f.fresh) over (partition by k.tenant_id order by k.i) as rank
    from known k
    cross join lateral (select k.admitted and k.nth = 1 and (k.known_id is null or k.refused) as fresh) f
  ),
  granted as materialized (
    select r.*, case when r.fresh and (r.day_free is null or r.rank <= r.day_free)
      then case when r.refused then r.known_id else r.id end end as stored_id
    from ranked r
  ),
  answer as (
    -- A repeat inside the batch takes the answer of its first occurrence.
    select g.i, g.stored_id, g.name,
           case when not g.live then 'inactive'
                when not g.admitted then 'minute'
                when g.stored_id is not null and g.refused then 'reopened'
                when g.stored_id is not null then 'accepted'
                when first_value(g.fresh) over same and first_value(g.stored_id) over same is null then 'day'
                else 'replayed' end as outcome,
           coalesce(first_value(g.stored_id) over same, first_value(g.known_id) over same) as answer_id,
           case when first_value(g.stored_id) over same is null then first_value(g.known_type) over same
                else first_value(g.type) over same end as answer_type,
           case when first_value(g.stored_id) over same is null then first_value(g.known_name) over same
                else g.name end as answer_name,
           first_value(g.stored_id) over same is not null or first_value(g.undispatched) over same as pending
    from granted g
    window same as (partition by g.tenant_id, g.key order by g.i)
  )
  select array_agg(a.outcome order by a.i), array_agg(a.stored_id order by a.i),
         array_agg(a.answer_id order by a.i), array_agg(a.answer_type order by a.i),
         array_agg(a.answer_name order by a.i), array_agg(a.name order by a.i),
         array_agg(a.pending order by a.i)
    into outcomes, stored, answer_ids, answer_types, answer_names, names, pendings
    from answer a;

  -- Write.
  insert into dedup_keys (tenant_id, key, event_id, event_type, tenant_name, accepted_at)
    select u.tenant_id, decode(u.key, 'hex'), u.id, u.type, u.name, moment
    from unnest(owners, keys, stored, types, names) as u (tenant_id, key, id, type, name)
    where u.id is not null
    on conflict on constraint dedup_keys_pkey do update
      set event_id = excluded.event_id, event_type = excluded.event_type,
          tenant_name = excluded.tenant_name, accepted_at = excluded.accepted_at;
  if 'reopened' = any (outcomes) then
    -- Its row is written anew below.
    delete from events e where e.id = any (stored) and e.refused_at is not null;
  end if;
  insert into events (id, tenant_id, event_type, user_id, reference, recipient_email,
      recipient_phone, channels, variables, trace_id, accepted_at)
    select u.id, u.tenant_id, u.type, u.user_id, u.reference, u.email, u.phone, u.mask::smallint,
           u.body, u.trace, moment
    from unnest(stored, owners, types, string_to_array(p_users, separator),
        string_to_array(p_references, separator, ''), string_to_array(p_emails, separator, ''),
        string_to_array(p_phones, separator, ''), string_to_array(p_channels, separator, ''),
        string_to_array(p_variables, separator, ''), string_to_array(p_traces, separator))
      as u (id, tenant_id, type, user_id, reference, email, phone, mask, body, trace)
    where u.id is not null;
  insert into undispatched_events (event_id, published_at)
    select u.id, moment from unnest(stored) as u (id) where u.id is not null;
  update tenant_limits l
    set ring = ring_with(r.ring, s.second, c.admitted), ring_second = s.second,
        ring_total = r.used + c.admitted, day = greatest(l.day, today),
        day_total = case when l.day >= today then l.day_total else 0 end + c.newly
    from (
        select u.tenant_id,
               (count(*) filter (where u.outcome in ('accepted', 'reopened', 'replayed')))::integer as admitted,
               (count(*) filter (where u.outcome in ('accepted', 'reopened')))::integer as newly
        from unnest(owners, outcomes) as u (tenant_id, outcome) group by u.tenant_id
      ) c, tenant_limits o
      cross join lateral (select ring_second(o.ring_second, moment) as second) s
      cross join lateral turned_ring(o.ring, o.ring_total, o.ring_second, s.second) r
    where l.tenant_id = any (owners) and o.tenant_id = any (owners)
      and l.tenant_id = c.tenant_id and o.tenant_id = c.tenant_id and c.admitted > 0;

  return query
    select u.i::integer, u.outcome, u.id, u.type, coalesce(u.answer_name, u.name), coalesce(u.pending, false),
           null::integer, null::integer, null::integer, null::integer, null::integer, null::integer
    from unnest(outcomes, answer_ids, answer_types, answer_names, names, pendings)
      with ordinality as u (outcome, id, type, answer_name, name, pending, i);
  return query
    select array_position(owners, t.id), null::text, null::uuid, null::text, null::text, false,
           t.per_minute, greatest(0, t.per_minute - r.used),
           ring_wait(r.ring, r.used, t.per_minute, s.second, moment), t.daily_cap,
           case when t.daily_cap is not null
             then greatest(0, t.daily_cap - case when l.day >= today then l.day_total else 0 end) end,
           greatest(1, ceil(extract(epoch from
             ((greatest(l.day, today) + 1)::timestamp at time zone 'UTC') - moment)))::integer
    from tenants t
    join tenant_limits l on l.tenant_id = t.id
    cross join lateral (select ring_second(l.ring_second, moment) as second) s
    cross join lateral turned_ring(l.ring, l.ring_total, l.ring_second, s.second) r
    where t.id = any (owners) and l.tenant_id = any (owners) and t.active;
end
$function$`.execute(db);

  await sql`
create function refuse_events(p_ids uuid[]) returns setof uuid language plpgsql volatile as $function$
#variable_conflict use_column
begin
  return query
    with locked as (
      select u.event_id from undispatched_events u
      where u.event_id = any (p_ids) and not u.acknowledged
      order by u.event_id for update
    ),
    gone as (
      delete from undispatched_events u using locked where u.event_id = locked.event_id
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
$function$`.execute(db);

  await sql`
create function acknowledge_events(p_ids uuid[]) returns setof uuid language plpgsql volatile as $function$
#variable_conflict use_column
begin
  -- Waits for a refusal that is under way: the row is locked by it.
  update undispatched_events u set acknowledged = true where u.event_id = any (p_ids);
  return query
    select e.id from events e
    where e.id = any (p_ids) and e.refused_at is null;
end
$function$`.execute(db);
}
