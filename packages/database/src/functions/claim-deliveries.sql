-- Takes deliveries for one try each and inserts the attempts, before any call. It locks the deliveries in order
-- of id, so that senders cannot deadlock, and reads the database's clock once it holds them: a replica's own
-- clock decides nothing.
--
-- Returns one row a delivery found, with what it `becomes`:
--   sending            claimed; `number` is the attempt's
--   busy               another sender holds it for `wait_ms` more
--   gone               settled, or waiting for a later time
--   skipped, expired, failed, unknown   it ended here, for `reason`, without a try
-- A delivery still `sending` after its lease was left by a sender that died: that attempt ends as ambiguous
-- and counts as a retry, and where the template says at most once the delivery as unknown. A delivery to a
-- suppressed address ends as skipped.
create or replace function claim_deliveries(
  p_channel text, p_ids uuid[], p_tenants text[], p_providers uuid[], p_kinds text[],
  p_lease_ms integer, p_max_retries integer
) returns table (
  delivery_id uuid, becomes text, was text, reason text, wait_ms integer, event_id uuid, tenant_id text,
  number integer, retries integer, template_version_id bigint, at_most_once boolean, sensitive boolean,
  recipient text, variables text, trace_id text, default_locale text, timezone text, required text[]
) language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $function$
#variable_conflict use_column
declare
  died constant text := 'the sender ended before the outcome was known';
  moment timestamptz;
  place bigint;
  held_until timestamptz;
  rests boolean;
  expires timestamptz;
  has_event boolean;
  has_template boolean;
  is_active boolean;
  suppressed text;
  claimed uuid[] := '{}';
  numbers integer[];
begin
  perform 1 from deliveries d where d.id = any (p_ids) order by d.id for update;
  moment := clock_timestamp();
  for place, delivery_id, was, held_until, rests, expires, event_id, tenant_id, number, retries,
      template_version_id, has_event, recipient, variables, trace_id, has_template, at_most_once, sensitive,
      required, is_active, default_locale, timezone, suppressed
  in
    select i.place, d.id, d.status, d.claimed_until, d.released_at is null and d.due_at > moment,
           d.expires_at, d.event_id, d.tenant_id, d.attempts + 1, d.retries + (d.status = 'sending')::integer,
           d.template_version_id, e.id is not null, d.recipient, e.variables, e.trace_id,
           v.id is not null, v.at_most_once,
           v.sensitive or coalesce(e.accepted_at <= v.sensitive_until, false),
           v.required_variables, o.active, o.default_locale, o.timezone,
           (select s.reason from suppressions s
            where s.tenant_id = d.tenant_id and s.channel = p_channel
              and s.address = lower(d.recipient collate "C"))
    from unnest(p_ids, p_tenants) with ordinality i (id, tenant_id, place)
    -- One look into an index an item: this plan is made on an empty database, where a walk over a
    -- whole table looks cheapest, and it must stay good while the tables grow. The arrays of ids in
    -- the updates say the same.
    join lateral (select * from deliveries d where d.id = i.id limit 1) d
      on d.tenant_id = i.tenant_id and d.channel = p_channel
    left join lateral (select * from events e where e.id = d.event_id limit 1) e
      on e.tenant_id = d.tenant_id
    left join lateral (
      select v.id, t.at_most_once, t.sensitive, t.sensitive_until, t.required_variables
      from template_versions v join templates t on t.id = v.template_id
      where v.id = d.template_version_id limit 1
    ) v on true
    left join lateral (
      select t.active, t.default_locale, t.timezone from tenants t where t.id = d.tenant_id limit 1
    ) o on true
  loop
    continue when place <> array_position(p_ids, delivery_id);
    reason := null;
    wait_ms := null;
    becomes := 'gone';
    if was = 'sending' and held_until > moment then
      becomes := 'busy';
      wait_ms := greatest(1, ceil(extract(epoch from held_until - moment) * 1000))::integer;
    elsif was not in ('queued', 'waiting', 'sending') or was <> 'sending' and rests then
      null;
    elsif was = 'sending' and at_most_once then
      becomes := 'unknown';
      reason := died;
    elsif is_active is not true then
      becomes := 'skipped';
      reason := 'tenant inactive';
    elsif expires <= moment then
      becomes := 'expired';
      reason := 'expired before it could be sent';
    elsif suppressed is not null then
      becomes := 'skipped';
      reason := 'address suppressed (' || suppressed || ')';
    elsif p_kinds[place] is null then
      becomes := 'skipped';
      reason := 'no active provider';
    elsif not has_event or not has_template then
      becomes := 'failed';
      reason := case when has_event then 'the template is gone' else 'the event is gone' end;
    elsif was = 'sending' and retries > p_max_retries then
      becomes := 'failed';
      reason := 'retries exhausted: ' || died;
    else
      becomes := 'sending';
      claimed := claimed || delivery_id;
      numbers := numbers || number;
    end if;
    if was = 'sending' and becomes <> 'busy' then
      update attempts a set ended_at = moment, class = 'ambiguous', reason = died
      where a.delivery_id = claim_deliveries.delivery_id and a.number = claim_deliveries.number - 1
        and a.ended_at is null;
    end if;
    if becomes not in ('sending', 'busy', 'gone') then
      update deliveries d
      set status = becomes, reason = claim_deliveries.reason, retries = claim_deliveries.retries,
          claimed_until = null, released_at = null, due_at = null, settled_at = moment
      where d.id = claim_deliveries.delivery_id;
    end if;
    return next;
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
