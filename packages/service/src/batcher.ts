export interface BatcherOptions<Item> {
  /** One call for what is waiting. It tells each item's owner how it ended, and never rejects. */
  run(batch: Item[]): Promise<void>;
  /** Of one call, which has at least one item. */
  maxItems: number;
  maxBytes?: number;
  bytesOf?(item: Item): number;
  /** Calls at a time. */
  maxInFlight: number;
  /**
   * How long the first item waits for company. Under load the calls in flight are wait enough.
   * Default: to the end of this turn of the event loop.
   */
  lingerMs?: number;
  /**
   * Beside others a call begins only when `maxItems` wait, or when each of the others takes longer than
   * this. Default: at once.
   */
  slowMs?: number;
}

export interface Batcher<Item> {
  add(item: Item): void;
  /** Resolves when nothing waits or is in flight. */
  idle(): Promise<void>;
}

/** Groups what many want in the same moment into few calls, in the order in which they asked. */
export function createBatcher<Item>(options: BatcherOptions<Item>): Batcher<Item> {
  const { maxItems, maxBytes = Number.POSITIVE_INFINITY, bytesOf = () => 0 } = options;
  const { maxInFlight, lingerMs, slowMs } = options;
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
    const batch = waiting.slice(0, count);
    waiting = waiting.slice(count);
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
      // Whoever waits has waited for this call.
      if (lingerMs === undefined) schedule();
      else flush();
      if (inFlight > 0 || waiting.length > 0) return;
      for (const resolve of whenIdle.splice(0)) resolve();
    };
    // biome-ignore lint/nursery/noFloatingPromises: `run` tells everybody itself
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

export interface AskedOptions<Item, Result> extends Omit<BatcherOptions<Item>, "run"> {
  /** One call for the batch; results in the order of the items. */
  run(items: Item[]): Promise<readonly Result[]>;
  /** Whether a failed batch is run again item by item, so that one item never fails its neighbours. Default: no. */
  isItemFault?(error: unknown): boolean;
}

interface Asked<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** How a batch is run whose items may be at fault. */
export interface ApartOptions<Item> {
  run(batch: Item[]): Promise<void>;
  /** Tells an item's owner what its batch, or its own call, threw. */
  fail(item: Item, error: unknown): void;
  /** Whether a failed batch is run again item by item. */
  isItemFault(error: unknown, batch: readonly Item[]): boolean;
}

/** Runs a batch; where an item is at fault, each on its own, so that it fails alone. Never rejects. */
export async function runApart<Item>(batch: Item[], options: ApartOptions<Item>): Promise<void> {
  try {
    await options.run(batch);
  } catch (error) {
    if (batch.length > 1 && options.isItemFault(error, batch)) {
      for (const item of batch) await runApart([item], options);
    } else for (const item of batch) options.fail(item, error);
  }
}

/** A batcher that hands each caller its own result; rejects with what the call threw. */
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
