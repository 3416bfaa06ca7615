/** A client that waits for the hash of a password. */
export interface HashClient {
  /** The client's network from `clientNetwork`. The queue serves networks in rotation. */
  network: string;
  /** Aborts when the client's connection closes. */
  signal?: AbortSignal;
}

/** The queue is full, or the client has disconnected. Nothing was hashed. */
export class TooBusy extends Error {
  override readonly name = "TooBusy";
  /** A machine of normal speed empties a full queue within this time. */
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
 * Limits hashing, which is slow and needs much memory on purpose: how many hashes run at once, and how many requests
 * wait in total and per network. Networks are served in rotation, so many requests of one network delay another network
 * by one hash. If the queue is full, a network without a waiting request replaces the newest request of the network
 * with the most requests. A request whose client disconnects leaves the queue.
 */
export function createScryptQueue(bounds: ScryptBounds) {
  /** The waiting requests by network. The first network is served next. */
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

  /** Whether one more request of the network may wait. May refuse another network's newest request to make room. */
  const makeRoom = (network: string): boolean => {
    const own = queues.get(network)?.size ?? 0;
    if (own >= bounds.maxWaitingOfNetwork) return false;
    if (waiting < bounds.maxWaiting) return true;
    const [longest] = [...queues].toSorted(([, a], [, b]) => b.size - a.size);
    if (own > 0 || longest === undefined || longest[1].size < 2) return false;
    [...longest[1]].at(-1)?.refuse();
    return true;
  };

  const waitForTurn = ({ network, signal }: HashClient): Promise<void> => {
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
    // Move the network behind the others.
    queues.delete(network);
    queues.set(network, queue);
    const [waiter] = queue;
    waiter?.start();
  };

  return {
    /** Runs `work` as soon as the bounds permit it. Throws `TooBusy`. */
    async run<T>(client: HashClient, work: () => Promise<T>): Promise<T> {
      await waitForTurn(client);
      try {
        return await work();
      } finally {
        running -= 1;
        startNext();
      }
    },
    /** `started` counts since the process began. */
    counts: () => ({ running, waiting, started }),
  };
}

/** The queue of this process. Each hash needs 64 MiB. */
export const scryptQueue = createScryptQueue({
  atOnce: 2,
  maxWaiting: 100,
  maxWaitingOfNetwork: 10,
});
