/** Calls `call` after `ms` and returns a function that cancels this. Tests pass one of their own clock. */
export type After = (ms: number, call: () => void) => () => void;

/** Limits how many units are in use at a time. Waiting calls get units in the order of their calls. */
export interface Semaphore {
  /** Runs the work as soon as its units are free, and releases them at its end. Rejects if the work rejects. */
  run<T>(work: () => Promise<T>, units?: number): Promise<T>;
  /** Acquires one unit, which the caller must release. Resolves to false if none becomes free within `waitMs`. */
  acquire(waitMs: number): Promise<boolean>;
  /** Releases one unit. */
  release(): void;
  /** Begins waiting calls that fit now. Call it when the result of the `capacity` function may have changed. */
  resume(): void;
  /** Units in use. */
  readonly used: number;
}

/** Creates a semaphore. `capacity`: the number of units, or a function: whether `units` more fit with `used` in use. */
export function createSemaphore(
  capacity: number | ((units: number, used: number) => boolean),
  after: After = afterTimeout,
): Semaphore {
  const fits =
    typeof capacity === "number"
      ? (units: number, inUse: number) => inUse + units <= capacity
      : capacity;
  const waiting = new Set<{ units: number; begin: () => void }>();
  let used = 0;

  const resume = () => {
    for (const waiter of waiting) {
      if (!fits(waiter.units, used)) return;
      waiting.delete(waiter);
      used += waiter.units;
      waiter.begin();
    }
  };
  const takes = (units: number): boolean => {
    resume();
    if (waiting.size > 0 || !fits(units, used)) return false;
    used += units;
    return true;
  };
  const release = (units: number) => {
    used -= units;
    resume();
  };

  return {
    async run(work, units = 1) {
      if (!takes(units)) await new Promise<void>((begin) => waiting.add({ units, begin }));
      try {
        return await work();
      } finally {
        release(units);
      }
    },
    acquire(waitMs) {
      if (takes(1)) return Promise.resolve(true);
      return new Promise((resolve) => {
        const cancel = after(waitMs, () => {
          waiting.delete(waiter);
          resolve(false);
        });
        const waiter = {
          units: 1,
          begin() {
            cancel();
            resolve(true);
          },
        };
        waiting.add(waiter);
      });
    },
    release: () => release(1),
    resume,
    get used() {
      return used;
    },
  };
}

function afterTimeout(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
}

/** A semaphore for several users, such as tenants. No user can acquire all units. */
export interface FairSemaphore {
  /**
   * Acquires up to `wanted` units, but at least `least` (default: one), and waits for these. Resolves to 0 if they do
   * not become free within `waitMs`, and at once if too many calls of this key already wait.
   */
  acquire(key: string, wanted: number, waitMs: number, least?: number): Promise<number>;
  /** Releases units; by default one. */
  release(key: string, units?: number): void;
  /** Units in use. */
  readonly used: number;
}

interface Waiter {
  wanted: number;
  least: number;
  resolve: (taken: number) => void;
  timer: NodeJS.Timeout;
}

interface Holder {
  used: number;
  /** The limit of this key alone. */
  most: number;
  waiters: Set<Waiter>;
}

/**
 * Creates a fair semaphore. A key gets at most total / (keys that use or wait + 1) units, at most as many as it leaves
 * free, and at most `mostOf(key)`. So a lone key gets half. A new key always finds a free unit, even if the work of the
 * other keys takes long, unless log2(total) keys each took their maximum. A key without units may exceed its share to
 * get its `least`. The same share of `maxWaiting` limits how many calls of a key may wait. Released units are given to
 * the waiting keys in rotation, and within a key to the call that has waited longest.
 */
export function createFairSemaphore(
  total: number,
  maxWaiting: number,
  mostOf: (key: string) => Promise<number> = async () => total,
): FairSemaphore {
  /** Keys that use or wait for units; the key that was served longest ago is first. */
  const holders = new Map<string, Holder>();
  let used = 0;

  const shareOf = (whole: number) => Math.max(1, Math.floor(whole / (holders.size + 1)));

  const grant = (holder: Holder, wanted: number, least: number): number => {
    const free = total - used;
    // Earlier keys had larger shares and still use them. So no key may use more units than it leaves free.
    const room = Math.floor((free - holder.used) / 2);
    const fair = Math.max(
      holder.used === 0 ? least : 0,
      Math.min(shareOf(total) - holder.used, room),
    );
    const taken = Math.min(wanted, fair, holder.most - holder.used, free);
    if (taken < least) return 0;
    holder.used += taken;
    used += taken;
    return taken;
  };

  const forgetIdle = (key: string, holder: Holder) => {
    if (holder.used === 0 && holder.waiters.size === 0) holders.delete(key);
  };

  const serve = () => {
    for (const [key, holder] of [...holders]) {
      if (used >= total) return;
      const [waiter] = holder.waiters;
      if (waiter === undefined) continue;
      const taken = grant(holder, waiter.wanted, waiter.least);
      if (taken === 0) continue;
      holder.waiters.delete(waiter);
      clearTimeout(waiter.timer);
      holders.delete(key);
      holders.set(key, holder);
      waiter.resolve(taken);
    }
  };

  return {
    async acquire(key, wanted, waitMs, least = 1) {
      const most = await mostOf(key);
      const holder = holders.get(key) ?? { used: 0, most, waiters: new Set<Waiter>() };
      holder.most = most;
      holders.set(key, holder);
      // A new call does not overtake waiting calls.
      const taken = holder.waiters.size > 0 ? 0 : grant(holder, wanted, least);
      if (taken > 0) return taken;
      if (holder.waiters.size >= shareOf(maxWaiting)) return 0;
      return new Promise((resolve) => {
        const waiter: Waiter = {
          wanted,
          least,
          resolve,
          timer: setTimeout(() => {
            holder.waiters.delete(waiter);
            forgetIdle(key, holder);
            resolve(0);
          }, waitMs),
        };
        holder.waiters.add(waiter);
      });
    },
    release(key, units = 1) {
      const holder = holders.get(key);
      if (holder === undefined) return;
      holder.used -= units;
      used -= units;
      forgetIdle(key, holder);
      serve();
    },
    get used() {
      return used;
    },
  };
}
