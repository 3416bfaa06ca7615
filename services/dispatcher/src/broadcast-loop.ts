import type { Pool } from "@belfry/database/connection";
import {
  countChunks,
  type DueBroadcast,
  dueBroadcasts,
  type Expansion,
  expandBroadcast,
} from "@belfry/database/functions/broadcasts";
import type { Logger } from "@belfry/service/logger";
import { pause } from "@belfry/service/pause";
import type { Publisher } from "@belfry/service/publish";
import { countExpanded } from "./dispatcher-metrics.ts";
import { publishToLane } from "./publish-to-lane.ts";
import type { Rest } from "./wake-loop.ts";

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

/** While the last chunks of all broadcasts are being dispatched. */
const REST_MS = 25;
/** After so many rests the next round goes on. */
const MOST_RESTS = 20;

/**
 * Returns a round that moves broadcasts on, one chunk of each tenant in turn, until none is due, and counts what has become
 * of them. Replicas may all run it: the database lets one at a time have a broadcast. A chunk whose message is lost is the
 * sweeper's. Ends at the signal after the call in hand; returns how many events it made.
 */
export function createBroadcastLoop(
  deps: BroadcastDeps,
): (signal?: AbortSignal) => Promise<number> {
  const { pool, dayShare, log, now } = deps;

  /** Moves the first of a tenant's broadcasts on that need not wait. Returns its new events; undefined: all wait. */
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
        // A broadcast never stands before what its tenant sends to one user.
        if (!(await publishToLane(deps, "bulk", events))) return total;
      }
      rests = hasMoved ? 0 : rests + 1;
      if (rests > 0) await pause(REST_MS, signal);
    }
    return total;
  };
}
