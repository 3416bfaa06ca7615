import { setTimeout as sleep } from "node:timers/promises";
import type { AnyWorld, LoadTenant } from "./world.ts";
import { EVENT_TYPE } from "./world.ts";

/** One request for an event. `status` is null if the connection was refused or broke. */
export interface Try {
  /** By performance.now(). */
  at: number;
  tookMs: number;
  status: number | null;
  /** Whether a connected request got no answer in time. */
  silent: boolean;
}

/** One event of the load with the API's answers. */
export interface Entry {
  key: string;
  tenant: LoadTenant;
  user: string;
  tries: Try[];
  /** The performance.now() of the 200; undefined if there was none. */
  acceptedAt?: number;
  eventId?: string;
}

const RETRY_MS = 250;
/** The time after which a caller gives up. */
const GIVE_UP_MS = 120_000;
/** The shares of the load that must be refused. */
const FAULTY_PART = 0.05;
const LIMITED_PART = 0.1;

/**
 * Triggers at a steady rate, whatever the answers: each event under a fresh key, which every retry
 * after a 5xx or a broken connection carries again.
 */
export function startLoad(world: AnyWorld, label: string, random: () => number) {
  const entries: Entry[] = [];
  const running = new Set<Promise<void>>();
  const timer = setInterval(() => {
    const entry = newEntry();
    entries.push(entry);
    const work = trigger(entry, random() < FAULTY_PART).finally(() => running.delete(work));
    running.add(work);
  }, 1000 / world.settings.perSecond);

  const newEntry = (): Entry => {
    const isLimited = random() < LIMITED_PART;
    const tenant = isLimited
      ? world.limited
      : world.tenants[Math.floor(random() * world.tenants.length)]!;
    const user = tenant.users[Math.floor(random() * tenant.users.length)]!;
    return { key: `key-${label}-${entries.length}`, tenant, user, tries: [] };
  };

  const trigger = async (entry: Entry, faulty: boolean) => {
    const giveUpAt = performance.now() + GIVE_UP_MS;
    let next = Math.floor(random() * 2);
    for (;;) {
      const { apiUrls } = world.services;
      next += 1;
      const url = `${apiUrls[next % apiUrls.length]}/api/v1/events/trigger`;
      const status = await tryOnce(url, entry, { faulty, silenceMs: world.settings.silenceMs });
      if ((status !== null && status < 500) || performance.now() > giveUpAt) return;
      await sleep(RETRY_MS);
    }
  };

  return {
    entries,
    /** Sends no new events; resolves when every event was accepted or refused. */
    async stop() {
      clearInterval(timer);
      await Promise.all(running);
    },
  };
}

/** Addresses in a chat: more than events a second, because each gets one message a second. */
export const CHAT_NAMES = 200;

function chatOf({ key, tenant }: Entry): string | undefined {
  const number = Number(key.split("-").at(-1));
  return tenant.chatKind && `${tenant.chatKind}:${number % CHAT_NAMES}`;
}

async function tryOnce(
  url: string,
  entry: Entry,
  { faulty, silenceMs }: { faulty: boolean; silenceMs: number },
): Promise<number | null> {
  const at = performance.now();
  const note = (status: number | null, silent: boolean) => {
    entry.tries.push({ at, tookMs: performance.now() - at, status, silent });
    return status;
  };
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-api-key": entry.tenant.apiKey,
        "x-idempotency-key": entry.key,
      },
      body: JSON.stringify({
        eventType: EVENT_TYPE,
        payload: {
          ...(faulty ? {} : { userId: entry.user }),
          recipientEmail: `${entry.user}@example.com`,
          recipientPhone: "+12025550123",
          recipientChat: chatOf(entry),
        },
        variables: { key: entry.key },
      }),
      signal: AbortSignal.timeout(silenceMs),
    });
    await response.arrayBuffer();
    if (response.status === 200) {
      entry.acceptedAt = performance.now();
      const eventId = response.headers.get("x-event-id");
      if (eventId !== null) entry.eventId = eventId;
    }
    return note(response.status, false);
  } catch (error) {
    return note(null, (error as Error).name === "TimeoutError");
  }
}
