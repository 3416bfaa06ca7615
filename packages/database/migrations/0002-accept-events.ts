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
  moment timestamptz;
  today date;
  midnight_wait integer;
begin
  perform 1 from tenant_limits l where l.tenant_id = any (owners) order by l.tenant_id for update;
  moment := clock_timestamp();
  today := (moment at time zone 'UTC')::date;
  midnight_wait := greatest(1,
    ceil(extract(epoch from ((today + 1)::timestamp at time zone 'UTC') - moment)))::integer;

  -- Row by row, with window functions and no join of the batch with itself: the planner knows nothing
  -- of its size, and a nested loop over 200 × 200 rows costs more than all the inserts.
  return query
    with item as materialized (
      select u.i::integer as i, u.tenant_id, decode(u.key, 'hex') as key, u.id::uuid as id, u.type,
             u.user_id, u.reference, u.email, u.phone, u.mask::smallint as mask, u.body, u.trace,
             row_number() over (partition by u.tenant_id order by u.i) as place,
             row_number() over (partition by u.tenant_id, u.key order by u.i) as nth
      from unnest(owners, string_to_array(p_keys, separator), string_to_array(p_ids, separator),
          string_to_array(p_types, separator), string_to_array(p_users, separator),
          string_to_array(p_references, separator, ''), string_to_array(p_emails, separator, ''),
          string_to_array(p_phones, separator, ''), string_to_array(p_channels, separator, ''),
          string_to_array(p_variables, separator, ''), string_to_array(p_traces, separator))
        with ordinality
        as u (tenant_id, key, id, type, user_id, reference, email, phone, mask, body, trace, i)
    ),
    state as materialized (
      select t.id, t.name, t.per_minute, t.daily_cap, s.second, r.ring, r.used,
             greatest(l.day, today) as day,
             case when l.day >= today then l.day_total else 0 end as day_used
      from tenants t
      join tenant_limits l on l.tenant_id = t.id
      -- A clock that steps back must not reopen a window: the ring only turns forward.
      cross join lateral (
        select greatest(floor(extract(epoch from moment))::bigint, l.ring_second) as second
      ) s
      cross join lateral turned_ring(l.ring, l.ring_total, l.ring_second, s.second) r
      where t.id = any (owners) and t.active
    ),
    counted as materialized (
      select item.*, state.id is not null as live, state.name, state.per_minute, state.daily_cap,
             state.second, state.ring, state.used, state.day, state.day_used,
             coalesce(item.place <= state.per_minute - state.used, false) as admitted
      from item left join state on state.id = item.tenant_id
    ),
    known as materialized (
      select c.*, d.event_id as known_id, d.event_type as known_type, d.tenant_name as known_name,
             u.event_id is not null as undispatched,
             d.event_id is not null and u.event_id is null
               and e.refused_at is not null and e.dispatched_at is null as refused
      from counted c
      -- One look into an index an item, whatever the statistics of a new or growing table say.
      left join lateral (
        select * from dedup_keys d
        where c.admitted and c.nth = 1 and d.tenant_id = c.tenant_id and d.key = c.key
          and d.accepted_at > moment - interval '24 hours' limit 1
      ) d on true
      left join lateral (
        select * from undispatched_events u where u.event_id = d.event_id limit 1
      ) u on true
      left join lateral (select * from events e where e.id = d.event_id limit 1) e on true
    ),
    ranked as materialized (
      select k.*, k.admitted and k.nth = 1 and (k.known_id is null or k.refused) as fresh,
             count(*) filter (where k.admitted and k.nth = 1 and (k.known_id is null or k.refused))
               over (partition by k.tenant_id order by k.i) as rank
      from known k
    ),
    granted as materialized (
      select r.*, case when r.refused then r.known_id else r.id end as stored_id,
             r.fresh and (r.daily_cap is null or r.rank <= r.daily_cap - r.day_used) as granted
      from ranked r
    ),
    answer as materialized (
      -- A repeat inside the batch takes the answer of its first occurrence.
      select g.*,
             case when not g.live then 'inactive'
                  when not g.admitted then 'minute'
                  when g.granted and g.refused then 'reopened'
                  when g.granted then 'accepted'
                  when first_value(g.fresh) over same and not first_value(g.granted) over same then 'day'
                  else 'replayed' end as outcome,
             case when first_value(g.granted) over same then first_value(g.stored_id) over same
                  else first_value(g.known_id) over same end as answer_id,
             case when first_value(g.granted) over same then first_value(g.type) over same
                  else first_value(g.known_type) over same end as answer_type,
             case when first_value(g.granted) over same then g.name
                  else coalesce(first_value(g.known_name) over same, g.name) end as answer_name,
             first_value(g.granted) over same or first_value(g.undispatched) over same as pending
      from granted g
      window same as (partition by g.tenant_id, g.key order by g.i)
    ),
    claimed as (
      insert into dedup_keys (tenant_id, key, event_id, event_type, tenant_name, accepted_at)
      select g.tenant_id, g.key, g.stored_id, g.type, g.name, moment from granted g where g.granted
      on conflict on constraint dedup_keys_pkey do update
        set event_id = excluded.event_id, event_type = excluded.event_type,
            tenant_name = excluded.tenant_name, accepted_at = excluded.accepted_at
    ),
    stored as (
      insert into events (id, tenant_id, event_type, user_id, reference, recipient_email,
          recipient_phone, channels, variables, trace_id, accepted_at)
      select g.stored_id, g.tenant_id, g.type, g.user_id, g.reference, g.email, g.phone, g.mask,
             g.body, g.trace, moment
      from granted g where g.granted and not g.refused
    ),
    reopened as (
      update events e
      set event_type = g.type, user_id = g.user_id, reference = g.reference,
          recipient_email = g.email, recipient_phone = g.phone, channels = g.mask,
          variables = g.body, trace_id = g.trace, accepted_at = moment, refused_at = null
      from granted g where g.granted and g.refused and e.id = g.stored_id
    ),
    awaiting as (
      insert into undispatched_events (event_id, published_at)
      select g.stored_id, moment from granted g where g.granted
      on conflict on constraint undispatched_events_pkey do nothing
    ),
    totals as materialized (
      select t.*, ring_with(t.ring, t.second, t.count_admitted) as new_ring,
             t.used + t.count_admitted as new_used, t.day_used + t.count_new as new_day_used
      from (
        select a.*,
               (count(*) filter (where a.admitted and a.outcome <> 'day') over owner)::integer as count_admitted,
               (count(*) filter (where a.outcome in ('accepted', 'reopened')) over owner)::integer as count_new
        from answer a
        window owner as (partition by a.tenant_id)
      ) t
      where t.live and t.place = 1
    ),
    limited as (
      update tenant_limits l
      set ring = t.new_ring, ring_second = t.second, ring_total = t.new_used,
          day = t.day, day_total = t.new_day_used
      from totals t where l.tenant_id = t.tenant_id
    )
    select a.i, a.outcome, a.answer_id, a.answer_type, a.answer_name, coalesce(a.pending, false),
           null::integer, null::integer, null::integer, null::integer, null::integer, null::integer
    from answer a
    union all
    select t.i, null, null, null, null, null,
           t.per_minute, greatest(0, t.per_minute - t.new_used),
           ring_wait(t.new_ring, t.new_used, t.per_minute, t.second, moment),
           t.daily_cap,
           case when t.daily_cap is not null then greatest(0, t.daily_cap - t.new_day_used) end,
           midnight_wait
    from totals t;
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
