import { setTimeout as sleep } from "node:timers/promises";
import type { Pool } from "@belfry/database/connection";

/** One wait for a lock, at its longest sample. */
export interface LockWait {
  waitedMs: number;
  /** The waiting program and its statement. */
  waiter: string;
  /** The mode and the table, or the kind of lock. */
  lock: string;
  /** The programs that hold it, with the state of the transaction and the last statement. */
  holders: string;
}

const EVERY_MS = 100;
const statement = (activity: string) =>
  `left(regexp_replace(${activity}.query, '\\s+', ' ', 'g'), 80)`;

/** Samples all waits for locks until `stop`, which returns them, the longest first. */
export function watchLocks(pool: Pool) {
  const waits = new Map<string, LockWait>();
  const done = new AbortController();
  let sampledAt = performance.now();
  let longestGapMs = 0;
  const sample = async () => {
    const { rows } = await pool.query<LockWait & { id: string }>(
      `select l.pid || ' ' || l.waitstart as id,
              extract(epoch from clock_timestamp() - l.waitstart)::float * 1000 as "waitedMs",
              a.application_name || ': ' || ${statement("a")} as waiter,
              concat_ws(' ', l.mode, l.locktype, l.relation::regclass) as lock,
              (select string_agg(concat_ws(' ', h.application_name, h.state, ${statement("h")}), '; ')
               from pg_stat_activity h where h.pid = any (pg_blocking_pids(l.pid))) as holders
       from pg_locks l join pg_stat_activity a on a.pid = l.pid
       where a.datname = current_database() and not l.granted and l.waitstart is not null`,
    );
    for (const { id, ...wait } of rows) waits.set(id, wait);
    longestGapMs = Math.max(longestGapMs, performance.now() - sampledAt);
    sampledAt = performance.now();
  };
  const sampling = (async () => {
    while (!done.signal.aborted) {
      await sample();
      await sleep(EVERY_MS);
    }
  })();
  // If the run fails, its pool ends before the sampling; the run's own error is the one to show.
  sampling.catch(() => undefined);
  return {
    /** The longest time between two samples: a busy machine may miss a wait that is shorter. */
    longestGapMs: () => longestGapMs,
    async stop(): Promise<LockWait[]> {
      done.abort();
      await sampling;
      await sample();
      return [...waits.values()].sort((one, other) => other.waitedMs - one.waitedMs);
    },
  };
}
