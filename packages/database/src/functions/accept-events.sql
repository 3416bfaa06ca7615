-- Accepts a batch of events of any tenants in one call: claims the dedup keys, counts the sliding minute and the day,
-- and stores the events. This is the hot path. It decides event by event, in memory, and queries tables only when
-- necessary, because setting up one large statement costs more than a single event.
--
-- The arrays are parallel, with one item per event; keys are SHA-256 in hex. The caller sorts the items by tenant, so
-- that two replicas lock the tenants' rows in the same order and cannot deadlock, and puts items with the same key
-- together. The limits count a tenant's items in their order. p_options holds values that few events have: an object or
-- null per item, and null as a whole if no item has any. So a new field does not change the signature. The options
-- `channels`, `locale`, `cancelKey`, `envelope` and `traceParent` are described at the columns. `sendAt` (a time) or
-- `delaySeconds` store the event in scheduled_events until then, and no message is published for it. A past time is
-- ignored.
--
-- All work for one tenant is done while its row in tenant_limits is locked, so these statements see all keys and
-- counters of each other. The clock is read once the lock is held. The old row of a key is deleted first: `on conflict`
-- would add as much to the cost of a row as its table costs without indexes.
--
-- Returns one row per item (`position` counts from 1 in the given order), and for each tenant one row with its name and
-- its limits after the batch (without an outcome, at the position of the tenant's first item; waits in seconds). So the
-- caller can ignore the rows of accepted events, which contain nothing new. `outcome`:
--   accepted   stored now
--   scheduled  stored now or earlier, and not due yet: nothing is to be published
--   reopened   the first request was answered with 500; the event is stored again under the same id
--   replayed   a duplicate; `pending`: the event is not dispatched yet
--   minute     over the limit per minute          day   over the daily cap
--   attachments  a file that the envelope names is unknown, incomplete or expired
--   inactive   the tenant is inactive or deleted
-- For the last four, no event is returned.
create or replace function accept_events(
  p_tenants text[], p_keys text[], p_ids uuid[], p_types text[], p_users text[], p_references text[],
  p_emails text[], p_phones text[], p_variables text[], p_traces text[], p_options json[]
) returns table (
  "position" integer, outcome text, event_id uuid, event_type text, tenant_name text, pending boolean,
  per_minute integer, minute_remaining integer, minute_wait integer,
  daily_cap integer, day_remaining integer, day_wait integer
) language plpgsql volatile
-- Planning these statements for each call costs more than running them.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $function$
#variable_conflict use_column
declare
  items constant integer := cardinality(p_tenants);
  moment timestamptz;
  today date;
  tenant record;
  turned record;
  -- Events to which the keys already belong, by item. Usually there are none.
  known record;
  earlier record;
  known_ids uuid[];
  known_types text[];
  known_names text[];
  undispatched boolean[];
  -- The items whose keys have old rows, which are deleted if the items are stored.
  given_way integer[] := '{}';
  refused boolean[];
  -- The event id under which each item is stored, and its tenant's name; null if the item is not stored.
  stored uuid[] := array_fill(null::uuid, array[items]);
  names text[] := array_fill(null::text, array[items]);
  item integer := 1;
  first_item integer;
  minute_free integer;
  day_free integer;
  admitted integer;
  newly integer;
  -- When scheduled events are due, by item; null as a whole if there are none.
  send_at timestamptz[];
  option json;
  place integer := 0;
  later timestamptz;
  -- Whether an item's event is already scheduled.
  resting boolean[];
  -- The items with a file that cannot be named; null if no item names a file.
  lacking integer[];
  attached boolean := false;
  at_second bigint;
  new_day date;
  new_total integer;
begin
  perform 1 from tenant_limits l where l.tenant_id = any (p_tenants) order by l.tenant_id for update;
  moment := clock_timestamp();
  today := (moment at time zone 'UTC')::date;
  if p_options is not null then
    foreach option in array p_options loop
      place := place + 1;
      continue when option is null;
      attached := attached or option -> 'envelope' -> 'attachments' is not null;
      later := coalesce((option ->> 'sendAt')::timestamptz,
        moment + make_interval(secs => (option ->> 'delaySeconds')::float8));
      continue when later is null or later <= moment;
      -- Filled from index 1, because `unnest` would renumber an array that begins at a later index.
      if send_at is null then send_at := array_fill(null::timestamptz, array[items]); end if;
      send_at[place] := later;
    end loop;
    if attached then lacking := lock_attachments(p_tenants, p_options, moment); end if;
  end if;

  for known in
    select u.i::integer as i, d.event_id, d.event_type, d.tenant_name,
      d.accepted_at > moment - interval '24 hours' as remembered
    from unnest(p_tenants, p_keys) with ordinality as u (tenant_id, key, i)
    join lateral (
      select * from dedup_keys d where d.tenant_id = u.tenant_id and d.key = decode(u.key, 'hex') limit 1
    ) d on true
  loop
    if not known.remembered then
      given_way := given_way || known.i;
      continue;
    end if;
    known_ids[known.i] := known.event_id;
    known_types[known.i] := known.event_type;
    known_names[known.i] := known.tenant_name;
    undispatched[known.i] := exists (select 1 from undispatched_events o where o.event_id = known.event_id);
    refused[known.i] := false;
    continue when undispatched[known.i];
    select e.refused_at is not null as refused, e.send_at is not null and e.refused_at is null as rests into earlier
    from events e where e.id = known.event_id and e.dispatched_at is null;
    refused[known.i] := coalesce(earlier.refused, false);
    if earlier.rests then resting[known.i] := true; end if;
    if refused[known.i] then given_way := given_way || known.i; end if;
  end loop;

  for tenant in
    select t.id, t.name, t.per_minute, t.daily_cap, l.ring, l.ring_total, l.ring_second, l.day, l.day_total
    from tenants t join tenant_limits l on l.tenant_id = t.id
    where t.id = any (p_tenants) and l.tenant_id = any (p_tenants) and t.active
    order by t.id collate "C"
  loop
    -- Items before those of this tenant belong to tenants that are inactive or deleted.
    while p_tenants[item] <> tenant.id loop
      position := item;
      outcome := 'inactive';
      event_id := null;
      return next;
      item := item + 1;
    end loop;
    at_second := ring_second(tenant.ring_second, moment);
    turned := turned_ring(tenant.ring, tenant.ring_total, tenant.ring_second, at_second);
    new_day := greatest(tenant.day, today);
    new_total := case when tenant.day >= today then tenant.day_total else 0 end;
    day_free := tenant.daily_cap - new_total;
    first_item := item;
    minute_free := tenant.per_minute - turned.used;
    admitted := 0;
    newly := 0;

    while p_tenants[item] = tenant.id loop
      position := item;
      if admitted >= minute_free then
        outcome := 'minute';
      elsif item > first_item and p_keys[item] = p_keys[item - 1] then
        -- An item with the same key gets the answer of the item before, whose values are still in the variables.
        if outcome not in ('day', 'attachments') then outcome := 'replayed'; end if;
      elsif known_ids[item] is not null and not refused[item] then
        outcome := 'replayed';
        event_id := known_ids[item];
        event_type := known_types[item];
        tenant_name := known_names[item];
        pending := undispatched[item];
        -- The replay is answered with 200, so from now on the event cannot be refused.
        if resting[item] then
          update scheduled_events s set acknowledged = true where s.event_id = known_ids[item];
          -- The event has become due in the meantime.
          if not found then
            update undispatched_events u set acknowledged = true where u.event_id = known_ids[item];
          end if;
        end if;
      elsif item = any (lacking) then
        outcome := 'attachments';
      elsif newly >= day_free then
        outcome := 'day';
      else
        outcome := case when refused[item] then 'reopened' else 'accepted' end;
        event_id := case when refused[item] then known_ids[item] else p_ids[item] end;
        event_type := p_types[item];
        tenant_name := tenant.name;
        pending := send_at[item] is null;
        if not pending then outcome := 'scheduled'; end if;
        stored[item] := event_id;
        names[item] := tenant.name;
        newly := newly + 1;
      end if;
      if outcome in ('minute', 'day', 'attachments') then
        event_id := null;
        event_type := null;
        tenant_name := tenant.name;
        pending := false;
      else
        admitted := admitted + 1;
      end if;
      return next;
      item := item + 1;
    end loop;

    if admitted > 0 then
      turned.ring := ring_with(turned.ring, at_second, admitted);
      turned.used := turned.used + admitted;
      new_total := new_total + newly;
      update tenant_limits l
        set ring = turned.ring, ring_second = at_second, ring_total = turned.used, day = new_day, day_total = new_total
        where l.tenant_id = tenant.id;
    end if;

    position := first_item;
    outcome := null;
    event_id := null;
    event_type := null;
    tenant_name := tenant.name;
    pending := false;
    per_minute := tenant.per_minute;
    minute_remaining := greatest(0, tenant.per_minute - turned.used);
    minute_wait := ring_wait(turned.ring, turned.used, tenant.per_minute, at_second, moment);
    daily_cap := tenant.daily_cap;
    day_remaining := greatest(0, tenant.daily_cap - new_total);
    if daily_cap is null then day_remaining := null; end if;
    day_wait := greatest(1, ceil(extract(epoch from ((new_day + 1)::timestamp at time zone 'UTC') - moment)));
    return next;
    per_minute := null;
    minute_remaining := null;
    minute_wait := null;
    daily_cap := null;
    day_remaining := null;
    day_wait := null;
  end loop;
  while item <= items loop
    position := item;
    outcome := 'inactive';
    return next;
    item := item + 1;
  end loop;

  -- Writes the rows. The locks on the tenants' rows keep other calls away from the same keys.
  foreach item in array given_way loop
    delete from dedup_keys d
    where stored[item] is not null and d.tenant_id = p_tenants[item] and d.key = decode(p_keys[item], 'hex');
  end loop;
  insert into dedup_keys (tenant_id, key, event_id, event_type, tenant_name, accepted_at)
    select u.tenant_id, decode(u.key, 'hex'), u.id, u.type, u.name, moment
    from unnest(p_tenants, p_keys, stored, p_types, names) as u (tenant_id, key, id, type, name)
    where u.id is not null;
  if true = any (refused) then
    -- The row is inserted again below.
    delete from events e where e.id = any (stored) and e.refused_at is not null;
  end if;
  insert into events (id, tenant_id, event_type, user_id, reference, recipient_email,
      recipient_phone, channels, variables, trace_id, accepted_at, locale, send_at, cancel_key, trace_parent,
      envelope, recipient_chat)
    select u.id, u.tenant_id, u.type, u.user_id, u.reference, u.email, u.phone,
           (u.options ->> 'channels')::smallint, u.body, u.trace, moment, u.options ->> 'locale',
           u.send_at, u.options ->> 'cancelKey', u.options ->> 'traceParent',
           (u.options -> 'envelope')::jsonb, u.options ->> 'recipientChat'
    from unnest(stored, p_tenants, p_types, p_users, p_references, p_emails, p_phones, p_variables, p_traces,
        p_options, send_at)
      as u (id, tenant_id, type, user_id, reference, email, phone, body, trace, options, send_at)
    where u.id is not null;
  insert into undispatched_events (event_id, published_at, user_key, accepted_at)
    select u.id, moment, user_key(u.tenant_id, u.user_id), moment
    from unnest(stored, p_tenants, p_users, send_at) as u (id, tenant_id, user_id, send_at)
    where u.id is not null and u.send_at is null;
  if send_at is not null then
    insert into scheduled_events (event_id, tenant_id, send_at, user_key, trace_id)
      select u.id, u.tenant_id, u.send_at, user_key(u.tenant_id, u.user_id), u.trace
      from unnest(stored, p_tenants, p_users, p_traces, send_at) as u (id, tenant_id, user_id, trace, send_at)
      where u.id is not null and u.send_at is not null;
  end if;
  if attached then perform name_attachments(stored, p_options); end if;
end
$function$;

-- Undoes events that were accepted and then answered with 500, unless an event was dispatched or a replay of it was
-- answered with 200. Locks the tenants' rows first, in order, as accept_events does, then scheduled events (waking
-- moves them), then undispatched ones. Returns the ids of the refused events.
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
  perform 1 from scheduled_events s where s.event_id = any (p_ids) order by s.event_id for update;
  perform 1 from undispatched_events u where u.event_id = any (p_ids) order by u.event_id for update;
  return query
    with at_rest as (
      delete from scheduled_events s where s.event_id = any (p_ids) and not s.acknowledged
      returning s.event_id
    ),
    waiting as (
      delete from undispatched_events u where u.event_id = any (p_ids) and not u.acknowledged
      returning u.event_id
    ),
    gone as (select r.event_id from at_rest r union all select w.event_id from waiting w),
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
$function$;

-- Marks events so that they cannot be refused. A replay that published the ids again calls this before it answers with
-- 200. Returns the ids that exist; a missing one was refused in the meantime.
create or replace function acknowledge_events(p_ids uuid[]) returns setof uuid language plpgsql volatile
set enable_seqscan = off
as $function$
#variable_conflict use_column
begin
  -- Waits for a refusal in progress, which holds the row's lock.
  perform 1 from undispatched_events u where u.event_id = any (p_ids) order by u.event_id for update;
  update undispatched_events u set acknowledged = true where u.event_id = any (p_ids);
  return query
    select e.id from events e
    where e.id = any (p_ids) and e.refused_at is null;
end
$function$;
