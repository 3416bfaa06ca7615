-- Claims deliveries for one attempt each and inserts the attempts, before any provider is called. Locks the deliveries
-- in order of id, so that senders cannot deadlock, and then reads the database's clock: the clocks of replicas decide
-- nothing.
--
-- Returns one row per delivery found, with what it `becomes`:
--   sending            claimed; `number` is that of the attempt
--   busy               another sender holds it for `wait_ms` more, or digests before it fill most_bytes_in_all
--   gone               settled, or waiting for a later time, such as the end of quiet hours that this claim has found
--   skipped, expired, failed, unknown   it ended in this call, for `reason`, without an attempt
-- A delivery that is still `sending` after its lease belonged to a sender that died. That attempt ends as ambiguous and
-- counts as a retry; if the template says at most once, or the delivery was cancelled during the attempt, the delivery
-- ends as unknown. No delivery of a cancelled broadcast is claimed.
--
-- A delivery is skipped if its address is suppressed or its user has turned it off; quiet hours delay it. Quiet hours
-- are checked if the event was accepted more than a minute ago. Preferences are also checked for younger events if a
-- user of the tenant has changed one since, or in the minute before, because the time is recorded before the change is
-- committed.
--
-- Users and preferences are read once per batch, only if a tenant in it has any, and in separate statements, because
-- joins would make every other claim slower. If the tenant has categories, `category` is that of the event's type, and
-- `is_required` tells whether it is required.
--
-- A delivery without an event belongs to a digest (`items` is not null). Its first claim determines the content and
-- closes the digest, unless it is already closed; see digests.sql. A batch without digests runs no statement for them.
-- A delivery that is to be sent only if unread is skipped at its first attempt if its notification was read.
--
-- `options` holds values that few deliveries have: an object, or null. For its field `envelope` see claimed_envelope.
-- `user` has the attributes of the user, as JSON text, if a template of the batch reads them: one statement per batch.
create or replace function claim_for_sending(
  p_channel text, p_ids uuid[], p_tenants text[], p_providers uuid[], p_kinds text[],
  p_lease_ms integer, p_max_retries integer
) returns table (
  delivery_id uuid, becomes text, was text, reason text, wait_ms integer, event_id uuid, tenant_id text,
  number integer, retries integer, template_version_id bigint, at_most_once boolean, sensitive boolean,
  recipient text, variables text, trace_id text, default_locale text, timezone text, required text[],
  user_id text, category text, is_required boolean, at timestamptz, items json, item_count integer,
  options json
) language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $function$
#variable_conflict use_column
<<claim>>
declare
  died constant text := '#sender-died';
  long constant interval := '60 seconds';
  -- MAX_DIGEST_ITEMS and MAX_DIGEST_ITEM_BYTES of contracts/delivery.ts.
  most_items constant integer := 100;
  most_bytes constant integer := 1048576;
  -- The maximum bytes of all digests in the answer of one claim.
  most_bytes_in_all constant integer := 16777216;
  bytes_in_all integer := 0;
  moment timestamptz;
  place bigint;
  held_until timestamptz;
  rests boolean;
  expires timestamptz;
  has_event boolean;
  has_template boolean;
  is_active boolean;
  suppressed text;
  uses_recipients boolean;
  uses_preferences boolean;
  waited boolean;
  changed_at timestamptz;
  asks boolean;
  quiet_from time;
  quiet_to time;
  quiet_end timestamptz;
  unless_read boolean;
  is_cancelled boolean;
  broadcast uuid;
  -- Broadcasts of the deliveries; null if there are none, which is the usual case.
  broadcasts uuid[];
  cancelled uuid[] := '{}';
  -- Those of the broadcasts that name a provider, and these providers.
  bound_broadcasts uuid[];
  bound_providers uuid[];
  event_envelope jsonb;
  template_envelope jsonb;
  reads_user boolean;
  digest record;
  gathers boolean;
  opens boolean;
  closed record;
  event_type text;
  -- Values by place, null if nothing must be read: users to look up in the directory, and users and types for
  -- preferences.
  named text[];
  choosing text[];
  types text[];
  -- The values that were read, by place; null as a whole if they are not read yet.
  zones text[];
  quiet_froms time[];
  quiet_tos time[];
  categories text[];
  requireds boolean[];
  unwanteds text[];
  attributes text[];
  claimed uuid[] := '{}';
  numbers integer[];
begin
  select array_agg(d.broadcast_id) filter (where d.broadcast_id is not null) into broadcasts
  from (select d.broadcast_id from deliveries d where d.id = any (p_ids) order by d.id for update) d;
  if broadcasts is not null then
    cancelled := cancelled_broadcasts(broadcasts);
    select n.broadcasts, n.providers into bound_broadcasts, bound_providers
    from named_providers(broadcasts, p_channel) n;
  end if;
  moment := clock_timestamp();
  for place, delivery_id, was, held_until, rests, expires, event_id, tenant_id, number, retries,
      template_version_id, has_event, recipient, variables, trace_id, has_template, at_most_once, sensitive,
      required, is_active, default_locale, timezone, suppressed, user_id, event_type, waited, asks,
      quiet_from, quiet_to, uses_recipients, uses_preferences, changed_at, at, unless_read, is_cancelled,
      broadcast, event_envelope, template_envelope, reads_user
  in
    select i.place, d.id, d.status, d.claimed_until, d.released_at is null and d.due_at > moment,
           d.expires_at, d.event_id, d.tenant_id, d.attempts + 1, d.retries + (d.status = 'sending')::integer,
           d.template_version_id, e.id is not null, d.recipient, e.variables,
           e.trace_id || coalesce(' ' || e.trace_parent, ''),
           v.id is not null, v.at_most_once,
           v.sensitive or coalesce(e.accepted_at <= v.sensitive_until, false),
           v.required_variables, o.active, o.default_locale, o.timezone,
           (select s.reason from suppressions s
            where s.tenant_id = d.tenant_id and s.channel = p_channel
              and s.address = lower(d.recipient collate "C")
            order by s.reason limit 1),
           e.user_id, e.event_type, e.accepted_at < moment - long,
           e.accepted_at < greatest(moment - long, o.preferences_changed_at + long), o.quiet_from, o.quiet_to,
           o.uses_recipients, o.uses_preferences, o.preferences_changed_at, coalesce(e.released_at, e.accepted_at), d.unless_read,
           d.cancel_asked_at is not null or d.broadcast_id = any (cancelled), d.broadcast_id, e.envelope,
           v.envelope, v.reads_user
    from unnest(p_ids, p_tenants) with ordinality i (id, tenant_id, place)
    -- Uses the index once per item. Postgres makes this plan on an empty database, where reading a whole table looks
    -- cheapest, and it must remain good while the tables grow. The arrays of ids in the updates have the same purpose.
    join lateral (select * from deliveries d where d.id = i.id limit 1) d
      on d.tenant_id = i.tenant_id and d.channel = p_channel
    left join lateral (select * from events e where e.id = d.event_id limit 1) e
      on e.tenant_id = d.tenant_id
    left join lateral (
      select v.id, t.at_most_once, t.sensitive, t.sensitive_until, t.required_variables, t.reads_user, envelope_of(t.from_name, t.reply_to, t.cc, t.bcc) as envelope
      from template_versions v join templates t on t.id = v.template_id
      where v.id = d.template_version_id limit 1
    ) v on true
    left join lateral (
      select t.active, t.default_locale, t.timezone, t.quiet_from, t.quiet_to, t.uses_recipients,
             t.uses_preferences, t.preferences_changed_at
      from tenants t where t.id = d.tenant_id limit 1
    ) o on true
  loop
    -- A delivery that occurs twice in the batch is handled at its first place only.
    continue when place <> array_position(p_ids, delivery_id);
    reason := null;
    wait_ms := null;
    becomes := 'gone';
    category := null;
    is_required := null;
    options := null;
    gathers := false;
    opens := false;
    if not has_event then
      select g.* into digest from digests g
      where g.id = claim_for_sending.event_id and g.tenant_id = claim_for_sending.tenant_id limit 1;
      gathers := found;
      if gathers then
        has_event := true;
        user_id := digest.user_id;
        event_type := digest.event_type;
        waited := digest.opened_at < moment - long;
        asks := digest.opened_at < greatest(moment - long, changed_at + long);
        opens := digest.closed_at is null or number = 1;
      end if;
    end if;
    -- Collects, once per batch, the users and event types to look up. A batch with one item needs no query for this.
    if not (uses_recipients or uses_preferences) or types is not null then
      null;
    elsif cardinality(p_ids) = 1 then
      named := array[user_id];
      choosing := array[case when asks then user_id end];
      types := array[event_type];
    else
      select array_agg(case when t.uses_recipients then e.user_id end order by i.place),
             array_agg(case
               when t.uses_preferences
                 and e.since < greatest(moment - long, t.preferences_changed_at + long) then e.user_id
             end order by i.place),
             array_agg(case when t.uses_preferences then e.event_type end order by i.place)
      into named, choosing, types
      from unnest(p_ids, p_tenants) with ordinality i (id, tenant_id, place)
      left join lateral (
        select t.uses_recipients, t.uses_preferences, t.preferences_changed_at
        from tenants t where t.id = i.tenant_id limit 1
      ) t on true
      left join lateral (
        select d.event_id from deliveries d where d.id = i.id and d.tenant_id = i.tenant_id limit 1
      ) d on true
      left join lateral (
        select e.user_id, e.event_type, e.accepted_at as since
        from events e where e.id = d.event_id and e.tenant_id = i.tenant_id
        union all
        select g.user_id, g.event_type, g.opened_at
        from digests g where g.id = d.event_id and g.tenant_id = i.tenant_id
        limit 1
      ) e on true;
    end if;
    if uses_recipients then
      if zones is null then
        select array_agg(r.timezone order by i.place), array_agg(r.quiet_from order by i.place),
               array_agg(r.quiet_to order by i.place)
        into zones, quiet_froms, quiet_tos
        from unnest(p_tenants, named) with ordinality i (tenant_id, user_id, place)
        left join lateral (
          select r.timezone, r.quiet_from, r.quiet_to from recipients r
          where r.tenant_id = i.tenant_id and r.user_id = i.user_id limit 1
        ) r on true;
      end if;
      timezone := coalesce(zones[place], timezone);
      quiet_from := coalesce(quiet_froms[place], quiet_from);
      quiet_to := coalesce(quiet_tos[place], quiet_to);
    end if;
    if uses_preferences then
      if categories is null then
        select array_agg(p.category order by p.place), array_agg(p.required order by p.place),
               array_agg(p.reason order by p.place)
        into categories, requireds, unwanteds
        from preferences_of(p_tenants, choosing, types, array_fill(p_channel, array[cardinality(types)])) p;
      end if;
      category := categories[place];
      is_required := requireds[place];
    end if;
    if was = 'sending' and held_until > moment then
      becomes := 'busy';
      wait_ms := greatest(1, ceil(extract(epoch from held_until - moment) * 1000))::integer;
    elsif was not in ('queued', 'waiting', 'sending') or was <> 'sending' and rests then
      null;
    elsif gathers and bytes_in_all >= most_bytes_in_all then
      becomes := 'busy';
      wait_ms := 1000;
    elsif was = 'sending' and at_most_once then
      becomes := 'unknown';
      reason := died;
    elsif was = 'sending' and is_cancelled and not gathers then
      becomes := 'unknown';
      reason := '#cancelled-in-doubt';
    elsif broadcast = any (cancelled) and number > 1 and not exists (
        select from broadcasts b where b.id = broadcast and b.ended_at is not null) then
      -- After an attempt, the cancel decides how the delivery ends; see count_chunks.
      null;
    elsif broadcast = any (cancelled) then
      becomes := 'skipped';
      reason := '#cancelled';
    elsif is_active is not true then
      becomes := 'skipped';
      reason := '#tenant-inactive';
    elsif expires <= moment then
      becomes := 'expired';
      reason := '#expired';
    elsif asks and uses_preferences and unwanteds[place] is not null then
      becomes := 'skipped';
      reason := unwanteds[place];
    elsif suppressed is not null then
      becomes := 'skipped';
      reason := '#address-suppressed ' || json_build_object('reason', suppressed);
    elsif p_kinds[place] is null then
      becomes := 'skipped';
      reason := '#no-provider';
    elsif broadcast = any (bound_broadcasts)
        and p_providers[place] <> bound_providers[array_position(bound_broadcasts, broadcast)] then
      -- The sender does not know the broadcast yet, so the delivery waits for a second.
      becomes := 'quiet';
      quiet_end := moment + interval '1 second';
    elsif not has_event or not has_template and not opens then
      becomes := 'failed';
      reason := case when has_event then '#template-gone' else '#event-gone' end;
    elsif was = 'sending' and retries > p_max_retries then
      becomes := 'failed';
      reason := '#retries-exhausted ' || json_build_object('why', died);
    elsif quiet_from is not null and waited and is_required is not true then
      quiet_end := quiet_until(moment, timezone, quiet_from, quiet_to);
      if quiet_end >= expires then
        becomes := 'expired';
        reason := coded_reason('expires-in-quiet-hours', quiet_end_words(quiet_end, timezone));
      elsif quiet_end is not null then
        becomes := 'quiet';
        reason := coded_reason('quiet', quiet_end_words(quiet_end, timezone));
      else
        becomes := 'sending';
      end if;
    else
      becomes := 'sending';
    end if;
    if becomes = 'sending' and opens then
      closed := close_digest(event_id, tenant_id, unless_read is true, moment);
      becomes := coalesce(closed.ends, becomes);
      reason := closed.why;
      template_version_id := coalesce(closed.version, template_version_id);
      at_most_once := closed.once;
      sensitive := closed.hides;
      required := closed.needs;
      if not has_template then
        -- The template was deleted and created again.
        select envelope_of(t.from_name, t.reply_to, t.cc, t.bcc), t.reads_user into template_envelope, reads_user
        from template_versions v join templates t on t.id = v.template_id where v.id = template_version_id;
      end if;
      update deliveries d set template_version_id = claim_for_sending.template_version_id
      where d.id = claim_for_sending.delivery_id;
    elsif unless_read and becomes = 'sending' and number = 1 and not gathers then
      -- A separate statement, because Postgres would run a condition with a subquery for every delivery.
      if exists (
          select from notifications n
          where n.id = claim_for_sending.event_id and n.tenant_id = claim_for_sending.tenant_id
            and n.read_at is not null) then
        becomes := 'skipped';
        reason := '#read-in-inbox';
      end if;
    elsif opens and becomes not in ('busy', 'gone', 'quiet') then
      update digests g set closed_at = moment where g.id = claim_for_sending.event_id;
    end if;
    if gathers and becomes = 'sending' then
      select c.counted, c.items, c.newest, c.trace, c.newest_at into item_count, items, variables, trace_id, at
      from digest_content(event_id, tenant_id, most_items, most_bytes) c;
      bytes_in_all := bytes_in_all + coalesce(octet_length(items::text), 0);
      if item_count = 0 then
        -- All events were cancelled after the digest was closed; this is a later attempt or one that a person
        -- requested.
        becomes := 'skipped';
        reason := '#digest-cancelled';
      end if;
    end if;
    if becomes = 'sending' and coalesce(event_envelope, template_envelope) is not null then
      options := json_build_object('envelope',
        claimed_envelope(tenant_id, p_channel, template_envelope, event_envelope));
    end if;
    if becomes = 'sending' and reads_user and uses_recipients then
      if attributes is null then
        select array_agg(r.attributes order by i.place) into attributes
        from unnest(p_tenants, named) with ordinality i (tenant_id, user_id, place)
        left join lateral (
          select r.attributes from recipients r
          where r.tenant_id = i.tenant_id and r.user_id = i.user_id limit 1
        ) r on true;
      end if;
      if attributes[place] is not null then
        options := coalesce(options::jsonb, '{}') || jsonb_build_object('user', attributes[place]);
      end if;
    end if;
    if becomes = 'sending' then
      claimed := claimed || delivery_id;
      numbers := numbers || number;
    end if;
    if was = 'sending' and becomes <> 'busy' then
      update attempts a set ended_at = moment, class = 'ambiguous', reason = died
      where a.delivery_id = claim_for_sending.delivery_id and a.number = claim_for_sending.number - 1
        and a.ended_at is null;
    end if;
    if becomes = 'quiet' then
      becomes := 'gone';
      update deliveries d
      set status = case when d.status = 'sending' then 'waiting' else d.status end, due_at = quiet_end,
          reason = claim_for_sending.reason, retries = claim_for_sending.retries, claimed_until = null,
          released_at = null
      where d.id = claim_for_sending.delivery_id;
    elsif becomes not in ('sending', 'busy', 'gone') then
      update deliveries d
      set status = becomes, reason = claim_for_sending.reason, retries = claim_for_sending.retries,
          claimed_until = null, released_at = null, due_at = null, settled_at = moment
      where d.id = claim_for_sending.delivery_id;
    end if;
    return next;
    if gathers then items := null; end if;
  end loop;
  if claimed = '{}' then return; end if;

  update deliveries d
  set status = 'sending', reason = null, retries = d.retries + (d.status = 'sending')::integer,
      attempts = d.attempts + 1, provider_id = p_providers[array_position(p_ids, d.id)],
      claimed_until = moment + p_lease_ms * interval '1 millisecond',
      released_at = coalesce(d.released_at, moment), settled_at = null
  where d.id = any (claimed);
  insert into attempts (delivery_id, number, provider_id, provider_kind, started_at)
    select c.id, c.number, p_providers[array_position(p_ids, c.id)],
           p_kinds[array_position(p_ids, c.id)], moment
    from unnest(claimed, numbers) c (id, number);
end
$function$;

-- Returns the same without `options`, for senders of the previous version.
create or replace function claim_deliveries(
  p_channel text, p_ids uuid[], p_tenants text[], p_providers uuid[], p_kinds text[],
  p_lease_ms integer, p_max_retries integer
) returns table (
  delivery_id uuid, becomes text, was text, reason text, wait_ms integer, event_id uuid, tenant_id text,
  number integer, retries integer, template_version_id bigint, at_most_once boolean, sensitive boolean,
  recipient text, variables text, trace_id text, default_locale text, timezone text, required text[],
  user_id text, category text, is_required boolean, at timestamptz, items json, item_count integer
) language sql volatile
as $function$
  select c.delivery_id, c.becomes, c.was, c.reason, c.wait_ms, c.event_id, c.tenant_id, c.number, c.retries,
         c.template_version_id, c.at_most_once, c.sensitive, c.recipient, c.variables, c.trace_id,
         c.default_locale, c.timezone, c.required, c.user_id, c.category, c.is_required, c.at, c.items, c.item_count
  from claim_for_sending(
    p_channel => p_channel, p_ids => p_ids, p_tenants => p_tenants, p_providers => p_providers, p_kinds => p_kinds,
    p_lease_ms => p_lease_ms, p_max_retries => p_max_retries) c
$function$;

-- Returns the envelope that a template sets for its mails; null if it sets none.
create or replace function envelope_of(p_from_name text, p_reply_to text, p_cc text[], p_bcc text[]) returns jsonb
language sql immutable
return case
  when num_nonnulls(p_from_name, p_reply_to, p_cc, p_bcc) > 0 then jsonb_strip_nulls(
    jsonb_build_object('fromName', p_from_name, 'replyTo', p_reply_to, 'cc', p_cc, 'bcc', p_bcc))
end;

-- Returns a mail's envelope for a sender: that of the template, that of the event, and the suppressed addresses in cc
-- and bcc (in lower case, with the reason), so that the sender leaves them out.
create or replace function claimed_envelope(p_tenant text, p_channel text, p_template jsonb, p_event jsonb)
returns json language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $function$
declare
  copies jsonb := coalesce(p_event -> 'cc', p_template -> 'cc', '[]') || coalesce(p_event -> 'bcc', p_template -> 'bcc', '[]');
  left_out json;
begin
  if copies <> '[]' then
    select json_object_agg(s.address, s.reason) into left_out
    from jsonb_array_elements_text(copies) c (address)
    cross join lateral (
      select s.address, s.reason from suppressions s
      where s.tenant_id = p_tenant and s.channel = p_channel and s.address = lower(c.address collate "C")
      order by s.reason limit 1
    ) s;
  end if;
  return json_build_object('template', p_template, 'event', p_event, 'suppressed', left_out);
end
$function$;
