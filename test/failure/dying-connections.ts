import type { Pool } from "@belfry/database/connection";

const EVERY = 10;

/** Meanwhile one in ten statements that write an attempt or a waiting event takes its connection with it. */
export async function whileConnectionsDie(pool: Pool, work: () => Promise<void>): Promise<void> {
  await pool.query(`
    create sequence writes;
    create function die() returns trigger language plpgsql as $$
    begin
      if nextval('writes') % ${EVERY} = 0 then perform pg_terminate_backend(pg_backend_pid()); end if;
      return null;
    end $$;
    create trigger die after insert or update on attempts for each statement execute function die();
    create trigger die after insert or delete on undispatched_events
      for each statement execute function die()`);
  try {
    await work();
  } finally {
    await pool.query("drop function die cascade");
    await pool.query("drop sequence writes");
  }
}
