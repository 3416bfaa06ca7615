-- Deletes events completely: scheduled ones first, then in the order in which dispatch_events locks. With p_spare, a
-- delivery that a sender holds stays, and so does its event, whose id is returned in `held`. `unfinished` counts the
-- deliveries that were still to be sent. The events leave their digests; a digest without events is deleted with its
-- delivery, but a digest that a sender holds keeps its events. Also deletes the search terms of the events, and a
-- search user with the last of its events. Notes the files of the events for mark_unlinked_attachments.
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
  gathered uuid[];
  emptied uuid[];
  tenant_ids text[];
  user_ids text[];
begin
  held := '{}';
  -- The writer of search terms locks this exclusively, and then sees which events are gone.
  perform pg_advisory_xact_lock_shared(hashtextextended('belfry search terms', 0));
  -- Locked first: from here on nobody can wake or dispatch the events, and everything already dispatched is visible
  -- below.
  perform 1 from scheduled_events s where s.event_id = any (p_ids) order by s.event_id for update;
  delete from scheduled_events s where s.event_id = any (p_ids);
  perform 1 from undispatched_events u where u.event_id = any (p_ids) order by u.event_id for update;
  delete from undispatched_events u where u.event_id = any (p_ids);
  get diagnostics undispatched_events = row_count;

  -- Looks up event by event. Postgres makes this plan on an empty database, and it must remain good.
  doomed := array(
    select d.id from unnest(p_ids) u (id)
    cross join lateral (select d.id from deliveries d where d.event_id = u.id limit 32) d);
  gathered := array(
    select distinct i.digest_id from unnest(p_ids) u (id)
    cross join lateral (select i.digest_id from digest_items i where i.event_id = u.id limit 32) i);
  if gathered <> '{}' then
    doomed := doomed || array(
      select d.id from unnest(gathered) g (id)
      cross join lateral (select d.id from deliveries d where d.event_id = g.id limit 1) d);
  end if;
  -- Locks in the same order as the senders.
  perform 1 from deliveries d where d.id = any (doomed) order by d.id for update;
  if p_spare then
    held := array(
      select distinct d.event_id from deliveries d
      where d.id = any (doomed) and d.status = 'sending' and d.claimed_until > clock_timestamp());
    if gathered && held then
      held := array(
        select distinct u.id from unnest(p_ids) u (id)
        where u.id = any (held) or exists (
          select from digest_items i where i.event_id = u.id and i.digest_id = any (held)));
    end if;
    whole := array(select u.id from unnest(p_ids) u (id) where u.id <> all (held));
  end if;
  if gathered <> '{}' then
    -- A transaction that adds an event holds the row of its digest.
    perform 1 from digests g where g.id = any (gathered) order by g.id for update;
    delete from digest_items i where i.event_id = any (whole);
    emptied := array(
      select g.id from unnest(gathered) g (id)
      where not exists (select from digest_items i where i.digest_id = g.id));
    delete from digests g where g.id = any (emptied);
  end if;
  with gone as (
    delete from deliveries d
    where d.id = any (doomed) and (d.event_id = any (p_ids) or d.event_id = any (emptied))
      and not (p_spare and d.event_id = any (held) and d.status = 'sending')
    returning d.id, d.status
  )
  select coalesce(array_agg(g.id), '{}'), count(*),
         count(*) filter (where g.status in ('queued', 'sending', 'waiting'))
  into doomed, deliveries, unfinished from gone g;
  delete from attempts a where a.delivery_id = any (doomed);
  get diagnostics attempts = row_count;
  delete from device_sends s where s.delivery_id = any (doomed);
  delete from receipts r where r.delivery_id = any (doomed);
  get diagnostics receipts = row_count;
  perform 1 from events e where e.id = any (whole) order by e.id for update;
  with gone as (
    delete from events e where e.id = any (whole) returning e.tenant_id, e.user_id
  )
  select count(*), array_agg(g.tenant_id), array_agg(g.user_id) into events, tenant_ids, user_ids from gone g;
  perform drop_attachments(whole);
  delete from search_terms s where s.event_id = any (whole);
  delete from search_users s
  where s.ctid = any (array(
    select known.ctid from (select distinct * from unnest(tenant_ids, user_ids) u (tenant_id, user_id)) u
    cross join lateral (
      select o.ctid, o.hash from search_users o
      where o.tenant_id = u.tenant_id and o.user_id = u.user_id limit 1) known
    where not exists (select from search_terms t where t.hash = known.hash limit 1)));
  return next;
end
$function$;
