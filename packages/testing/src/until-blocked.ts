import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";

/** Waits until a statement of another connection to this database waits for a lock. */
export async function untilBlocked(pool: Pick<pg.Pool, "query">): Promise<void> {
  for (;;) {
    const { rowCount } = await pool.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    if (rowCount !== 0) return;
    await sleep(5);
  }
}
