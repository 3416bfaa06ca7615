import type { ChannelRead, ChannelState } from "./realtime-history.ts";
import { ITEM_BYTES, MAX_READING_BYTES } from "../protocol/limits.ts";

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
  let waiting: Waiting[] = [];
  let inFlight = 0;
  let scheduled = false;

  const schedule = () => {
    if (scheduled || waiting.length === 0 || inFlight >= MAX_IN_FLIGHT) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      while (waiting.length > 0 && inFlight < MAX_IN_FLIGHT) run(takeBatch());
    });
  };

  const takeBatch = () => {
    let bytes = 0;
    let count = 0;
    while (count < waiting.length && count < MAX_READS) {
      bytes += waiting[count]!.read.limit * ITEM_BYTES;
      if (bytes > MAX_BYTES && count > 0) break;
      count += 1;
    }
    const batch = waiting.slice(0, count);
    waiting = waiting.slice(count);
    return batch;
  };

  const run = (batch: Waiting[]) => {
    inFlight += 1;
    readChannels(batch.map((one) => one.read))
      .then(
        (states) => {
          for (const [index, one] of batch.entries()) {
            const state = states[index];
            if (state === undefined) one.reject(new Error("no answer for a channel"));
            else one.resolve(state);
          }
        },
        (error) => {
          for (const one of batch) one.reject(error);
        },
      )
      .finally(() => {
        inFlight -= 1;
        schedule();
      });
  };

  return {
    read(read) {
      return new Promise((resolve, reject) => {
        waiting.push({ read, resolve, reject });
        schedule();
      });
    },
  };
}
