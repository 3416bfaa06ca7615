/** Bounds the calls in hand, and each tenant's part of them. */
export interface Slots {
  /**
   * Takes up to `wanted` slots, at least one; waits for the first. Resolves to 0 when none came free
   * within `waitMs`, and at once when too many of the tenant wait already.
   */
  take(tenantId: string, wanted: number, waitMs: number): Promise<number>;
  give(tenantId: string): void;
}

interface Waiter {
  wanted: number;
  resolve: (taken: number) => void;
  timer: NodeJS.Timeout;
}

interface Tenant {
  used: number;
  /** What its provider carries. */
  most: number;
  waiters: Set<Waiter>;
}

/**
 * Of `total` slots a tenant gets at most total / (tenants in hand + 1), and no more than it leaves free:
 * alone it has half, and there is room for one more tenant, however long the calls of the others hang, where
 * fewer than log2(total) have come at once with all that they may have. The same share holds for
 * the `maxWaiting` that may wait, since who waits keeps a message in hand. No tenant gets more than
 * `mostOf` it: what its provider can carry. A slot that comes free goes to the tenants that wait in turn,
 * and there to who waits longest.
 */
export function createSlots(
  total: number,
  maxWaiting: number,
  mostOf: (tenantId: string) => Promise<number> = async () => total,
): Slots {
  /** Those that use or wait for slots, who was served longest ago first. */
  const tenants = new Map<string, Tenant>();
  let used = 0;

  const shareOf = (whole: number) => Math.max(1, Math.floor(whole / (tenants.size + 1)));

  const grant = (tenant: Tenant, wanted: number): number => {
    const share = Math.min(shareOf(total), tenant.most);
    const free = total - used;
    // Nobody holds more than is left free by it: those who came before had larger shares, and keep them.
    const room = Math.max(tenant.used === 0 ? 1 : 0, Math.floor((free - tenant.used) / 2));
    const taken = Math.max(0, Math.min(wanted, share - tenant.used, room, free));
    tenant.used += taken;
    used += taken;
    return taken;
  };

  const leave = (tenantId: string, tenant: Tenant) => {
    if (tenant.used === 0 && tenant.waiters.size === 0) tenants.delete(tenantId);
  };

  const serve = () => {
    for (const [tenantId, tenant] of [...tenants]) {
      if (used >= total) return;
      const [waiter] = tenant.waiters;
      if (waiter === undefined) continue;
      const taken = grant(tenant, waiter.wanted);
      if (taken === 0) continue;
      tenant.waiters.delete(waiter);
      clearTimeout(waiter.timer);
      tenants.delete(tenantId);
      tenants.set(tenantId, tenant);
      waiter.resolve(taken);
    }
  };

  return {
    async take(tenantId, wanted, waitMs) {
      const most = await mostOf(tenantId);
      const tenant = tenants.get(tenantId) ?? { used: 0, most, waiters: new Set<Waiter>() };
      tenant.most = most;
      tenants.set(tenantId, tenant);
      // Nobody overtakes who waits already.
      const taken = tenant.waiters.size > 0 ? 0 : grant(tenant, wanted);
      if (taken > 0) return taken;
      if (tenant.waiters.size >= shareOf(maxWaiting)) return 0;
      return new Promise((resolve) => {
        const waiter: Waiter = {
          wanted,
          resolve,
          timer: setTimeout(() => {
            tenant.waiters.delete(waiter);
            leave(tenantId, tenant);
            resolve(0);
          }, waitMs),
        };
        tenant.waiters.add(waiter);
      });
    },
    give(tenantId) {
      const tenant = tenants.get(tenantId);
      if (tenant === undefined) return;
      tenant.used -= 1;
      used -= 1;
      leave(tenantId, tenant);
      serve();
    },
  };
}
