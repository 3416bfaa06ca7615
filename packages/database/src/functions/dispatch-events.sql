-- Returns everything that the dispatcher needs to know about events. This is a function because a function keeps its
-- plan: a plain statement was planned for each call, because a plan for one id always looks cheaper than one for any
-- number. The rows say whether the tenant uses users, preferences and webhooks: so the first user or preference takes
-- effect at once, and other tenants pay nothing for these features. If the event is sampled, `trace_id` ends with a
-- space and `trace_parent`; no trace id contains a space. Another column would change the signature, and so need a
-- second copy of this function and of every other one that reads a trace.
create or replace function read_events(p_ids uuid[]) returns table (
  id uuid, tenant_id text, event_type text, user_id text, recipient_email text, recipient_phone text,
  channels smallint, locale text, variables text, trace_id text, accepted_at timestamptz,
  accepted_at_text text, send_at timestamptz, released_at timestamptz, released_at_text text,
  dispatched boolean, refused boolean, has_recipients boolean, has_preferences boolean, tells boolean
) language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $function$
#variable_conflict use_column
begin
  return query
    select e.id, e.tenant_id, e.event_type, e.user_id, e.recipient_email, e.recipient_phone, e.channels,
           e.locale, e.variables, e.trace_id || coalesce(' ' || e.trace_parent, ''), e.accepted_at,
           e.accepted_at::text,
           e.send_at, e.released_at, e.released_at::text,
           e.dispatched_at is not null, e.refused_at is not null or e.cancelled_at is not null,
           coalesce(t.has_recipients, false), coalesce(t.uses_preferences, false), coalesce(t.uses_webhooks, false)
    from events e
    left join lateral (
      select t.uses_recipients or t.quiet_from is not null as has_recipients, t.uses_preferences, t.uses_webhooks
      from tenants t where t.id = e.tenant_id limit 1
    ) t on true
    where e.id = any (p_ids);
end
$function$;

-- Dispatches a batch in one call. Claims each event by deleting its row in undispatched_events. Only for claimed
-- events, it marks the event as dispatched and stores its deliveries and its notification, with the next offset of the
-- notification's realtime channel. A second call for the same event claims nothing and writes nothing.
--
-- Arrays are parallel; p_ids must be sorted, so that replicas lock in one order. An event is claimed only if its
-- `accepted_at` is still the one that the caller read: an event that was refused and accepted again has another. If
-- p_in_turn is set and the batch has notifications, an event is claimed only if no earlier event of its user waits
-- outside the batch. Offsets of a realtime channel follow the order of acceptance, and a notification has its event's
-- time. A delivery is released at once (`released_at`) while its tenant has less than p_in_flight outstanding on the
-- channel. Other deliveries wait until release_deliveries releases them, and so do all deliveries of broadcasts. A
-- delivery with a time in p_delivery_due waits until then, for its reason in p_delivery_reasons, or ends as expired if
-- it expires by then. For rows with a p_delivery_timing, time_deliveries decides after the events are claimed. Few
-- deliveries wait and few notifications have links: these arrays are null if no item has a value. p_tells says that a
-- tenant of the batch has webhooks: then channels without a delivery get webhook messages, too.
--
-- Returns rows of `kind`:
--   claimed    an event
--   earlier    an event that must be dispatched before the batch, because a later one of the same user was not claimed;
--              the oldest, at most 200 per user
--   released   a delivery
--   unwritten  a delivery that is not stored, because its event joined a digest or it was throttled
--   published  a notification with its offset and time
create or replace function dispatch_events(
  p_ids uuid[], p_accepted timestamptz[], p_outcomes text[], p_erase boolean[],
  p_delivery_ids uuid[], p_delivery_events uuid[], p_delivery_tenants text[],
  p_delivery_channels text[], p_delivery_recipients text[], p_delivery_versions bigint[],
  p_delivery_expires timestamptz[], p_delivery_due timestamptz[], p_delivery_reasons text[],
  p_delivery_timing json[],
  p_push_ids uuid[], p_push_tenants text[], p_push_users text[], p_push_types text[],
  p_push_titles text[], p_push_bodies text[], p_push_names text[], p_push_accepted timestamptz[],
  p_push_urls text[], p_push_actions text[],
  p_in_flight integer, p_in_turn boolean, p_tells boolean
) returns table (kind text, id uuid, channel_offset bigint, created_at timestamptz)
language plpgsql volatile
-- Planning these statements again costs more than running them, and the planner does not know the size of a batch. So
-- every statement reads item by item through indexes, in the order in which it is written.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $function$
#variable_conflict use_column
declare
  most_earlier constant integer := 200;
  claimed uuid[];
  users bigint[];
  times timestamptz[];
  standing uuid[];
  -- The broadcasts that the events belong to; null if there are none, which is the usual case.
  broadcasts uuid[];
  -- Users with an undispatched event before a claimed one, and the events that cannot be claimed because of this.
  behind bigint[];
  passing uuid[];
  every boolean;
  plain boolean;
  moment timestamptz;
  -- Whether the arrays of deliveries hold only those of claimed events.
  chosen boolean;
  timed record;
  place integer;
  written boolean[];
  unread boolean[];
  bare uuid[] := '{}';
  -- Pairs of channel and tenant, and how many more of their deliveries may be released.
  pairs text[] := '{}';
  rooms integer[] := '{}';
  pair integer;
  name text;
  released timestamptz[];
begin
  select array_agg(u.event_id), array_agg(u.user_key), array_agg(u.accepted_at) into claimed, users, times
  from (
    select u.event_id, u.user_key, u.accepted_at
    from undispatched_events u where u.event_id = any (p_ids) order by u.event_id for update
  ) u;
  -- Drops events that were refused and accepted again in the meantime: their accepted_at is another.
  select coalesce(array_agg(e.id), '{}'), array_agg(e.broadcast_id) filter (where e.broadcast_id is not null)
  into standing, broadcasts
  from events e
  where e.id = any (claimed) and e.accepted_at = p_accepted[array_position(p_ids, e.id)];
  if broadcasts is not null then standing := without_cancelled(standing, broadcasts); end if;
  if standing = '{}' then return; end if;
  if cardinality(standing) < cardinality(claimed) then
    select array_agg(m.id), array_agg(m.user_key), array_agg(m.accepted_at) into claimed, users, times
    from unnest(claimed, users, times) as m (id, user_key, accepted_at)
    where m.id = any (standing);
  end if;

  if p_in_turn and cardinality(p_push_ids) > 0 then
    behind := array(
      select m.user_key from unnest(users, times) as m (user_key, accepted_at)
      where exists (
        select 1 from undispatched_events other
        where other.user_key = m.user_key and other.accepted_at < m.accepted_at));
  end if;
  if cardinality(behind) > 0 then
    -- Usually the earlier events are in this batch, too. So an event only has to wait if more undispatched events
    -- precede it than the batch contains (place - 1). If another replica has dispatched one of them, its transaction
    -- has committed by now, or the row is still visible.
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
  chosen := every;
  moment := clock_timestamp();
  delete from undispatched_events u where u.event_id = any (claimed);

  if p_delivery_timing is not null then
    perform take_user_turns(claimed, p_delivery_events, p_delivery_tenants, p_delivery_timing);
    perform lock_open_digests(claimed, p_delivery_events, p_delivery_tenants, p_delivery_channels,
      p_delivery_recipients, p_delivery_timing);
    -- Reads the time again, after waiting for the locks: messages that were let through or sent in the meantime must
    -- not have a later time.
    moment := clock_timestamp();
    written := array(select i.event_id = any (claimed) from unnest(p_delivery_events) i (event_id));
    p_delivery_due := coalesce(p_delivery_due, array_fill(null::timestamptz, array[cardinality(written)]));
    p_delivery_reasons := coalesce(p_delivery_reasons, array_fill(null::text, array[cardinality(written)]));
    unread := array_fill(null::boolean, array[cardinality(written)]);
    kind := 'unwritten';
    for timed in
      select t.*, p_delivery_events[t.place] as of_event
      from time_deliveries(moment, claimed, p_delivery_events, p_delivery_tenants, p_delivery_channels,
        p_delivery_recipients, p_delivery_expires, p_delivery_due, p_delivery_reasons, p_delivery_timing) t
    loop
      if timed.words is not null then
        place := array_position(p_ids, timed.of_event);
        p_outcomes[place] := with_words(p_outcomes[place]::jsonb,
          case when timed.words = '#not-gathered' then 'apart'
            when timed.verdict = 'throttled' then 'skipped' else 'waits' end,
          p_delivery_channels[timed.place], timed.words)::text;
      end if;
      if timed.verdict <> 'write' then
        written[timed.place] := false;
        if (p_delivery_timing[timed.place] ->> 'sensitive')::boolean then bare := bare || timed.of_event; end if;
        id := p_delivery_ids[timed.place];
        return next;
      end if;
      p_delivery_events[timed.place] := timed.event_id;
      p_delivery_due[timed.place] := timed.due;
      p_delivery_reasons[timed.place] := timed.reason;
      p_delivery_expires[timed.place] := timed.expires;
      unread[timed.place] := timed.unless_read;
    end loop;
    select array_agg(d.id), array_agg(d.event_id), array_agg(d.tenant_id), array_agg(d.channel),
           array_agg(d.recipient), array_agg(d.version), array_agg(d.expires), array_agg(d.due),
           array_agg(d.reason), array_agg(d.unread)
    into p_delivery_ids, p_delivery_events, p_delivery_tenants, p_delivery_channels, p_delivery_recipients,
         p_delivery_versions, p_delivery_expires, p_delivery_due, p_delivery_reasons, unread
    from unnest(p_delivery_ids, p_delivery_events, p_delivery_tenants, p_delivery_channels,
        p_delivery_recipients, p_delivery_versions, p_delivery_expires, p_delivery_due, p_delivery_reasons,
        unread, written)
      as d (id, event_id, tenant_id, channel, recipient, version, expires, due, reason, unread, written)
    where d.written;
    chosen := true;
    -- A sensitive event without any delivery left has ended here, so its variables are erased.
    foreach id in array bare loop
      continue when array_position(p_delivery_events, id) is not null;
      p_erase[array_position(p_ids, id)] := true;
    end loop;
  end if;

  -- The usual case: no event has its own outcome, and none loses its variables.
  plain := array_remove(p_outcomes, null) = '{}' and array_position(p_erase, true) is null;
  update events e
  set dispatched_at = moment,
      outcome = case when not plain then p_outcomes[array_position(p_ids, e.id)]::jsonb end,
      variables = case when not plain and p_erase[array_position(p_ids, e.id)] then null else e.variables end
  where e.id = any (claimed);
  if p_tells and not plain then perform tell_outcomes(claimed); end if;
  kind := 'claimed';
  foreach id in array claimed loop
    return next;
  end loop;

  if cardinality(p_delivery_ids) > 0 then
    kind := 'released';
    released := array_fill(null::timestamptz, array[cardinality(p_delivery_ids)]);
    for i in 1 .. cardinality(p_delivery_ids) loop
      continue when not chosen and p_delivery_events[i] <> all (claimed);
      continue when p_delivery_due[i] is not null;
      -- This is a separate `if`: a condition with a subquery is run as a query for every delivery.
      if broadcasts is not null then
        continue when (select e.broadcast_id is not null from events e where e.id = p_delivery_events[i]);
      end if;
      name := p_delivery_channels[i] || ' ' || p_delivery_tenants[i];
      pair := array_position(pairs, name);
      if pair is null then
        pairs := pairs || name;
        pair := cardinality(pairs);
        rooms[pair] := 0;
        -- Separate statements, so that the count includes deliveries that the lock's previous holder released.
        if pg_try_advisory_xact_lock(release_lock(p_delivery_channels[i], p_delivery_tenants[i])) then
          rooms[pair] := p_in_flight
            - outstanding(p_delivery_channels[i], p_delivery_tenants[i], p_in_flight);
        end if;
      end if;
      if rooms[pair] > 0 then
        rooms[pair] := rooms[pair] - 1;
        released[i] := moment;
        id := p_delivery_ids[i];
        return next;
      end if;
    end loop;
    insert into deliveries (id, event_id, tenant_id, channel, recipient, template_version_id, status, reason,
        due_at, released_at, expires_at, created_at, settled_at, unless_read, broadcast_id)
    select item.id, item.event_id, item.tenant_id, item.channel, item.recipient, item.version,
           case when item.ends then 'expired' else 'queued' end, item.reason,
           case when not item.ends then greatest(item.due, moment) end, item.released, item.expires, moment,
           case when item.ends then moment end, item.unread,
           case when broadcasts is not null then (select e.broadcast_id from events e where e.id = item.event_id) end
    from (
      select item.*, coalesce(item.expires <= item.due, false) as ends
      from unnest(p_delivery_ids, p_delivery_events, p_delivery_tenants, p_delivery_channels,
          p_delivery_recipients, p_delivery_versions, p_delivery_expires, p_delivery_due,
          p_delivery_reasons, released, unread)
        as item (id, event_id, tenant_id, channel, recipient, version, expires, due, reason, released, unread)
    ) item
    where chosen or item.event_id = any (claimed);
  end if;

  if cardinality(p_push_ids) = 1 then
    if p_push_ids[1] = any (claimed) then
      insert into realtime_channels as c (tenant_id, user_id, channel_name, top_offset)
      values (p_push_tenants[1], p_push_users[1], p_push_names[1], 1)
      on conflict on constraint realtime_channels_pkey do update set top_offset = c.top_offset + 1
      returning c.top_offset into channel_offset;
      insert into notifications (id, tenant_id, user_id, event_type, title, body, channel_name,
          channel_offset, created_at, url, actions)
      values (p_push_ids[1], p_push_tenants[1], p_push_users[1], p_push_types[1], p_push_titles[1],
          p_push_bodies[1], p_push_names[1], channel_offset, p_push_accepted[1], p_push_urls[1],
          p_push_actions[1]);
      kind := 'published';
      id := p_push_ids[1];
      created_at := p_push_accepted[1];
      return next;
    end if;
  elsif cardinality(p_push_ids) > 1 then
    -- Sorted, so that two replicas lock the channels in one order.
    insert into realtime_channels as c (tenant_id, user_id, channel_name, top_offset)
    select item.tenant_id, item.user_id, item.name, count(*)
    from unnest(p_push_ids, p_push_tenants, p_push_users, p_push_names)
      as item (id, tenant_id, user_id, name)
    where every or item.id = any (claimed)
    group by item.tenant_id, item.user_id, item.name
    order by item.tenant_id collate "C", item.user_id collate "C", item.name collate "C"
    on conflict on constraint realtime_channels_pkey do update
      set top_offset = c.top_offset + excluded.top_offset;

    -- The new offsets of a channel end at its new top_offset, in the order of acceptance.
    return query
      with item as materialized (
        select item.*, row_number() over same as place, count(*) over whole as places
        from unnest(p_push_ids, p_push_tenants, p_push_users, p_push_types, p_push_titles,
            p_push_bodies, p_push_names, p_push_accepted, p_push_urls, p_push_actions)
          as item (id, tenant_id, user_id, type, title, body, name, accepted, url, actions)
        where every or item.id = any (claimed)
        window whole as (partition by item.tenant_id, item.user_id, item.name),
               same as (whole order by item.accepted, item.id)
      ),
      stored as (
        insert into notifications (id, tenant_id, user_id, event_type, title, body, channel_name,
            channel_offset, created_at, url, actions)
        select item.id, item.tenant_id, item.user_id, item.type, item.title, item.body, item.name,
               top.top_offset - item.places + item.place, item.accepted, item.url, item.actions
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
  if p_tells then
    perform tell_notifications(
      array(select u.id from unnest(p_push_ids) u (id) where u.id = any (claimed)), 'notification.created');
  end if;
end
$function$;
