/** A place in the queue, behind everyone who entered before with one of the same keys. */
export interface QueuePlace {
  /** Resolves when all of those have left. */
  ready: Promise<unknown>;
  /** Lets the next ones go on. Must be called once, whether the place was ready or not. */
  leave(): void;
}

export interface KeyedSerialQueue {
  /** Queues for several keys together. Places without a common key do not wait for each other. */
  enter(keys: ReadonlySet<string>): QueuePlace;
  /** Runs the work when all earlier work of its key has ended; rejects as the work does. */
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
}

/** Runs work of the same key one at a time, in the order of asking. Forgets a key that nobody queues for. */
export function createKeyedSerialQueue(): KeyedSerialQueue {
  const last = new Map<string, Promise<void>>();
  const enter = (keys: ReadonlySet<string>): QueuePlace => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const earlier = new Set<Promise<void>>();
    for (const key of keys) {
      const other = last.get(key);
      if (other !== undefined) earlier.add(other);
      last.set(key, promise);
    }
    return {
      ready: Promise.all(earlier),
      leave() {
        for (const key of keys) if (last.get(key) === promise) last.delete(key);
        resolve();
      },
    };
  };
  return {
    enter,
    async run(key, work) {
      const place = enter(new Set([key]));
      try {
        await place.ready;
        return await work();
      } finally {
        place.leave();
      }
    },
  };
}
