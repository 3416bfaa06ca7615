-- Closes a digest when its delivery is first claimed, in the transaction and under the lock of that claim, so that no
-- further event can join. If the message is only for unread events, events that were read in the inbox are left out.
-- Returns the current template version and its settings. If the digest is not sent, `ends` is the status in which its
-- delivery ends, and `why` is the reason. Later attempts keep these results.
create or replace function close_digest(
  p_digest uuid, p_tenant text, p_unless_read boolean, p_moment timestamptz,
  out ends text, out why text, out version bigint, out once boolean, out hides boolean, out needs text[]
) language plpgsql volatile
-- All reads are index look-ups: Postgres plans them on an empty database, and the plan must stay good.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $function$
declare
  template record;
begin
  update digests g set closed_at = p_moment where g.id = p_digest and g.closed_at is null;
  -- Looks up the template by event type and channel. If it was deleted and created again, digests that waited for the
  -- old one use the new one.
  select t.active, t.at_most_once, t.sensitive or coalesce(g.opened_at <= t.sensitive_until, false) as hides,
         t.required_variables, t.after_unread_seconds, v.current_version_id
  into template
  from digests g
  join templates t on t.tenant_id = case when starts_with(g.event_type, 'global.') then 'platform' else g.tenant_id end
    and t.event_type = g.event_type and t.channel = g.channel
  left join lateral (
    select v.current_version_id from template_variants v
    where v.template_id = t.id and v.locale in (g.locale, '') order by v.locale desc limit 1
  ) v on true
  where g.id = p_digest;
  if not found then
    ends := 'failed';
    why := '#template-gone';
    return;
  end if;
  if not template.active or template.current_version_id is null then
    ends := 'skipped';
    why := '#no-template';
    return;
  end if;
  version := template.current_version_id;
  once := template.at_most_once;
  hides := template.hides;
  needs := template.required_variables;

  if p_unless_read or template.after_unread_seconds is not null then
    update digest_items i set state = 'read'
    where i.digest_id = p_digest and i.state = 'in' and (
      select n.read_at is not null from notifications n
      where n.id = i.event_id and n.tenant_id = p_tenant limit 1);
  end if;
  if exists (select from digest_items i where i.digest_id = p_digest and i.state = 'in') then return; end if;
  if exists (select from digest_items i where i.digest_id = p_digest and i.state = 'read') then
    ends := 'skipped';
    why := '#read-in-inbox';
  elsif exists (select from digest_items i where i.digest_id = p_digest and i.state = 'cancelled') then
    ends := 'skipped';
    why := '#digest-cancelled';
  else
    ends := 'failed';
    why := '#event-gone';
  end if;
end
$function$;

-- Returns the content of a digest's message. `counted` is the number of its events. `items` has the oldest events that
-- fit, as JSON objects of `id`, `at` and `variables` (text), and of `traceParent` if the event is sampled. `newest`,
-- `trace` and `newest_at` are the variables, trace id and time of the newest event. Of a large digest, only the first
-- and last p_most events by id are read, because ids are in order of acceptance: reading all events would slow each
-- attempt with the size.
create or replace function digest_content(
  p_digest uuid, p_tenant text, p_most integer, p_most_bytes integer,
  out counted integer, out items json, out newest text, out trace text, out newest_at timestamptz
) language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $function$
begin
  counted := (select count(*) from digest_items i where i.digest_id = p_digest and i.state = 'in');
  items := (
    with oldest as materialized (
      select i.event_id from digest_items i
      where i.digest_id = p_digest and i.state = 'in' order by i.event_id limit p_most
    ),
    shown as materialized (
      select e.id, coalesce(e.released_at, e.accepted_at) as at, e.variables, e.trace_parent
      from oldest o
      cross join lateral (select * from events e where e.id = o.event_id limit 1) e
      where e.tenant_id = p_tenant
    ),
    placed as (
      select s.*, sum(octet_length(coalesce(s.variables, ''))) over (order by s.at, s.id) as bytes from shown s
    )
    select json_agg(case when p.trace_parent is null
        then json_build_object('id', p.id, 'at', p.at, 'variables', p.variables)
        else json_build_object('id', p.id, 'at', p.at, 'variables', p.variables, 'traceParent', p.trace_parent)
      end order by p.at, p.id)
    from placed p where p.bytes <= p_most_bytes);
  select e.variables, e.trace_id, coalesce(e.released_at, e.accepted_at) into newest, trace, newest_at
  from (
    select i.event_id from digest_items i
    where i.digest_id = p_digest and i.state = 'in' order by i.event_id desc limit p_most
  ) i
  cross join lateral (select * from events e where e.id = i.event_id limit 1) e
  where e.tenant_id = p_tenant
  order by coalesce(e.released_at, e.accepted_at) desc, e.id desc limit 1;
end
$function$;
