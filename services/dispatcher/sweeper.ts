import type { QueueItem } from "@belfry/contracts/queue-message";
import { type EventLane, eventsStream, eventsSubject } from "@belfry/contracts/streams";
import type { Pool } from "@belfry/database/connection";
import { recordReconciled } from "@belfry/database/reconciliations";
import type { Logger } from "@belfry/service/logger";
import type { Publisher } from "@belfry/service/publish";
import { countReconciled } from "./dispatcher-metrics.ts";
import { LaneTally } from "./lane-tally.ts";
import {
  hasStuckEvents,
  leaveStuck,
  takeStuckEvents,
  tenantsAbove,
  type Unpublished,
} from "./sweep.ts";

export interface SweeperDeps {
  pool: Pool;
  publisher: Publisher;
  prefix: string;
  /** A tenant with more than this in a minute belongs to the bulk lane, as when its events were accepted. */
  expressPerMinute: number;
  log: Logger;
}

const STUCK_PER_BATCH = 200;
const NO_ID = "00000000-0000-0000-0000-000000000000";
/** From the stamp of a publish to its message in the stream, with what the clocks of the two differ. */
export const PUBLISHED_WITHIN_MS = 15_000;

/**
 * Publishes events again that were accepted and have not been dispatched for `olderThanMs` since their
 * last publish: those of which the stream cannot hold the message any more. While it holds older ones
 * (`oldestMessageMs`, undefined for an empty stream), an event is waiting, not lost. Returns how many.
 */
export async function republishStuck(
  deps: SweeperDeps,
  olderThanMs: number,
  oldestMessageMs: () => Promise<number | undefined>,
): Promise<number> {
  if (!(await hasStuckEvents(deps.pool, olderThanMs))) return 0;
  const heldMs = ((await oldestMessageMs()) ?? 0) + PUBLISHED_WITHIN_MS;
  return await republishOlder(deps, Math.max(olderThanMs, heldMs));
}

/** The same after the loss of the whole stream, which was made anew `ageMs` ago. */
export async function republishLost(deps: SweeperDeps, ageMs: number): Promise<number> {
  return await republishOlder(deps, Math.max(0, ageMs - PUBLISHED_WITHIN_MS));
}

async function republishOlder(deps: SweeperDeps, olderThanMs: number): Promise<number> {
  const { pool, log } = deps;
  const begunAt = performance.now();
  // What rested was accepted whenever, and may have been let go all at once.
  const tally = new LaneTally(deps.expressPerMinute);
  let total = 0;
  let after = NO_ID;
  for (;;) {
    const sinceMs = olderThanMs + performance.now() - begunAt;
    const stuck = await takeStuckEvents(pool, {
      ...{ olderThanMs: sinceMs, after },
      most: STUCK_PER_BATCH,
    });
    const last = stuck.at(-1);
    if (last === undefined) break;
    after = last.eventId;
    const published = await publish(deps, tally, stuck);
    total += published;
    if (published < stuck.length) break;
  }
  countReconciled("events", total);
  await recordReconciled(pool, "events", total);
  if (total > 0) log.warn({ events: total }, "stuck events published again");
  return total;
}

/** One message a lane; returns how many events went. */
async function publish(deps: SweeperDeps, tally: LaneTally, stuck: readonly Unpublished[]) {
  const { pool, publisher, prefix, log } = deps;
  const lastEvents = new Map(stuck.map(({ tenantId, eventId }) => [tenantId, eventId]));
  const above = await tenantsAbove(pool, lastEvents, deps.expressPerMinute);
  const lanes = Map.groupBy(
    stuck,
    ({ tenantId }): EventLane => (above.has(tenantId) ? "bulk" : tally.laneOf(tenantId)),
  );
  let published = 0;
  for (const [lane, events] of lanes) {
    const items: QueueItem[] = events.map(({ eventId: id, traceId }) => ({ id, traceId }));
    try {
      await publisher.publishIds(eventsSubject(prefix, lane), items, {
        expectStream: eventsStream(prefix).name,
      });
      published += items.length;
    } catch (err) {
      log.warn({ err }, "stuck events cannot be published");
      await leaveStuck(
        pool,
        items.map(({ id }) => id),
      );
    }
  }
  return published;
}
