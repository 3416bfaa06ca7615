-- Claims deliveries of status webhooks for one attempt each and inserts the attempts, before any endpoint is called.
-- Locks deliveries and reads the clock as claim_deliveries does. Returns one row per delivery found, with what it
-- `becomes`:
--   sending   claimed; `number` is that of the attempt
--   busy      another sender holds it for `wait_ms` more
--   gone      settled, held for its paused endpoint, or deferred because its endpoint is in p_full
--   skipped   it ended in this call, for `reason`: the endpoint is gone or inactive, or the tenant is
--   failed    it ended in this call, because its senders died too often
-- p_full are the endpoints for which this sender has no call left.
-- An attempt of a sender that died ends as ambiguous and counts as a retry. If the pause of an endpoint is over, one
-- delivery is claimed as a probe: the pause is extended by the length of a lease, until the result of the probe is
-- recorded. The other deliveries are held: release_deliveries releases them in parts once the endpoint answers, and no
-- claim touches them before. `type` also has the event's `trace_parent` if it is sampled: after a space, as in
-- read_events.
create or replace function claim_webhooks(
  p_ids uuid[], p_tenants text[], p_full uuid[], p_lease_ms integer, p_max_retries integer
) returns table (
  delivery_id uuid, becomes text, was text, reason text, wait_ms integer, tenant_id text, number integer,
  retries integer, webhook_id uuid, url text, secret text, previous_secret text, message_id uuid, type text,
  payload text, told_at timestamptz, failing boolean
) language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $function$
#variable_conflict use_column
<<claim>>
declare
  died constant text := '#sender-died';
  full_seconds constant integer := 5;
  moment timestamptz;
  place bigint;
  held_until timestamptz;
  rests boolean;
  is_active boolean;
  is_there boolean;
  paused_until timestamptz;
  paused uuid[] := '{}';
  put_off timestamptz;
  holds boolean;
  claimed uuid[] := '{}';
  numbers integer[];
begin
  perform 1 from deliveries d where d.id = any (p_ids) order by d.id for update;
  moment := clock_timestamp();
  for place, delivery_id, was, held_until, rests, tenant_id, number, retries, is_active, webhook_id, is_there, url, secret,
      previous_secret, paused_until, message_id, type, payload, told_at, failing
  in
    select i.place, d.id, d.status, d.claimed_until,
           d.released_at is null and coalesce(d.due_at, 'infinity') > moment, d.tenant_id, d.attempts + 1,
           d.retries + (d.status = 'sending')::integer, o.active, m.webhook_id, w.active, w.url,
           w.secret, case when w.previous_secret_until > moment then w.previous_secret end, w.paused_until,
           coalesce(m.resend_of, m.id), m.type || coalesce(' ' || e.trace_parent, ''), m.payload, m.created_at,
           w.failing_since is not null
    from unnest(p_ids, p_tenants) with ordinality i (id, tenant_id, place)
    join lateral (select * from deliveries d where d.id = i.id limit 1) d
      on d.tenant_id = i.tenant_id and d.channel = 'WEBHOOK'
    left join lateral (select * from webhook_messages m where m.id = d.event_id limit 1) m
      on m.tenant_id = d.tenant_id
    left join lateral (select * from webhooks w where w.id = m.webhook_id limit 1) w
      on w.tenant_id = d.tenant_id
    left join lateral (select e.tenant_id, e.trace_parent from events e where e.id = m.event_id limit 1) e
      on e.tenant_id = d.tenant_id
    left join lateral (select t.active from tenants t where t.id = d.tenant_id limit 1) o on true
  loop
    -- A delivery that occurs twice in the batch is handled at its first place only.
    continue when place <> array_position(p_ids, delivery_id);
    reason := null;
    wait_ms := null;
    becomes := 'gone';
    put_off := null;
    holds := false;
    if was = 'sending' and held_until > moment then
      becomes := 'busy';
      wait_ms := greatest(1, ceil(extract(epoch from held_until - moment) * 1000))::integer;
    elsif was not in ('queued', 'waiting', 'sending') or was <> 'sending' and rests then
      null;
    elsif is_active is not true then
      becomes := 'skipped';
      reason := '#tenant-inactive';
    elsif is_there is null then
      becomes := 'skipped';
      reason := case when webhook_id is null then '#message-gone' else '#endpoint-deleted' end;
    elsif not is_there then
      becomes := 'skipped';
      reason := '#endpoint-disabled';
    elsif was = 'sending' and retries > p_max_retries then
      becomes := 'failed';
      reason := '#retries-exhausted ' || json_build_object('why', died);
    elsif paused_until > moment or webhook_id = any (paused) then
      holds := true;
    elsif webhook_id = any (p_full) then
      put_off := moment + make_interval(secs => 1 + random() * full_seconds);
    else
      becomes := 'sending';
      if paused_until is not null then
        -- Only one replica probes: the others see the pause that this one has set. Skips a locked row, so that no claim
        -- waits while it holds deliveries: the holder of the row probes the endpoint, records a call, or deletes the
        -- endpoint and needs these deliveries.
        perform from webhooks w
        where w.id = claim_webhooks.webhook_id and w.tenant_id = claim_webhooks.tenant_id and w.paused_until <= moment
        for update skip locked;
        if found then
          update webhooks w set paused_until = moment + p_lease_ms * interval '1 millisecond', probing = true
          where w.id = claim_webhooks.webhook_id and w.tenant_id = claim_webhooks.tenant_id;
          paused := paused || webhook_id;
        else
          becomes := 'gone';
          holds := true;
        end if;
      end if;
    end if;
    if becomes = 'sending' then
      claimed := claimed || delivery_id;
      numbers := numbers || number;
    end if;
    if was = 'sending' and becomes <> 'busy' then
      update attempts a set ended_at = moment, class = 'ambiguous', reason = died
      where a.delivery_id = claim_webhooks.delivery_id and a.number = claim_webhooks.number - 1
        and a.ended_at is null;
    end if;
    if put_off is not null or holds then
      update deliveries d
      set status = case when d.status = 'sending' then 'waiting' else d.status end, due_at = put_off,
          held_for = case when holds then claim_webhooks.webhook_id end, retries = claim_webhooks.retries,
          claimed_until = null, released_at = null
      where d.id = claim_webhooks.delivery_id;
    elsif becomes in ('skipped', 'failed') then
      update deliveries d
      set status = becomes, reason = claim_webhooks.reason, retries = claim_webhooks.retries,
          claimed_until = null, released_at = null, due_at = null, settled_at = moment
      where d.id = claim_webhooks.delivery_id;
    end if;
    return next;
  end loop;
  if claimed = '{}' then return; end if;

  update deliveries d
  set status = 'sending', reason = null, retries = d.retries + (d.status = 'sending')::integer,
      attempts = d.attempts + 1, claimed_until = moment + p_lease_ms * interval '1 millisecond',
      released_at = coalesce(d.released_at, moment), settled_at = null
  where d.id = any (claimed);
  insert into attempts (delivery_id, number, provider_kind, started_at)
    select c.id, c.number, 'webhook', moment
    from unnest(claimed, numbers) c (id, number);
end
$function$;

-- Records the results of calls of endpoints, item by item; p_reasons has null for a call that arrived. After p_failures
-- failures in a row an endpoint is paused for 30 s, and after each failed probe for twice as long, at most 10 minutes.
-- Calls that began before a pause do not lengthen it. If an endpoint has only failed for five days, or has answered 410
-- (p_gone), it is disabled and the audit log records this. Returns the endpoints that this call has disabled.
create or replace function note_webhook_calls(
  p_ids uuid[], p_tenants text[], p_urls text[], p_reasons text[], p_gone boolean[], p_failures integer
) returns table (webhook_id uuid, tenant_id text, url text, reason text) language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $function$
#variable_conflict use_column
declare
  patience constant interval := '5 days';
  first_pause constant integer := 30;
  longest_pause constant integer := 600;
  moment timestamptz;
  was record;
  fails integer;
  pause timestamptz;
begin
  perform 1 from webhooks w where w.id = any (p_ids) order by w.id for update;
  moment := clock_timestamp();
  for i in 1 .. cardinality(p_ids) loop
    select w.* into was from webhooks w where w.id = p_ids[i] and w.tenant_id = p_tenants[i];
    -- A call of the endpoint's former URL is ignored.
    continue when not found or was.url <> p_urls[i];
    if p_reasons[i] is null then
      continue when was.failing_since is null and was.paused_until is null;
      update webhooks w set failing_since = null, failures = 0, paused_until = null, probing = false
      where w.id = was.id and w.tenant_id = was.tenant_id;
      continue;
    end if;
    fails := was.failures;
    pause := was.paused_until;
    if was.probing or was.paused_until is null or was.paused_until <= moment then
      fails := fails + 1;
      pause := case when fails >= p_failures
        then moment + make_interval(secs => least(longest_pause, first_pause * 2 ^ least(10, fails - p_failures))) end;
    end if;
    update webhooks w
    set failing_since = coalesce(w.failing_since, moment), failures = fails, paused_until = pause, probing = false
    where w.id = was.id and w.tenant_id = was.tenant_id;
    if was.active and (p_gone[i] or moment - was.failing_since >= patience) then
      webhook_id := was.id;
      tenant_id := was.tenant_id;
      url := was.url;
      reason := reason_in_words(case when p_gone[i] then '#endpoint-gone'
        else '#endpoint-unreachable ' || json_build_object('why', p_reasons[i]) end);
      update webhooks w set active = false, disabled_at = moment, disabled_reason = note_webhook_calls.reason
      where w.id = was.id and w.tenant_id = was.tenant_id;
      -- The same form as in packages/administration: without the URL's query, which may contain a secret.
      insert into audit_log (id, person, address, tenant_id, action, target, before, after)
      values (id_of_now(), 'Belfry', '', was.tenant_id, 'webhook.disable', regexp_replace(was.url, '[?].*$', '?…'),
        '{"active": true}', jsonb_build_object('active', false, 'disabledReason', note_webhook_calls.reason));
      return next;
    end if;
  end loop;
end
$function$;
