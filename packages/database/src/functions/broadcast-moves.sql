-- Refuses every move of a broadcast that BROADCAST_TRANSITIONS does not have; see the trigger of broadcasts.
-- Generated, and held true by a test:
-- node test/run.ts --test-update-snapshots packages/database/test/moves-sql.test.ts
create or replace function check_broadcast_move() returns trigger language plpgsql as $function$
declare
  moves constant text[] := array[
    'scheduled > running', 'scheduled > paused', 'scheduled > cancelling',
    'running > paused', 'running > cancelling', 'running > done',
    'paused > scheduled', 'paused > running', 'paused > cancelling', 'paused > done',
    'cancelling > cancelled'
  ];
begin
  if old.state || ' > ' || new.state = any (moves) then return new; end if;
  raise exception 'a broadcast cannot go from % to %', old.state, new.state
    using errcode = 'check_violation', constraint = 'broadcasts_move', table = 'broadcasts';
end
$function$;
