import { eventsStream, eventsSubject } from "@belfry/contracts/streams";
import type { Pool } from "@belfry/database/connection";
import { type Expiry, leaveStuck, takeStuckEvents, type Unpublished } from "@belfry/database/sweep";
import type { Logger } from "@belfry/service/logger";
import { pause } from "@belfry/service/pause";
import type { Publisher } from "@belfry/service/publish";
import { countExpired, countReconciled } from "./dispatcher-metrics.ts";

export interface SweeperDeps {
  pool: Pool;
  publisher: Publisher;
  prefix: string;
  log: Logger;
}

const STUCK_PER_BATCH = 200;
const EXPIRED_PER_BATCH = 1000;
const BATCH_REST_MS = 20;

/**
 * Publishes events again that were accepted and have not been dispatched for `olderThanMs` since their
 * last publish, each alone and under its own id. Returns how many.
 */
export async function republishStuck(deps: SweeperDeps, olderThanMs: number): Promise<number> {
  const { pool, publisher, prefix, log } = deps;
  const begunAt = performance.now();
  let total = 0;
  for (;;) {
    // What this very sweep has published is not stuck, however small `olderThanMs`.
    const sinceMs = olderThanMs + performance.now() - begunAt;
    const stuck = await takeStuckEvents(pool, { olderThanMs: sinceMs, most: STUCK_PER_BATCH });
    const failed: string[] = [];
    const publish = async ({ eventId, traceId }: Unpublished) => {
      try {
        await publisher.publishIds(eventsSubject(prefix, "express"), [{ id: eventId, traceId }], {
          messageId: eventId,
          expectStream: eventsStream(prefix).name,
        });
      } catch (err) {
        if (failed.push(eventId) === 1) log.warn({ err }, "stuck events cannot be published");
      }
    };
    await Promise.all(stuck.map(publish));
    total += stuck.length - failed.length;
    if (failed.length > 0) await leaveStuck(pool, failed);
    if (failed.length > 0 || stuck.length < STUCK_PER_BATCH) break;
  }
  countReconciled("events", total);
  if (total > 0) log.warn({ events: total }, "stuck events published again");
  return total;
}

/** Deletes what has had its time, in small batches. Returns the rows by table. */
export async function expire(
  deps: { pool: Pool; expiries: readonly Expiry[] },
  signal?: AbortSignal,
): Promise<Record<string, number>> {
  const gone: Record<string, number> = {};
  for (const expiry of deps.expiries) {
    let rows = EXPIRED_PER_BATCH;
    while (rows === EXPIRED_PER_BATCH && !signal?.aborted) {
      rows = await expiry.run(deps.pool, EXPIRED_PER_BATCH);
      gone[expiry.table] = (gone[expiry.table] ?? 0) + rows;
      if (rows === EXPIRED_PER_BATCH) await pause(BATCH_REST_MS, signal);
    }
  }
  countExpired(gone);
  return gone;
}

/** Calls `work` every so often until the signal; a failure is logged once and tried again. */
export async function every(
  everyMs: number,
  what: string,
  work: () => Promise<unknown>,
  options: { log: Logger; signal: AbortSignal },
): Promise<void> {
  const { log, signal } = options;
  let failing = false;
  while (!signal.aborted) {
    await pause(everyMs, signal);
    if (signal.aborted) return;
    try {
      await work();
      failing = false;
    } catch (err) {
      if (!failing) log.warn({ err, what }, "failed: trying again");
      failing = true;
    }
  }
}
