/** Bounds the calls in hand, and each tenant's part of them. */
export interface Slots {
  /**
   * Takes up to `wanted` slots, at least one; waits for the first. Resolves to 0 when none came free
   * within `waitMs`.
   */
  take(tenantId: string, wanted: number, waitMs: number): Promise<number>;
  give(tenantId: string): void;
}

interface Waiter {
  tenantId: string;
  wanted: number;
  resolve: (taken: number) => void;
  timer: NodeJS.Timeout;
}

/**
 * Of `total` slots a tenant gets at most total / (tenants in hand + 1): alone it has half, and there
 * is always room for one more tenant, however long the calls of the others hang. Who waits is served
 * in the order of coming, except for those that are at their share.
 */
export function createSlots(total: number): Slots {
  const used = new Map<string, number>();
  const waiters = new Set<Waiter>();
  let usedTotal = 0;

  const room = (tenantId: string): number => {
    const tenants = new Set(used.keys());
    for (const waiter of waiters) tenants.add(waiter.tenantId);
    tenants.add(tenantId);
    const share = Math.max(1, Math.floor(total / (tenants.size + 1)));
    return Math.max(0, Math.min(share - (used.get(tenantId) ?? 0), total - usedTotal));
  };

  const grant = (tenantId: string, wanted: number): number => {
    const taken = Math.min(wanted, room(tenantId));
    if (taken > 0) {
      used.set(tenantId, (used.get(tenantId) ?? 0) + taken);
      usedTotal += taken;
    }
    return taken;
  };

  const serve = () => {
    for (const waiter of waiters) {
      if (usedTotal >= total) return;
      const taken = grant(waiter.tenantId, waiter.wanted);
      if (taken === 0) continue;
      waiters.delete(waiter);
      clearTimeout(waiter.timer);
      waiter.resolve(taken);
    }
  };

  return {
    take(tenantId, wanted, waitMs) {
      const taken = grant(tenantId, wanted);
      if (taken > 0) return Promise.resolve(taken);
      return new Promise((resolve) => {
        const waiter: Waiter = {
          tenantId,
          wanted,
          resolve,
          timer: setTimeout(() => {
            waiters.delete(waiter);
            resolve(0);
          }, waitMs),
        };
        waiters.add(waiter);
      });
    },
    give(tenantId) {
      const left = (used.get(tenantId) ?? 0) - 1;
      if (left > 0) used.set(tenantId, left);
      else used.delete(tenantId);
      usedTotal -= 1;
      serve();
    },
  };
}
