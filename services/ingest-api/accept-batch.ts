import { isDataFault } from "@belfry/database/data-fault";
import type { AcceptResult, EventToAccept } from "@belfry/database/functions/accept-events";
import { type ApartOptions, type Batcher, createBatcher, runApart } from "@belfry/service/batcher";
import type { Logger } from "pino";

/** Bounds of one call of the accept function. */
const MAX_EVENTS = 200;
const MAX_BYTES = 1024 * 1024;
/** An event without its variables, roughly. */
const ROW_BYTES = 400;
const CALLS_IN_FLIGHT = 2;
/**
 * The second call begins when a full one waits, or when the first is slow: two calls for one tenant wait for
 * each other in the database, and half as many, twice as large calls cost a fifth less CPU time.
 */
const SLOW_CALL_MS = 25;
/** Longer in the queue than this, and the answer could not come within 5 s. */
const MAX_WAIT_MS = 1500;

/** What waits for one event: exactly one of the two is called, once. */
export interface Waiter {
  event: EventToAccept;
  /** By `performance.now`. */
  since: number;
  settle(result: AcceptResult): void;
  fail(error: unknown): void;
}

/**
 * Groups what arrives at the same time into one call of `accept`, with at most two calls in flight.
 * A batch that fails on its data is run again item by item, so that one poisoned event fails alone.
 * `settled` is told of every batch whose events are stored, before anybody else.
 */
export function createAcceptBatches<W extends Waiter>(deps: {
  accept(batch: EventToAccept[]): Promise<AcceptResult[]>;
  settled(batch: readonly W[], results: readonly AcceptResult[]): void;
  log: Logger;
}): Batcher<W> {
  const accept: ApartOptions<W> = {
    async run(batch) {
      deps.settled(batch, await deps.accept(batch.map(({ event }) => event)));
    },
    fail: (waiter, error) => waiter.fail(error),
    isItemFault(err, { length: events }) {
      if (!isDataFault(err)) return false;
      deps.log.warn({ err, events }, "batch failed on its data: item by item");
      return true;
    },
  };
  return createBatcher<W>({
    async run(batch) {
      const fresh = batch.filter((waiter) => !isLate(waiter));
      // The order in which every replica takes the rows of the tenants: no deadlock.
      fresh.sort((a, b) => compare(a.event, b.event));
      if (fresh.length > 0) await runApart(fresh, accept);
    },
    bytesOf: ({ event }) => ROW_BYTES + (event.variables?.length ?? 0),
    maxItems: MAX_EVENTS,
    maxBytes: MAX_BYTES,
    maxInFlight: CALLS_IN_FLIGHT,
    slowMs: SLOW_CALL_MS,
  });
}

function isLate(waiter: Waiter): boolean {
  if (performance.now() - waiter.since <= MAX_WAIT_MS) return false;
  waiter.fail(new Error("waited too long for the database"));
  return true;
}

function compare(a: EventToAccept, b: EventToAccept): number {
  if (a.tenantId !== b.tenantId) return a.tenantId < b.tenantId ? -1 : 1;
  return a.dedupKey < b.dedupKey ? -1 : a.dedupKey > b.dedupKey ? 1 : 0;
}
