import { createVersionedCache } from "@belfry/service/versioned-cache";

/** Which tenants may connect. Known answers are kept until the configuration changes. */
export interface TenantStates {
  /** Rejects when it is not known and Postgres does not answer. */
  isActive(tenantId: string): Promise<boolean>;
  /** Without asking: false also where it is not known, or not any more. */
  isKnownActive(tenantId: string): boolean;
  /** The configuration has changed: asks anew for these tenants; returns those that are not active. */
  refresh(held: ReadonlySet<string>): Promise<Set<string>>;
}

const MAX_KNOWN = 10_000;

export function createTenantStates(
  findActive: (tenantIds: readonly string[]) => Promise<Set<string>>,
): TenantStates {
  const cache = createVersionedCache<true>({
    max: MAX_KNOWN,
    read: async (ids) => new Map([...(await findActive(ids))].map((id) => [id, true])),
  });
  return {
    async isActive(tenantId) {
      for (;;) {
        await cache.get(tenantId);
        // Unknown: the configuration changed while the answer was on its way, and it may be of before.
        const known = cache.peek(tenantId);
        if (known !== undefined) return known.value === true;
      }
    },
    isKnownActive: (tenantId) => cache.peek(tenantId)?.value === true,
    async refresh(held) {
      cache.clear();
      const active = await cache.getAll(held);
      return new Set([...held].filter((id) => !active.has(id)));
    },
  };
}
