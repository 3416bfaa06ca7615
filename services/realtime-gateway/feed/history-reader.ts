import { createAskedBatcher } from "@belfry/service/batcher";
import { ITEM_BYTES, MAX_READING_BYTES } from "../protocol/limits.ts";
import type { ChannelRead, ChannelState } from "./realtime-history.ts";

export interface HistoryReader {
  /** What was committed when the read began or later. Rejects when Postgres does not answer. */
  read(read: ChannelRead): Promise<ChannelState>;
}

/** Statements in flight: the rest waits for them and shares the next. */
const MAX_IN_FLIGHT = 2;
/** Of one statement. */
const MAX_READS = 500;

/** Gathers the reads of all connections: a storm of subscribes costs two statements at a time. */
export function createHistoryReader(
  readChannels: (reads: readonly ChannelRead[]) => Promise<ChannelState[]>,
): HistoryReader {
  return {
    read: createAskedBatcher<ChannelRead, ChannelState>({
      run: readChannels,
      bytesOf: ({ limit }) => limit * ITEM_BYTES,
      maxItems: MAX_READS,
      maxBytes: MAX_READING_BYTES / MAX_IN_FLIGHT,
      maxInFlight: MAX_IN_FLIGHT,
    }),
  };
}
