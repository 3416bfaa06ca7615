import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { acceptEvents, type EventToAccept } from "@belfry/database/functions/accept-events";
import { uuidv7 } from "uuidv7";
import type { World } from "./world.ts";

type RestingEvent = Pick<EventToAccept, "eventType" | "userId" | "reference" | "traceId"> & {
  key: string;
};

const RETRY_MS = 100;
const SECOND_MS = 1000;

/**
 * Accepts `count` events by mail, `perSecond`, and more of them until `until`; returns their ids. They rest for a
 * second, so that the dispatchers let them go, publish and dispatch them whatever is killed. A call that fails is
 * made again, as it was.
 */
export async function acceptResting(
  world: World,
  load: { count: number; perSecond: number; batchSize: number; until?: Promise<unknown> },
  eventOf: (number: number) => RestingEvent,
): Promise<string[]> {
  const { count, perSecond, batchSize, until } = load;
  const startedAt = performance.now();
  const ids: string[] = [];
  let isOver = until === undefined;
  void until?.then(() => {
    isOver = true;
  });
  while (!isOver || ids.length < count) {
    const batch = Array.from({ length: batchSize }, (_, at) =>
      toAccept(world, eventOf(ids.length + at)),
    );
    batch.sort((one, other) => (one.dedupKey < other.dedupKey ? -1 : 1));
    await untilAccepted(world, batch);
    ids.push(...batch.map(({ id }) => id));
    const dueAt = startedAt + (ids.length / perSecond) * SECOND_MS;
    await sleep(Math.max(0, dueAt - performance.now()));
  }
  return ids;
}

function toAccept(world: World, { key, ...event }: RestingEvent): EventToAccept {
  return {
    ...event,
    tenantId: world.tenants[0]!.id,
    dedupKey: createHash("sha256").update(key).digest("hex"),
    id: uuidv7(),
    recipientEmail: `${event.userId}@example.com`,
    recipientPhone: null,
    variables: JSON.stringify({ key }),
    options: { delaySeconds: 1 },
  };
}

async function untilAccepted(world: World, batch: EventToAccept[]): Promise<void> {
  for (;;) {
    try {
      const results = await acceptEvents(world.pool, batch);
      const refused = results.find(
        ({ outcome, eventId }, at) =>
          !["scheduled", "replayed"].includes(outcome) || eventId !== batch[at]!.id,
      );
      if (refused !== undefined) throw new Refused(JSON.stringify(refused));
      return;
    } catch (error) {
      if (error instanceof Refused) throw error;
      await sleep(RETRY_MS);
    }
  }
}

class Refused extends Error {}
