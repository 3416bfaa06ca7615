import { eventsStream, eventsSubject } from "@belfry/contracts/streams";
import type { Pool } from "@belfry/database/connection";
import { recordReconciled } from "@belfry/database/reconciliations";
import { leaveStuck, takeStuckEvents, type Unpublished } from "@belfry/database/sweep";
import type { Logger } from "@belfry/service/logger";
import { pause } from "@belfry/service/pause";
import type { Publisher } from "@belfry/service/publish";
import { countReconciled } from "./dispatcher-metrics.ts";

export interface SweeperDeps {
  pool: Pool;
  publisher: Publisher;
  prefix: string;
  log: Logger;
}

const STUCK_PER_BATCH = 200;

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
  await recordReconciled(pool, "events", total);
  if (total > 0) log.warn({ events: total }, "stuck events published again");
  return total;
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
