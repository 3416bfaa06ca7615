/** A place behind all who asked before for one of the same users. */
export interface UserTurn {
  ready: Promise<unknown>;
  /** Must be called, once, whether it was ready or not. */
  end(): void;
}

/**
 * Batches with a user in common take turns in this process, in the order in which they ask. Postgres keeps
 * the order of a user's events by itself, over all replicas: this spares it most of the conflicts.
 */
export function createUserTurns(): (users: ReadonlySet<string>) => UserTurn {
  const last = new Map<string, Promise<void>>();
  return (users) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = new Set<Promise<void>>();
    for (const user of users) {
      const other = last.get(user);
      if (other !== undefined) before.add(other);
      last.set(user, promise);
    }
    return {
      ready: Promise.all(before),
      end() {
        for (const user of users) if (last.get(user) === promise) last.delete(user);
        resolve();
      },
    };
  };
}
