/** A place in the queue, behind all earlier places that have a key in common with it. */
export interface QueuePlace {
  /** Resolves when all earlier places with a common key have left. */
  ready: Promise<unknown>;
  /** Leaves the queue, so that later places can become ready. Must be called once, even if this place was not ready. */
  leave(): void;
}

export interface KeyedSerialQueue {
  /** Queues for several keys together. Places without a common key do not wait for each other. */
  enter(keys: ReadonlySet<string>): QueuePlace;
  /** Runs the work when all earlier work of its key has ended. Rejects if the work rejects. */
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
}

/** Creates a queue that runs work of the same key one at a time, in the order of the calls. Unused keys are deleted. */
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
