export interface BatcherOptions<Item> {
  /** One call for what is waiting. It tells each item's owner how it ended, and never rejects. */
  run(batch: Item[]): Promise<void>;
  bytesOf(item: Item): number;
  /** Of one call, which has at least one item. */
  maxItems: number;
  maxBytes: number;
  /** Calls at a time. */
  maxInFlight: number;
  /**
   * Beside others a call begins only when `maxItems` wait, or when each of the others takes longer than
   * this. Without it: at once.
   */
  slowMs?: number;
}

export interface Batcher<Item> {
  add(item: Item): void;
  /** Resolves when nothing waits or is in flight. */
  idle(): Promise<void>;
}

/** Groups what arrives at the same time into one call, in the order of arrival. */
export function createBatcher<Item>(options: BatcherOptions<Item>): Batcher<Item> {
  const { maxItems, maxBytes, maxInFlight, slowMs } = options;
  const waiting: Item[] = [];
  let inFlight = 0;
  let slow = 0;
  let scheduled = false;
  const whenIdle: (() => void)[] = [];

  const mayCall = () =>
    inFlight === 0 ||
    (inFlight < maxInFlight &&
      (slowMs === undefined || slow === inFlight || waiting.length >= maxItems));

  /** At the end of this turn of the event loop, so that what came in it travels together. */
  const schedule = () => {
    if (scheduled || waiting.length === 0 || !mayCall()) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      while (waiting.length > 0 && mayCall()) begin(take());
    });
  };

  const take = (): Item[] => {
    let count = 0;
    let bytes = 0;
    while (count < waiting.length && count < maxItems) {
      bytes += options.bytesOf(waiting[count]!);
      if (count > 0 && bytes > maxBytes) break;
      count += 1;
    }
    return waiting.splice(0, count);
  };

  const begin = (batch: Item[]) => {
    inFlight += 1;
    let isSlow = false;
    const timer =
      slowMs === undefined
        ? undefined
        : setTimeout(() => {
            isSlow = true;
            slow += 1;
            schedule();
          }, slowMs);
    const ended = () => {
      clearTimeout(timer);
      if (isSlow) slow -= 1;
      inFlight -= 1;
      schedule();
      if (inFlight === 0 && waiting.length === 0) {
        for (const resolve of whenIdle.splice(0)) resolve();
      }
    };
    // A run that rejects all the same is nobody's: it ends the process.
    void options.run(batch).finally(ended);
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
