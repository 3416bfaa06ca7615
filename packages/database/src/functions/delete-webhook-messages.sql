-- Deletes messages of status webhooks completely. Locks their deliveries in the same order as the senders. With
-- p_spare, unsent messages stay. A call that a sender has in progress continues: it contains only ids, and its result
-- finds no delivery to settle.
create or replace function delete_webhook_messages(p_ids uuid[], p_spare boolean)
returns table (webhook_messages bigint, deliveries bigint, attempts bigint) language plpgsql volatile
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $function$
#variable_conflict use_column
declare
  doomed uuid[];
  spared uuid[] := '{}';
begin
  -- Looks up one by one. Postgres makes this plan on an empty database, and it must remain good.
  doomed := array(
    select d.id from unnest(p_ids) u (id)
    cross join lateral (select d.id from deliveries d where d.event_id = u.id and d.channel = 'WEBHOOK' limit 1) d);
  perform 1 from deliveries d where d.id = any (doomed) order by d.id for update;
  if p_spare then
    spared := array(
      select d.event_id from deliveries d
      where d.id = any (doomed) and d.status in ('queued', 'sending', 'waiting'));
  end if;
  with gone as (
    delete from deliveries d where d.id = any (doomed) and d.event_id <> all (spared) returning d.id
  )
  select coalesce(array_agg(g.id), '{}'), count(*) into doomed, deliveries from gone g;
  delete from attempts a where a.delivery_id = any (doomed);
  get diagnostics attempts = row_count;
  delete from webhook_messages m where m.id = any (p_ids) and m.id <> all (spared);
  get diagnostics webhook_messages = row_count;
  return next;
end
$function$;
