import type { Pool } from "@belfry/database/connection";
import {
  countChunks,
  type DueBroadcast,
  dueBroadcasts,
  type Expansion,
  expandBroadcast,
} from "@belfry/database/functions/broadcasts";
import type { Rest } from "@belfry/database/functions/read-rest";
import type { Logger } from "@belfry/service/logger";
import { pause } from "@belfry/service/pause";
import type { Publisher } from "@belfry/service/publish";
import { countExpanded } from "./dispatcher-metrics.ts";
import { publishToLanes } from "./sweeper.ts";

interface BroadcastDeps {
  pool: Pool;
  publisher: Publisher;
  lookAtRest: () => Promise<Rest>;
  /** While ids cannot be published, nothing is expanded. */
  canPublish(): boolean;
  prefix: string;
  /** The part of a tenant's daily cap that is for broadcasts, from 0 to 1. */
  dayShare: number;
  log: Logger;
  /** Default: the database's clock. */
  now?: () => Date;
}

/** Pause between rounds while no broadcast can be expanded, because the last chunks are still being dispatched. */
const REST_MS = 25;
/** After this many pauses in a row without progress, the round ends; the next round continues. */
const MOST_RESTS = 20;

/**
 * Returns a round that expands due broadcasts, one chunk per tenant at a time, until none is due, and counts the
 * results of finished chunks. All replicas may run it: the database gives a broadcast to one replica at a time. If the
 * message of a chunk is lost, the sweeper publishes the events again. At the signal, a round ends after the current
 * call. It returns the number of events that it created.
 */
export function createBroadcastLoop(
  deps: BroadcastDeps,
): (signal?: AbortSignal) => Promise<number> {
  const { pool, dayShare, log, now } = deps;

  /** Expands the tenant's first broadcast that need not wait. Returns its new events, or undefined if all must wait. */
  async function moveOne(
    ofTenant: readonly DueBroadcast[],
  ): Promise<Expansion["events"] | undefined> {
    for (const broadcast of ofTenant) {
      const expansion = await expandBroadcast(pool, broadcast, { dayShare, moment: now?.() });
      const { events, hasMoved } = expansion;
      if (!hasMoved) continue;
      countExpanded(events.length);
      log.debug({ broadcastId: broadcast.id, events: events.length }, "expanded");
      return events;
    }
    return undefined;
  }

  return async function moveOn(signal) {
    let total = 0;
    let rests = 0;
    while (rests < MOST_RESTS && !signal?.aborted && (await deps.lookAtRest()).isBroadcastDue) {
      let hasMoved = (await countChunks(pool, now?.())) > 0;
      const due = deps.canPublish() ? await dueBroadcasts(pool, now?.()) : new Map();
      for (const ofTenant of due.values()) {
        if (signal?.aborted) return total;
        const events = await moveOne(ofTenant);
        hasMoved ||= events !== undefined;
        if (events === undefined || events.length === 0) continue;
        total += events.length;
        // The bulk lane, so that a broadcast never delays the events that its tenant sends to single users.
        const published = await publishToLanes(deps, events, () => "bulk");
        if (published < events.length) return total;
      }
      rests = hasMoved ? 0 : rests + 1;
      if (rests > 0) await pause(REST_MS, signal);
    }
    return total;
  };
}
