-- Returns the key by which the events of one user are ordered: see undispatched_events.
create or replace function user_key(p_tenant text, p_user text) returns bigint
language sql immutable as $function$
  select hashtextextended(p_tenant || ' ' || p_user, 0)
$function$;
