import type { KeptDays } from "@belfry/contracts/retention";
import type { Pool } from "@belfry/database/connection";
import {
  databaseMoment,
  expireStep,
  longestRetention,
  WALKED_TABLES,
  type WalkedTable,
} from "@belfry/database/functions/expire-batch";
import type { Logger } from "@belfry/service/logger";
import { pause } from "@belfry/service/pause";
import { countExpired, countUnfinished } from "./dispatcher-metrics.ts";
import { type Expiry, strayExpiries, timedExpiries } from "./expiries.ts";

export interface ExpiryDeps {
  pool: Pool;
  /** Days of tenants that have none of their own. */
  retention: KeptDays;
  log: Logger;
  /** Default: the database's clock. */
  now?: () => Promise<Date>;
}

const ROWS_PER_BATCH = 1000;
const SHORTEST_REST_MS = 5;
const LONGEST_REST_MS = 250;
const STRAYS_EVERY_MS = 24 * 60 * 60 * 1000;

/** A step of one deletion: whether there is more to do at once. */
type Step = () => Promise<boolean>;

/**
 * Returns a round that deletes what has had its time: by small steps, each a transaction of its own and
 * followed by a rest as long as itself, one table after the other in turn. Ends at the signal after the
 * step in hand. Replicas may run it at the same time. A round returns the rows it deleted, by table.
 */
export function createExpiry(deps: ExpiryDeps) {
  const { pool, retention, log, now = () => databaseMoment(pool) } = deps;
  let straysAtMs = Number.NEGATIVE_INFINITY;

  return async function expire(signal?: AbortSignal): Promise<Record<string, number>> {
    const moment = await now();
    const gone: Record<string, number> = {};
    let unfinished = 0;
    let elsewhere = false;
    const add = (rows: Readonly<Record<string, number>>) => {
      for (const [table, count] of Object.entries(rows)) gone[table] = (gone[table] ?? 0) + count;
      countExpired(rows);
    };
    const walk = (table: WalkedTable) => async () => {
      const step = await expireStep(pool, table, retention, moment);
      add(step.rows);
      unfinished += step.unfinished;
      if (step.state === "busy") elsewhere = true;
      return step.state === "walked";
    };
    const deletion = (expiry: Expiry) => async () => {
      const { rows, more } = await expiry.run(pool, ROWS_PER_BATCH);
      add({ [expiry.table]: rows });
      return more;
    };

    try {
      await inTurn(
        [
          ...timedExpiries(retention.eventDays, moment).map(deletion),
          ...WALKED_TABLES.map((table) => walk(table)),
        ],
        signal,
      );
      const straysDue = moment.getTime() - straysAtMs >= STRAYS_EVERY_MS;
      if (straysDue && !elsewhere && !signal?.aborted) {
        straysAtMs = moment.getTime();
        const longest = await longestRetention(pool, retention);
        await inTurn(strayExpiries(longest, moment).map(deletion), signal);
      }
    } finally {
      countUnfinished(unfinished);
      if (unfinished > 0) log.warn({ deliveries: unfinished }, "unsent deliveries had their time");
    }
    return gone;
  };
}

async function inTurn(steps: readonly Step[], signal: AbortSignal | undefined): Promise<void> {
  let pending = steps;
  while (pending.length > 0) {
    const more: Step[] = [];
    for (const step of pending) {
      if (signal?.aborted) return;
      const begunAt = performance.now();
      if (!(await step())) continue;
      more.push(step);
      const tookMs = performance.now() - begunAt;
      await pause(Math.min(Math.max(tookMs, SHORTEST_REST_MS), LONGEST_REST_MS), signal);
    }
    pending = more;
  }
}
