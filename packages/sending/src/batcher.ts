/** Collects what many callers want in the same moment into few calls, and hands each its result. */
export interface Batcher<Item, Result> {
  /** Rejects with what the call threw. */
  add(item: Item): Promise<Result>;
}

export interface BatcherOptions<Item, Result> {
  /** One call for the batch; results in the order of the items. */
  run: (items: Item[]) => Promise<Result[]>;
  maxItems: number;
  /** How long the first item waits for company. Under load the calls in flight are wait enough. */
  lingerMs: number;
  maxInFlight: number;
  /** Whether a failed batch is run again item by item, so that one item never fails its neighbours. */
  isItemFault: (error: unknown) => boolean;
}

interface Entry<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

export function createBatcher<Item, Result>(
  options: BatcherOptions<Item, Result>,
): Batcher<Item, Result> {
  const { run, maxItems, lingerMs, maxInFlight, isItemFault } = options;
  let waiting: Entry<Item, Result>[] = [];
  let inFlight = 0;
  let timer: NodeJS.Timeout | undefined;

  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    while (waiting.length > 0 && inFlight < maxInFlight) {
      const entries = waiting.slice(0, maxItems);
      waiting = waiting.slice(maxItems);
      inFlight += 1;
      // biome-ignore lint/nursery/noFloatingPromises: every failure goes to who added the entries
      settle(entries).finally(() => {
        inFlight -= 1;
        flush();
      });
    }
  };

  const settle = async (entries: Entry<Item, Result>[]): Promise<void> => {
    try {
      const results = await run(entries.map(({ item }) => item));
      for (const [index, entry] of entries.entries()) entry.resolve(results[index] as Result);
    } catch (error) {
      if (entries.length === 1 || !isItemFault(error)) {
        for (const entry of entries) entry.reject(error);
        return;
      }
      for (const entry of entries) await settle([entry]);
    }
  };

  return {
    add(item) {
      return new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        if (waiting.length >= maxItems) flush();
        else timer ??= setTimeout(flush, lingerMs);
      });
    },
  };
}
