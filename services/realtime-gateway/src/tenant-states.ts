import type { Database } from "@belfry/database/connection";
import { createVersionedCache } from "@belfry/service/versioned-cache";
import { sql } from "kysely";

/** Knows which tenants may connect. Caches this until the configuration changes. */
export interface TenantStates {
  /** Returns whether a tenant is active. Rejects if this is not cached and Postgres does not answer. */
  isActive(tenantId: string): Promise<boolean>;
  /** Returns whether the cache has the tenant as active; false if the cache does not have the tenant. */
  isKnownActive(tenantId: string): boolean;
  /** Called when the configuration has changed. Reads these tenants again and returns those that are not active. */
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
        // If the configuration changed during the read, nothing is cached, because the result may be outdated.
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

/** Returns the ids of the tenants that exist and are active. */
export async function activeTenants(
  db: Database,
  tenantIds: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from tenants where id = any(${tenantIds}::text[]) and active`.execute(db);
  return new Set(rows.map((row) => row.id));
}
