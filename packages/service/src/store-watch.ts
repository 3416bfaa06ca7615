import type { StreamDefinition } from "@belfry/contracts/streams";
import { jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";

const TIMEOUT_MS = 2000;

export interface StoreWatchOptions {
  nc: NatsConnection;
  streams: readonly StreamDefinition[];
  /** At the first look, a stream that is younger than this counts as made anew. */
  recentMs: number;
  /** What was in the stream before it was made anew is gone: publish it again. Tried again when it throws. */
  onLost: (stream: string, ageMs: number) => Promise<void>;
  now: () => number;
}

/**
 * Returns the look that finds out, by its birth, whether a stream was lost and made anew by whoever
 * missed it first. Without it what was in there comes again only when its republishing is due.
 */
export function createStoreWatch(options: StoreWatchOptions): () => Promise<void> {
  const { nc, streams, recentMs, onLost, now } = options;
  const births = new Map<string, string>();
  return async () => {
    const manager = await jetstreamManager(nc, { checkAPI: false, timeout: TIMEOUT_MS });
    // Asked for together: the server and this process wake up once.
    const looks = await Promise.allSettled(
      streams.map(async ({ name }) => {
        const { created } = await manager.streams.info(name);
        const before = births.get(name);
        const ageMs = now() - Date.parse(created);
        const isLost = before === undefined ? ageMs < recentMs : before !== created;
        if (isLost) await onLost(name, ageMs);
        births.set(name, created);
      }),
    );
    for (const look of looks) if (look.status === "rejected") throw look.reason;
  };
}
