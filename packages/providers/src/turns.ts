/** At most so many at a time; the others wait in line. */
export interface Turns {
  /** Resolves to whether a turn came within `waitMs`; a turn is to be given back. */
  take(waitMs: number): Promise<boolean>;
  give(): void;
  readonly most: number;
  /** From now on; turns that are out stay out until they are given back. */
  limit(most: number): void;
}

export function createTurns(most: number): Turns {
  const line = new Set<() => void>();
  let limit = most;
  let taken = 0;
  const serve = () => {
    for (const next of line) {
      if (taken >= limit) return;
      taken += 1;
      next();
    }
  };
  return {
    take(waitMs) {
      if (taken < limit) {
        taken += 1;
        return Promise.resolve(true);
      }
      return new Promise((resolve) => {
        const leave = (turn: boolean) => {
          clearTimeout(timer);
          line.delete(next);
          resolve(turn);
        };
        const next = () => leave(true);
        const timer = setTimeout(leave, waitMs, false);
        line.add(next);
      });
    },
    give() {
      taken -= 1;
      serve();
    },
    get most() {
      return limit;
    },
    limit(now) {
      limit = now;
      serve();
    },
  };
}
