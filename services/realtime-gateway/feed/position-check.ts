import type { ChannelKey } from "@belfry/database/functions/realtime-channels";
import type { Hub } from "./hub.ts";
import type { ChannelTop } from "./realtime-history.ts";
import type { Topic } from "./topic.ts";

export interface PositionCheckOptions {
  hub: Hub;
  readTops(channels: readonly ChannelKey[]): Promise<ChannelTop[]>;
  log: { warn(details: object, message: string): void };
}

/** Channels of one statement. */
const CHUNK = 20_000;

/**
 * Compares every channel held with Postgres: finds a last publication that NATS lost, which no later
 * one would give away, and a database that was put back to an earlier state.
 */
export function createPositionCheck(options: PositionCheckOptions): () => Promise<void> {
  const { hub, readTops, log } = options;
  let running: Promise<void> | undefined;
  let again = false;

  const check = async () => {
    const topics: Topic[] = [];
    for (const user of hub.users()) {
      for (const topic of user.topics()) if (topic.position !== undefined) topics.push(topic);
    }
    for (let start = 0; start < topics.length; start += CHUNK) {
      const chunk = topics.slice(start, start + CHUNK);
      const positions = chunk.map((topic) => topic.position ?? 0);
      const tops = await readTops(chunk.map((topic) => topic.key));
      for (const [index, { epoch, top }] of tops.entries()) {
        chunk[index]?.compare(epoch, top, positions[index] ?? 0);
      }
    }
  };

  const run = async () => {
    do {
      again = false;
      await check().catch((err) => log.warn({ err }, "realtime positions cannot be checked"));
    } while (again);
    running = undefined;
  };

  return () => {
    again = running !== undefined;
    running ??= run();
    return running;
  };
}
