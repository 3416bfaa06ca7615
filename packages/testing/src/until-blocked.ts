import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";

/** Waits until at least `count` statements of other connections to this database wait for a lock. */
export async function untilBlocked(pool: Pick<pg.Pool, "query">, count = 1): Promise<void> {
  for (;;) {
    const { rowCount } = await pool.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    if (Number(rowCount) >= count) return;
    await sleep(5);
  }
}
