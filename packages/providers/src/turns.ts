/** At most so many at a time; the others wait in line. */
export interface Turns {
  /** Resolves to whether a turn came within `waitMs`; a turn is to be given back. */
  take(waitMs: number): Promise<boolean>;
  give(): void;
}

export function createTurns(most: number): Turns {
  const line = new Set<() => void>();
  let free = most;
  return {
    take(waitMs) {
      if (free > 0) {
        free -= 1;
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
      const [next] = line;
      if (next === undefined) free += 1;
      else next();
    },
  };
}
