import { setImmediate as nextTurn } from "node:timers/promises";
import { SENT_CHANNELS, type SentChannel } from "@belfry/contracts/channels";
import type { Pool } from "@belfry/database/connection";
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

/** The state of waiting work, which is all that an idle dispatcher reads. */
export interface Rest {
  /** Channels with unreleased deliveries, due or not. Other channels have nothing to release. */
  channels: SentChannel[];
  /** Whether a scheduled event is due by the database's clock. */
  isEventDue: boolean;
  /** Whether a broadcast must move on, or a part of one must be counted, within a tenth of a second. */
  isBroadcastDue: boolean;
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

async function readRest(pool: Pool): Promise<Rest> {
  const { rows } = await pool.query({
    name: "read_rest",
    // Reads the soonest event and then the clock. In an index condition, a running clock would be read row by row.
    text: `select array(
             select c.channel from unnest($1::text[]) as c (channel)
             cross join lateral (
               (select from deliveries d
                where d.channel = c.channel and d.released_at is null and d.broadcast_id is null
                  and d.status in ('queued', 'waiting')
                order by d.tenant_id limit 1)
               union all
               (select from deliveries d
                where d.channel = c.channel and d.released_at is null and d.broadcast_id is not null
                  and d.status in ('queued', 'waiting')
                order by d.tenant_id limit 1)
               limit 1
             ) d
           ) as channels,
           (select send_at from scheduled_events order by send_at limit 1)
             <= clock_timestamp() as is_event_due,
           least((select next_at from broadcasts where next_at is not null order by next_at limit 1),
                 (select count_at from broadcast_chunks where count_at is not null order by count_at limit 1))
             <= clock_timestamp() + interval '100 milliseconds' as is_broadcast_due`,
    values: [SENT_CHANNELS],
  });
  const { channels, is_event_due, is_broadcast_due } = rows[0];
  return { channels, isEventDue: is_event_due === true, isBroadcastDue: is_broadcast_due === true };
}
