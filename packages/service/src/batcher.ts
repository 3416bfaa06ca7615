export interface BatcherOptions<Item> {
  /** Handles a batch. Must report the result of each item to its caller, and never reject. */
  run(batch: Item[]): Promise<void>;
  /** The maximum number of items per call. */
  maxItems: number;
  /** The maximum number of bytes per call. A larger item is handled alone. */
  maxBytes?: number;
  bytesOf?(item: Item): number;
  /** Whether a batch should not end between two neighbours. A group larger than a batch is split. Default: no. */
  belongTogether?(item: Item, next: Item): boolean;
  /** The maximum number of calls at a time. */
  maxInFlight: number;
  /**
   * The time in ms that the first item waits for others if no call is in flight. Default: until the end of the current
   * iteration of the event loop.
   */
  lingerMs?: number;
  /**
   * A further call begins only when `maxItems` items wait, or when all running calls have taken longer than this time
   * in ms. Default: at once.
   */
  slowMs?: number;
}

export interface Batcher<Item> {
  add(item: Item): void;
  /** Resolves when no item waits or is in flight. */
  idle(): Promise<void>;
}

/** Creates a batcher. It groups items that many callers add at the same time into few calls, in their order. */
export function createBatcher<Item>(options: BatcherOptions<Item>): Batcher<Item> {
  const { maxItems, maxBytes = Number.POSITIVE_INFINITY, bytesOf = () => 0 } = options;
  const { maxInFlight, lingerMs, slowMs, belongTogether = () => false } = options;
  let waiting: Item[] = [];
  let inFlight = 0;
  let slow = 0;
  let scheduled = false;
  let linger: NodeJS.Timeout | undefined;
  const whenIdle: (() => void)[] = [];

  const mayCall = () =>
    inFlight === 0 ||
    (inFlight < maxInFlight &&
      (slowMs === undefined || slow === inFlight || waiting.length >= maxItems));

  const schedule = () => {
    if (waiting.length === 0 || !mayCall()) return;
    if (lingerMs === undefined) {
      if (!scheduled) setImmediate(flush);
      scheduled = true;
    } else if (waiting.length >= maxItems) flush();
    else linger ??= setTimeout(flush, lingerMs);
  };

  const flush = () => {
    clearTimeout(linger);
    linger = undefined;
    scheduled = false;
    while (waiting.length > 0 && mayCall()) begin(take());
  };

  const take = (): Item[] => {
    let count = 0;
    let bytes = 0;
    while (count < waiting.length && count < maxItems) {
      bytes += bytesOf(waiting[count]!);
      if (count > 0 && bytes > maxBytes) break;
      count += 1;
    }
    let end = count;
    while (end > 0 && end < waiting.length && belongTogether(waiting[end - 1]!, waiting[end]!)) {
      end -= 1;
    }
    if (end === 0) end = count;
    const batch = waiting.slice(0, end);
    waiting = waiting.slice(end);
    return batch;
  };

  const begin = (batch: Item[]) => {
    inFlight += 1;
    let isSlow = false;
    const becomeSlow = () => {
      isSlow = true;
      slow += 1;
      schedule();
    };
    const timer = slowMs === undefined ? undefined : setTimeout(becomeSlow, slowMs);
    const ended = () => {
      clearTimeout(timer);
      if (isSlow) slow -= 1;
      inFlight -= 1;
      // Waiting items have already waited for this call, so they do not linger again.
      if (lingerMs === undefined) schedule();
      else flush();
      if (inFlight > 0 || waiting.length > 0) return;
      for (const resolve of whenIdle.splice(0)) resolve();
    };
    // biome-ignore lint/nursery/noFloatingPromises: `run` tells all owners itself
    options.run(batch).finally(ended);
  };

  return {
    add(item) {
      waiting.push(item);
      schedule();
    },
    idle: () =>
      inFlight === 0 && waiting.length === 0
        ? Promise.resolve()
        : new Promise((resolve) => whenIdle.push(resolve)),
  };
}

export interface AskedOptions<Item, Result>
  extends Omit<BatcherOptions<Item>, "run" | "belongTogether"> {
  /** Handles the batch. Returns the results in the order of the items. */
  run(items: Item[]): Promise<readonly Result[]>;
  /** Whether a failed batch is run again item by item, so that one item does not fail the others. Default: no. */
  isItemFault?(error: unknown): boolean;
}

interface Asked<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** Options of `runApart`. */
export interface ApartOptions<Item> {
  run(batch: Item[]): Promise<void>;
  /** Reports the error of the batch, or of the item's own call, to the item's caller. */
  fail(item: Item, error: unknown): void;
  /** Whether a failed batch is run again item by item. */
  isItemFault(error: unknown, batch: readonly Item[]): boolean;
}

/** Runs a batch. If one item is at fault, runs all again item by item, so that only this one fails. Never rejects. */
export async function runApart<Item>(batch: Item[], options: ApartOptions<Item>): Promise<void> {
  try {
    await options.run(batch);
  } catch (error) {
    if (batch.length > 1 && options.isItemFault(error, batch)) {
      for (const item of batch) await runApart([item], options);
    } else for (const item of batch) options.fail(item, error);
  }
}

/** Creates a batcher that returns to each caller its own result, and rejects with the error of the call. */
export function createAskedBatcher<Item, Result>(
  options: AskedOptions<Item, Result>,
): (item: Item) => Promise<Result> {
  const { run, isItemFault = () => false, bytesOf = () => 0, ...rest } = options;
  const apart: ApartOptions<Asked<Item, Result>> = {
    async run(batch) {
      const results = await run(batch.map(({ item }) => item));
      if (results.length < batch.length) throw new Error("a batch came back with results missing");
      for (const [index, { resolve }] of batch.entries()) resolve(results[index]!);
    },
    fail: ({ reject }, error) => reject(error),
    isItemFault,
  };
  const batcher = createBatcher<Asked<Item, Result>>({
    ...rest,
    bytesOf: ({ item }) => bytesOf(item),
    run: (batch) => runApart(batch, apart),
  });
  return (item) =>
    new Promise((resolve, reject) => {
      batcher.add({ item, resolve, reject });
    });
}
