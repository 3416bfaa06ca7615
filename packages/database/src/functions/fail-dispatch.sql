-- Ends an event that cannot be dispatched, with this outcome, and writes its webhook messages. Does nothing if the event
-- was dispatched or refused meanwhile.
create or replace function fail_dispatch(p_id uuid, p_outcome jsonb) returns void language plpgsql volatile
set enable_seqscan = off
as $function$
begin
  delete from undispatched_events u where u.event_id = p_id;
  if not found then return; end if;
  update events e set dispatched_at = clock_timestamp(), outcome = p_outcome where e.id = p_id;
  perform tell_outcomes(array[p_id]);
end
$function$;
