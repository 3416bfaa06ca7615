import { putTemplate } from "@belfry/administration/test/templates";
import type { DigestSettings } from "@belfry/contracts/delivery";
import { createDatabase } from "@belfry/database/connection";
import { acceptResting } from "../resting-load.ts";
import { EVENT_TYPE, type World } from "../world.ts";
import { CONTENT, SUBJECT } from "./digest-mails.ts";

/** The two kinds of window, each an event type of its own. */
interface DigestWindows {
  [eventType: string]: DigestSettings;
}

const USERS = 50;
const BATCH = 100;

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

/** Accepts events of 50 users, of each type in turn; returns their ids, and how long it took. */
export async function acceptLoad(
  world: World,
  windows: DigestWindows,
  { label, ...load }: { count: number; perSecond: number; label: string; until?: Promise<unknown> },
) {
  const startedAt = performance.now();
  const types = Object.keys(windows);
  const ids = await acceptResting(world, { ...load, batchSize: BATCH }, (number) => ({
    key: `key-${label}-${number}`,
    eventType: types[number % types.length]!,
    userId: `user-${Math.floor(number / types.length) % USERS}`,
    ...{ reference: null, traceId: "digests" },
  }));
  return { ids, tookMs: performance.now() - startedAt };
}
