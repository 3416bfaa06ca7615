import {
  type EventLane,
  eventsStream,
  eventsSubject,
  type QueueItem,
} from "@belfry/contracts/streams";
import type { Pool } from "@belfry/database/connection";
import type { WokenEvent } from "@belfry/database/functions/release-deliveries";
import type { Logger } from "@belfry/service/logger";
import type { Publisher } from "@belfry/service/publish";
import { leaveStuck } from "./sweeper.ts";

interface LaneDeps {
  pool: Pool;
  publisher: Publisher;
  prefix: string;
  log: Logger;
}

const EVENTS_PER_MESSAGE = 200;

/** Publishes event ids to a lane. Resolves to whether all were published; the sweeper publishes the remaining ones. */
export async function publishToLane(
  { pool, publisher, prefix, log }: LaneDeps,
  lane: EventLane,
  events: readonly Pick<WokenEvent, "eventId" | "traceId">[],
): Promise<boolean> {
  let all = true;
  for (let at = 0; at < events.length; at += EVENTS_PER_MESSAGE) {
    const items: QueueItem[] = events
      .slice(at, at + EVENTS_PER_MESSAGE)
      .map(({ eventId: id, traceId }) => ({ id, traceId }));
    try {
      await publisher.publishIds(eventsSubject(prefix, lane), items, {
        expectStream: eventsStream(prefix).name,
      });
    } catch (err) {
      log.warn({ err, events: items.length }, "due events cannot be published");
      all = false;
      await leaveStuck(
        pool,
        items.map(({ id }) => id),
      );
    }
  }
  return all;
}
