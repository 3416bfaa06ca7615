/** Calls back after so many milliseconds; returns what cancels that. A test passes its own clock's. */
export type After = (ms: number, call: () => void) => () => void;

/** Bounds how many units are in use at a time. Waiting calls get theirs in the order in which they asked. */
export interface Semaphore {
  /** Runs the work as soon as it has its units, and gives them back at its end. Rejects as the work does. */
  run<T>(work: () => Promise<T>, units?: number): Promise<T>;
  /** Takes one unit, to be released; resolves to false when none came free within `waitMs`. */
  acquire(waitMs: number): Promise<boolean>;
  /** Gives back one unit. */
  release(): void;
  /** Lets those begin who wait and fit now: call it when the answer of `fits` may have changed. */
  resume(): void;
  /** Units in use. */
  readonly used: number;
}

/** `capacity`: the units that there are, or whether so many more fit beside those in use. */
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

/** A semaphore of several users, as tenants, none of whom can take all of it. */
export interface FairSemaphore {
  /**
   * Takes up to `wanted` units, at least `least` (default: one), and waits for those. Resolves to 0 when they did not
   * come free within `waitMs`, and at once when too many of this key wait already.
   */
  acquire(key: string, wanted: number, waitMs: number, least?: number): Promise<number>;
  /** Gives back units; default: one. */
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
 * A key gets at most total / (keys that use or wait + 1) units, no more than it leaves free, and no more than
 * `mostOf` it. So a lone key gets half. A new key always finds a free unit, however long the work of the others
 * takes, unless log2(total) keys took all they could at once. A key without units may exceed its share to get its
 * `least`. The same share bounds how many of the `maxWaiting` places a key's waiters take. Released units go to the
 * waiting keys in turn, within a key to the longest waiter.
 */
export function createFairSemaphore(
  total: number,
  maxWaiting: number,
  mostOf: (key: string) => Promise<number> = async () => total,
): FairSemaphore {
  /** Keys that use or wait for units; the one served longest ago comes first. */
  const holders = new Map<string, Holder>();
  let used = 0;

  const shareOf = (whole: number) => Math.max(1, Math.floor(whole / (holders.size + 1)));

  const grant = (holder: Holder, wanted: number, least: number): number => {
    const free = total - used;
    // Earlier keys had larger shares and keep them: so nobody may hold more than it leaves free.
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
      // Nobody overtakes those who wait already.
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
