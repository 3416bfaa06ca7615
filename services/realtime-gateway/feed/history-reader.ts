import { createBatcher } from "@belfry/service/batcher";
import { ITEM_BYTES, MAX_READING_BYTES } from "../protocol/limits.ts";
import type { ChannelRead, ChannelState } from "./realtime-history.ts";

interface Waiting {
  read: ChannelRead;
  resolve(state: ChannelState): void;
  reject(error: unknown): void;
}

export interface HistoryReader {
  /** What was committed when the read began or later. Rejects when Postgres does not answer. */
  read(read: ChannelRead): Promise<ChannelState>;
}

/** Statements in flight: the rest waits for them and shares the next. */
const MAX_IN_FLIGHT = 2;
/** Of one statement; it has at least one read. */
const MAX_READS = 500;
const MAX_BYTES = MAX_READING_BYTES / MAX_IN_FLIGHT;

/** Gathers the reads of all connections: a storm of subscribes costs two statements at a time. */
export function createHistoryReader(
  readChannels: (reads: readonly ChannelRead[]) => Promise<ChannelState[]>,
): HistoryReader {
  const batcher = createBatcher<Waiting>({
    async run(batch) {
      try {
        const states = await readChannels(batch.map((one) => one.read));
        for (const [index, one] of batch.entries()) {
          const state = states[index];
          if (state === undefined) one.reject(new Error("no answer for a channel"));
          else one.resolve(state);
        }
      } catch (error) {
        for (const one of batch) one.reject(error);
      }
    },
    bytesOf: ({ read }) => read.limit * ITEM_BYTES,
    maxItems: MAX_READS,
    maxBytes: MAX_BYTES,
    maxInFlight: MAX_IN_FLIGHT,
  });
  return {
    read: (read) =>
      new Promise((resolve, reject) => {
        batcher.add({ read, resolve, reject });
      }),
  };
}
