/** Whoever waits for a password to be hashed. */
export interface HashClient {
  /** As `clientNetwork` names it: networks are served in turn. */
  network: string;
  /** Aborted as the client's connection closes: nobody waits for the answer any more. */
  signal?: AbortSignal;
}

/** The queue is full, or the client has gone: nothing was hashed. */
export class TooBusy extends Error {
  override readonly name = "TooBusy";
  /** By then as much as may wait has been hashed, on a machine that is not slow. */
  readonly retryAfterSeconds = 15;
}

interface ScryptBounds {
  atOnce: number;
  maxWaiting: number;
  maxWaitingOfNetwork: number;
}

interface Waiter {
  start: () => void;
  refuse: () => void;
}

/**
 * Bounds hashing, which is slow and large on purpose: so many at once, so many that wait, in all and of a network.
 * Networks take turns, so a crowd from one delays another by one hash. Where the queue is full, a network that has
 * nothing in it takes the newest place of the network that has most. Whoever hangs up leaves the queue.
 */
export function createScryptQueue(bounds: ScryptBounds) {
  /** What waits, by network. The network whose turn is next comes first. */
  const queues = new Map<string, Set<Waiter>>();
  let running = 0;
  let waiting = 0;
  let started = 0;

  const start = () => {
    running += 1;
    started += 1;
  };

  const remove = (network: string, waiter: Waiter) => {
    const queue = queues.get(network);
    if (queue?.delete(waiter) !== true) return;
    waiting -= 1;
    if (queue.size === 0) queues.delete(network);
  };

  /** Whether there is room for one more of the network, perhaps as another's has gone. */
  const makeRoom = (network: string): boolean => {
    const own = queues.get(network)?.size ?? 0;
    if (own >= bounds.maxWaitingOfNetwork) return false;
    if (waiting < bounds.maxWaiting) return true;
    const [longest] = [...queues].toSorted(([, a], [, b]) => b.size - a.size);
    if (own > 0 || longest === undefined || longest[1].size < 2) return false;
    [...longest[1]].at(-1)?.refuse();
    return true;
  };

  const turn = ({ network, signal }: HashClient): Promise<void> => {
    if (signal?.aborted) return Promise.reject(new TooBusy());
    if (running < bounds.atOnce) {
      start();
      return Promise.resolve();
    }
    if (!makeRoom(network)) return Promise.reject(new TooBusy());
    return new Promise((resolve, reject) => {
      const leave = () => {
        signal?.removeEventListener("abort", waiter.refuse);
        remove(network, waiter);
      };
      const waiter: Waiter = {
        start() {
          leave();
          start();
          resolve();
        },
        refuse() {
          leave();
          reject(new TooBusy());
        },
      };
      signal?.addEventListener("abort", waiter.refuse, { once: true });
      queues.set(network, (queues.get(network) ?? new Set()).add(waiter));
      waiting += 1;
    });
  };

  const startNext = () => {
    const [first] = queues;
    if (first === undefined) return;
    const [network, queue] = first;
    // Behind the others until its next turn.
    queues.delete(network);
    queues.set(network, queue);
    const [waiter] = queue;
    waiter?.start();
  };

  return {
    /** Throws `TooBusy`. */
    async run<T>(client: HashClient, work: () => Promise<T>): Promise<T> {
      await turn(client);
      try {
        return await work();
      } finally {
        running -= 1;
        startNext();
      }
    },
    /** `started`: since the process began. */
    counts: () => ({ running, waiting, started }),
  };
}

/** Of this process: each hash takes 64 MiB. */
export const scryptQueue = createScryptQueue({
  atOnce: 2,
  maxWaiting: 100,
  maxWaitingOfNetwork: 10,
});
