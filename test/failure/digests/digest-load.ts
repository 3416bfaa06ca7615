import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { putTemplate } from "@belfry/administration/templates/put-template";
import type { DigestSettings } from "@belfry/contracts/timing";
import { createDatabase } from "@belfry/database/connection";
import { acceptEvents, type EventToAccept } from "@belfry/database/functions/accept-events";
import { uuidv7 } from "uuidv7";
import { EVENT_TYPE, type World } from "../world.ts";
import { CONTENT, SUBJECT } from "./digest-mails.ts";

/** The two kinds of window, each an event type of its own. */
export interface DigestWindows {
  [eventType: string]: DigestSettings;
}

export interface DigestLoad {
  /** Ids of the events, all of them accepted. */
  ids: string[];
  tookMs: number;
}

const USERS = 50;
const BATCH = 100;
const RETRY_MS = 100;
const SECOND_MS = 1000;

export function windowsOf(seconds: number): DigestWindows {
  return {
    [`${EVENT_TYPE}.fixed`]: { windowSeconds: seconds },
    [`${EVENT_TYPE}.sliding`]: { windowSeconds: seconds, sliding: true, maxSeconds: 2 * seconds },
  };
}

export async function putDigestTemplates(world: World, windows: DigestWindows): Promise<void> {
  const db = createDatabase(world.pool);
  for (const [eventType, digest] of Object.entries(windows)) {
    const tenantId = world.tenants[0]!.id;
    const text = { subject: SUBJECT, content: CONTENT };
    await putTemplate(db, { tenantId, eventType, channel: "EMAIL", ...text, digest });
  }
}

/**
 * Accepts `count` events of 50 users, `perSecond`, of each type in turn, and more of them until `until`. They rest for
 * a second, so that the dispatchers let them go, publish and dispatch them whatever is killed. A call that fails is
 * made again, as it was.
 */
export async function acceptLoad(
  world: World,
  windows: DigestWindows,
  options: { count: number; perSecond: number; label: string; until?: Promise<unknown> },
): Promise<DigestLoad> {
  const { count, perSecond, label, until } = options;
  const startedAt = performance.now();
  const types = Object.keys(windows);
  const ids: string[] = [];
  let isOver = until === undefined;
  void until?.then(() => {
    isOver = true;
  });
  while (!isOver || ids.length < count) {
    const batch = Array.from({ length: BATCH }, (_, at) =>
      eventOf(world, types, `key-${label}-${ids.length + at}`, ids.length + at),
    );
    batch.sort((one, other) => (one.dedupKey < other.dedupKey ? -1 : 1));
    await untilAccepted(world, batch);
    ids.push(...batch.map(({ id }) => id));
    const dueAt = startedAt + (ids.length / perSecond) * SECOND_MS;
    await sleep(Math.max(0, dueAt - performance.now()));
  }
  return { ids, tookMs: performance.now() - startedAt };
}

function eventOf(world: World, types: string[], key: string, number: number): EventToAccept {
  const user = Math.floor(number / types.length) % USERS;
  return {
    tenantId: world.tenants[0]!.id,
    dedupKey: createHash("sha256").update(key).digest("hex"),
    id: uuidv7(),
    eventType: types[number % types.length]!,
    userId: `user-${user}`,
    reference: null,
    recipientEmail: `user-${user}@example.com`,
    recipientPhone: null,
    variables: JSON.stringify({ key }),
    traceId: "digests",
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
