import { isDataFault } from "@belfry/database/data-fault";
import type { AcceptResult, EventToAccept } from "@belfry/database/functions/accept-events";
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
  settle(result: AcceptResult): void;
  fail(error: unknown): void;
}

interface Queued<W> {
  waiter: W;
  bytes: number;
  since: number;
}

export interface AcceptBatches<W extends Waiter> {
  add(waiter: W): void;
  /** Resolves when nothing is queued or in flight. */
  idle(): Promise<void>;
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
}): AcceptBatches<W> {
  const queue: Queued<W>[] = [];
  let inFlight = 0;
  let slow = 0;
  let scheduled = false;
  const whenIdle: (() => void)[] = [];

  /** At the end of this turn of the event loop, so that its requests travel together. */
  const schedule = () => {
    if (scheduled || queue.length === 0 || !mayCall()) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      flush();
    });
  };

  const mayCall = () =>
    inFlight === 0 ||
    (inFlight < CALLS_IN_FLIGHT && (slow === inFlight || queue.length >= MAX_EVENTS));

  const flush = () => {
    while (mayCall()) {
      const batch = take();
      if (batch.length === 0) break;
      inFlight += 1;
      let isSlow = false;
      const timer = setTimeout(() => {
        isSlow = true;
        slow += 1;
        schedule();
      }, SLOW_CALL_MS);
      // biome-ignore lint/nursery/noFloatingPromises: every failure goes to the waiters
      run(batch).finally(() => {
        clearTimeout(timer);
        if (isSlow) slow -= 1;
        inFlight -= 1;
        schedule();
        if (inFlight === 0 && queue.length === 0)
          for (const resolve of whenIdle.splice(0)) resolve();
      });
    }
  };

  const take = (): W[] => {
    const now = performance.now();
    let count = 0;
    let bytes = 0;
    while (count < queue.length && count < MAX_EVENTS) {
      bytes += queue[count]!.bytes;
      if (count > 0 && bytes > MAX_BYTES) break;
      count += 1;
    }
    const fresh: W[] = [];
    for (const { waiter, since } of queue.splice(0, count)) {
      if (now - since > MAX_WAIT_MS) waiter.fail(new Error("waited too long for the database"));
      else fresh.push(waiter);
    }
    // The order in which every replica takes the rows of the tenants: no deadlock.
    return fresh.sort((a, b) => compare(a.event, b.event));
  };

  const run = async (batch: W[]) => {
    try {
      deps.settled(batch, await deps.accept(batch.map((waiter) => waiter.event)));
    } catch (error) {
      if (batch.length === 1 || !isDataFault(error)) {
        for (const waiter of batch) waiter.fail(error);
        return;
      }
      deps.log.warn({ err: error, events: batch.length }, "batch failed on its data: item by item");
      for (const waiter of batch) await run([waiter]);
    }
  };

  return {
    add(waiter) {
      const bytes = ROW_BYTES + (waiter.event.variables?.length ?? 0);
      queue.push({ waiter, bytes, since: performance.now() });
      schedule();
    },
    idle: () =>
      inFlight === 0 && queue.length === 0
        ? Promise.resolve()
        : new Promise((resolve) => whenIdle.push(resolve)),
  };
}

function compare(a: EventToAccept, b: EventToAccept): number {
  if (a.tenantId !== b.tenantId) return a.tenantId < b.tenantId ? -1 : 1;
  return a.dedupKey < b.dedupKey ? -1 : a.dedupKey > b.dedupKey ? 1 : 0;
}
