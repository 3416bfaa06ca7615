-- Decides about the deliveries of claimed events whose templates have a digest, a throttle or "only if unread". The
-- caller holds the users' locks (take_user_turns) and the open digests (lock_open_digests), and has read p_moment
-- afterwards, so no digest opens while the previous one can be joined. Arrays are parallel. This function writes
-- digests, their items and throttles, and reschedules the deliveries of open digests. It returns one row for each
-- delivery of a claimed event that has any timing, with a `verdict`:
--   write      insert a delivery with the values of the row; if it opens a digest, `event_id` is the digest's id
--   gathered   insert no delivery: the event is in an open digest
--   throttled  insert no delivery: the throttle's limit is reached
-- `place` is the delivery's index in the arrays, from 1. `words` is the reason code to store with the event: why its
-- delivery waits or was throttled, and until when. Null: the delivery is sent without a delay.
--
-- An event can join a digest as long as the digest's delivery is queued, unreleased and not yet attempted, even after
-- the window has ended. The caller holds the lock on the delivery's row; every function that releases, claims, cancels
-- or deletes a delivery takes this lock first. If the first event was sent alone, the digest has no delivery yet, and
-- events can join it until its window ends. If an event cannot join the open digest, the digest is closed and a new one
-- is opened. A full digest is closed too, but is still sent when its window ends. An event with its own envelope
-- neither joins nor opens an email digest (`ofMail`).
create or replace function time_deliveries(
  p_moment timestamptz, p_claimed uuid[], p_events uuid[], p_tenants text[], p_channels text[],
  p_recipients text[], p_expires timestamptz[], p_due timestamptz[], p_reasons text[], p_timing json[]
) returns table (
  place integer, verdict text, event_id uuid, due timestamptz, reason text, expires timestamptz,
  unless_read boolean, words text
) language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $function$
#variable_conflict use_column
declare
  second constant interval := '1 second';
  -- MAX_DIGEST_EVENTS of contracts/delivery.ts: more events would delay everything that is claimed with them.
  most_events constant integer := 10000;
  no_texts constant text[] := array_fill(null::text, array[cardinality(p_events)]);
  no_ids constant uuid[] := no_texts;
  no_times constant timestamptz[] := no_texts;
  item record;
  g integer;
  alone boolean;
  quiet_end timestamptz;
  ends_at timestamptz;
  due_at timestamptz;
  lives_until timestamptz;
  over integer;
  -- Throttle state of the current user, event type and channel: its number, the place of the last message that was let
  -- through, and the times of all such messages in the throttle's window, oldest first.
  limited integer;
  last_place integer;
  times timestamptz[];
  -- The columns of the result, by place.
  verdicts text[] := no_texts;
  event_ids uuid[] := p_events;
  dues timestamptz[] := no_times;
  reasons text[] := no_texts;
  lives timestamptz[] := p_expires;
  unread boolean[] := no_texts;
  told text[] := no_texts;
  -- The following arrays are indexed by digest_number. `none`: no digest is open. `led`: the first event was sent
  -- alone, and no other has joined. `open`: the digest has a delivery: a stored row, or one that this call returns at
  -- place owners[g].
  states text[] := no_texts;
  digest_ids uuid[] := no_ids;
  delivery_ids uuid[] := no_ids;
  owners integer[] := no_texts;
  opened timestamptz[] := no_times;
  ends timestamptz[] := no_times;
  digest_dues timestamptz[] := no_times;
  digest_lives timestamptz[] := no_times;
  digest_words text[] := no_texts;
  -- The rows to write at the end. Arrays of new rows are indexed by the place of their event.
  stale uuid[] := '{}';
  moved_deliveries uuid[] := '{}';
  new_digests uuid[] := no_ids;
  new_ends timestamptz[] := no_times;
  item_digests uuid[] := no_ids;
  item_states text[] := no_texts;
  let_through integer[] := no_texts;
begin
  for item in
    select t.*, o.open_id, o.opened_at, o.window_ends_at, o.delivery_id, o.due_at, o.expires_at, o.joinable,
           h.times, own.says as says_more,
           case when t.digest_id is not null then dense_rank() over (
             partition by t.digest_id is null
             order by p_tenants[t.place] collate "C", t.user_id collate "C", t.event_type collate "C",
               p_channels[t.place] collate "C", p_recipients[t.place] collate "C", t.locale collate "C",
               t.key collate "C") end as digest_number,
           case when t.throttle_count is not null then dense_rank() over (
             partition by t.throttle_count is null
             order by p_tenants[t.place] collate "C", t.user_id collate "C", t.event_type collate "C",
               p_channels[t.place] collate "C") end as throttle_number
    from delivery_timings(p_claimed, p_events, p_timing) t
    left join lateral (
      select g.id as open_id, g.opened_at, g.window_ends_at, d.id as delivery_id, d.due_at, d.expires_at,
             case when d.id is null then g.window_ends_at > p_moment
                  else d.status = 'queued' and d.released_at is null and d.attempts = 0
                    and g.events < most_events end as joinable
      from digests g
      left join lateral (select * from deliveries d where d.event_id = g.id limit 1) d on true
      where g.tenant_id = p_tenants[t.place] and g.user_id = t.user_id and g.event_type = t.event_type
        and g.channel = p_channels[t.place] and g.recipient = p_recipients[t.place] and g.locale = t.locale
        and g.key = t.key and g.closed_at is null
      limit 1
    ) o on t.digest_id is not null
    left join lateral (
      select h.times from throttles h
      where h.tenant_id = p_tenants[t.place] and h.user_id = t.user_id and h.event_type = t.event_type
        and h.channel = p_channels[t.place]
      limit 1
    ) h on t.throttle_count is not null
    left join lateral (
      select e.envelope is not null as says from events e where e.id = p_events[t.place] limit 1
    ) own on (p_timing[t.place] -> 'digest' -> 'ofMail') is not null
    order by throttle_number, t.place
  loop
    place := item.place;
    verdicts[place] := 'write';
    quiet_end := p_due[place];
    -- An envelope applies to one event only, so an event with its own envelope is sent alone.
    g := case when item.says_more is not true then item.digest_number end;
    if g is not null and states[g] is null then
      states[g] := case
        when item.joinable is not true then 'none' when item.delivery_id is null then 'led' else 'open' end;
      digest_ids[g] := item.open_id;
      delivery_ids[g] := item.delivery_id;
      opened[g] := item.opened_at;
      ends[g] := item.window_ends_at;
      digest_dues[g] := item.due_at;
      digest_lives[g] := item.expires_at;
      if not item.joinable then stale := stale || item.open_id; end if;
    end if;

    -- When the window ends, when the message leaves, and when it expires.
    if g is not null then
      if states[g] = 'none' then
        ends_at := least(
          p_moment + item.window_seconds * second,
          case when item.at is not null then next_local_time(p_moment, item.at, item.days, item.zone) end,
          p_moment + item.max_seconds * second);
      elsif item.sliding and least(ends[g], digest_dues[g]) > p_moment then
        ends_at := greatest(ends[g], least(
          p_moment + item.window_seconds * second, opened[g] + item.max_seconds * second));
      else
        ends_at := ends[g];
      end if;
    end if;
    alone := g is null or item.leads and states[g] = 'none';
    if alone then
      due_at := p_moment + item.unless_read * second;
      lives_until := coalesce(due_at + item.expires_after * second, p_expires[place]);
      told[place] := case
        when quiet_end > coalesce(due_at, p_moment) then p_reasons[place]
        when due_at is not null then coded_reason('unread', quiet_end_words(due_at, item.zone)) end;
      due_at := greatest(due_at, quiet_end);
    else
      lives_until := ends_at + item.expires_after * second;
      if states[g] = 'open' and ends_at = ends[g] then lives_until := digest_lives[g]; end if;
      due_at := greatest(ends_at, quiet_end);
      -- A digest that a person made due stays due.
      if states[g] = 'open' then
        due_at := greatest(digest_dues[g], quiet_end, case when ends_at <> ends[g] then ends_at end);
      end if;
    end if;
    if lives_until <= due_at and quiet_end is not null then
      -- Only this event expires, without its digest: the other events keep their own times.
      dues[place] := due_at;
      lives[place] := lives_until;
      reasons[place] := coded_reason('expires-in-quiet-hours', item.quiet_end);
      told[place] := null;
      continue;
    end if;

    -- The throttle counts a digest as one message.
    if item.throttle_count is not null and (alone or states[g] <> 'open') then
      if limited is distinct from item.throttle_number then
        limited := item.throttle_number;
        last_place := null;
        times := array(
          select i.at from unnest(item.times) i (at)
          where i.at > p_moment - item.throttle_seconds * second order by i.at);
      end if;
      over := cardinality(times) - item.throttle_count;
      if over >= 0 then
        verdicts[place] := 'throttled';
        told[place] := coded_reason(
          'throttled', quiet_end_words(times[over + 1] + item.throttle_seconds * second, item.zone));
        continue;
      end if;
      times := times || p_moment;
      -- Only the last place of a throttle keeps the number of messages let through; it is cleared at the place before.
      let_through[place] := 1;
      if last_place is not null then
        let_through[place] := let_through[last_place] + 1;
        let_through[last_place] := null;
      end if;
      last_place := place;
    end if;

    if g is not null then
      if states[g] = 'none' then
        digest_ids[g] := item.digest_id;
        opened[g] := p_moment;
        new_digests[place] := item.digest_id;
        new_ends[place] := ends_at;
      end if;
      item_digests[place] := digest_ids[g];
      item_states[place] := case when alone then 'alone' else 'in' end;
    end if;
    if alone then
      dues[place] := due_at;
      lives[place] := lives_until;
      reasons[place] := told[place];
      unread[place] := case when item.unless_read is not null then true end;
      if item.says_more then told[place] := coalesce(told[place], '#not-gathered'); end if;
      if g is not null then
        states[g] := 'led';
        ends[g] := ends_at;
      end if;
      continue;
    end if;
    if digest_words[g] is null or ends_at <> ends[g] or due_at <> digest_dues[g] then
      digest_words[g] := coded_reason(
        case when due_at > ends_at then 'gathered-quiet' else 'gathered' end, quiet_end_words(due_at, item.zone));
    end if;
    told[place] := digest_words[g];
    if states[g] = 'open' then
      verdicts[place] := 'gathered';
      if owners[g] is null and (ends_at <> ends[g] or due_at <> digest_dues[g]) then
        moved_deliveries := moved_deliveries || delivery_ids[g];
      end if;
    else
      states[g] := 'open';
      owners[g] := place;
      event_ids[place] := digest_ids[g];
      unread[place] := case when item.unless_read is not null then true end;
    end if;
    ends[g] := ends_at;
    digest_dues[g] := due_at;
    digest_lives[g] := lives_until;
    if owners[g] is not null then
      dues[owners[g]] := due_at;
      lives[owners[g]] := lives_until;
      reasons[owners[g]] := digest_words[g];
    end if;
  end loop;

  if stale <> '{}' then update digests d set closed_at = p_moment where d.id = any (stale); end if;
  if array_remove(new_digests, null) <> '{}' then
    insert into digests
        (id, tenant_id, event_type, channel, user_id, recipient, locale, key, opened_at, window_ends_at)
    select new_digests[t.place], p_tenants[t.place], t.event_type, p_channels[t.place], t.user_id,
           p_recipients[t.place], t.locale, t.key, p_moment, new_ends[t.place]
    from delivery_timings(p_claimed, p_events, p_timing) t where new_digests[t.place] is not null;
  end if;
  insert into digest_items (digest_id, event_id, added_at, state)
  select i.digest_id, i.event_id, p_moment, i.state
  from unnest(item_digests, p_events, item_states) i (digest_id, event_id, state)
  where i.digest_id is not null;
  if array_remove(item_digests, null) <> '{}' then
    update digests d
    set events = d.events + i.count, window_ends_at = ends[array_position(digest_ids, d.id)]
    from (
      select i.digest_id, count(*)::integer as count
      from unnest(item_digests) i (digest_id) where i.digest_id is not null group by i.digest_id
    ) i
    where d.id = i.digest_id;
  end if;
  if moved_deliveries <> '{}' then
    update deliveries d
    set due_at = digest_dues[array_position(delivery_ids, d.id)],
        expires_at = digest_lives[array_position(delivery_ids, d.id)],
        reason = digest_words[array_position(delivery_ids, d.id)]
    where d.id = any (moved_deliveries);
  end if;
  if array_remove(let_through, null) <> '{}' then
    insert into throttles as h (tenant_id, user_id, event_type, channel, times, ends_at)
    select p_tenants[t.place], t.user_id, t.event_type, p_channels[t.place],
           array_fill(p_moment, array[let_through[t.place]]), p_moment + t.throttle_seconds * second
    from delivery_timings(p_claimed, p_events, p_timing) t where let_through[t.place] is not null
    on conflict (tenant_id, user_id, event_type, channel) do update
    set times = array(
          select i.at from unnest(h.times) i (at)
          where i.at > p_moment - (excluded.ends_at - p_moment) order by i.at) || excluded.times,
        ends_at = greatest(h.ends_at, excluded.ends_at);
  end if;

  for at in 1 .. cardinality(verdicts) loop
    continue when verdicts[at] is null;
    place := at;
    verdict := verdicts[at];
    event_id := event_ids[at];
    due := dues[at];
    reason := reasons[at];
    expires := lives[at];
    unless_read := unread[at];
    words := told[at];
    return next;
  end loop;
end
$function$;

-- Locks the open digests that these deliveries may join, and the deliveries of those digests.
create or replace function lock_open_digests(
  p_claimed uuid[], p_events uuid[], p_tenants text[], p_channels text[], p_recipients text[], p_timing json[]
) returns void language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $function$
declare
  met uuid[];
  locked uuid[];
begin
  met := array(
    select distinct o.id
    from delivery_timings(p_claimed, p_events, p_timing) t
    cross join lateral (
      select g.id from digests g
      where g.tenant_id = p_tenants[t.place] and g.user_id = t.user_id and g.event_type = t.event_type
        and g.channel = p_channels[t.place] and g.recipient = p_recipients[t.place] and g.locale = t.locale
        and g.key = t.key and g.closed_at is null
      limit 1
    ) o
    where t.digest_id is not null);
  if met <> '{}' then
    locked := array(
      select d.id from unnest(met) m (id)
      cross join lateral (select d.id from deliveries d where d.event_id = m.id limit 1) d);
    perform 1 from deliveries d where d.id = any (locked) order by d.id for update;
    perform 1 from digests g where g.id = any (met) order by g.id for update;
  end if;
end
$function$;
