import { setImmediate as nextTurn } from "node:timers/promises";
import type { Pool } from "@belfry/database/connection";
import { type Rest, readRest } from "@belfry/database/functions/read-rest";
import { type WokenEvent, wakeEvents } from "@belfry/database/functions/release-deliveries";
import type { Logger } from "@belfry/service/logger";
import type { Publisher } from "@belfry/service/publish";
import { countWoken } from "./dispatcher-metrics.ts";
import { LaneTally, publishToLanes } from "./sweeper.ts";

interface WakeDeps {
  pool: Pool;
  publisher: Publisher;
  lookAtRest: () => Promise<Rest>;
  /** While ids cannot be published, due events stay scheduled, so that they can still be rescheduled and cancelled. */
  canPublish(): boolean;
  prefix: string;
  /** Events of a tenant beyond this number in a minute are published to the bulk lane. */
  expressPerMinute: number;
  log: Logger;
  /** Default: `performance.now`. */
  nowMs?: () => number;
}

const EVENTS_PER_CALL = 1000;

/**
 * Returns a round that releases due scheduled events and publishes their ids, without a pause, until none is due. If
 * none is due, it costs one cheap statement. If the publish fails, or the replica dies before it, the sweeper publishes
 * the events. At the signal, a round ends after the current call. It returns the number of released events.
 */
export function createWakeLoop(deps: WakeDeps): (signal?: AbortSignal) => Promise<number> {
  const { pool } = deps;
  const tally = new LaneTally(deps.expressPerMinute, deps.nowMs);
  return async function wake(signal) {
    let total = 0;
    while (!signal?.aborted && deps.canPublish() && (await deps.lookAtRest()).isEventDue) {
      tally.clear();
      // Continues with the tenants after the last one, so that a tenant with many events does not delay the others.
      let after: string | undefined = "";
      let ofRound = 0;
      while (after !== undefined && !signal?.aborted) {
        const { busy, events, next } = await wakeEvents(pool, after, EVENTS_PER_CALL);
        if (busy) return total;
        countWoken(events.length);
        ofRound += events.length;
        total += events.length;
        const laneOf = ({ tenantId }: WokenEvent) => tally.laneOf(tenantId);
        if ((await publishToLanes(deps, events, laneOf)) < events.length) return total;
        after = next;
      }
      // Another dispatcher is waking the due events.
      if (ofRound === 0) break;
    }
    return total;
  };
}

/** Returns a function that reads `Rest`. Calls in the same turn of the event loop share one query. */
export function createRestLook(pool: Pool): () => Promise<Rest> {
  let look: Promise<Rest> | undefined;
  return () => {
    look ??= nextTurn().then(() => {
      look = undefined;
      return readRest(pool);
    });
    return look;
  };
}
