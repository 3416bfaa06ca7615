import type { Database } from "@belfry/database/connection";
import type { Logger } from "@belfry/service/logger";

/** Returns a round that deletes the tenants of which operators have asked for it in the Admin UI; replicas may all run it. */
export function createTenantDeletions({ db, log }: { db: Database; log: Logger }) {
  return async (signal: AbortSignal): Promise<number> => {
    const open = await db
      .selectFrom("tenant_deletions")
      .select("tenant_id")
      .where("ended_at", "is", null)
      .limit(1)
      .executeTakeFirst();
    if (open === undefined) return 0;
    // Loaded with the first one: most installations never delete a tenant.
    const { workTenantDeletions } = await import("@belfry/administration/erasure/tenant-deletions");
    const tenants = await workTenantDeletions({ db }, signal);
    if (tenants > 0) log.info({ tenants }, "tenants deleted");
    return tenants;
  };
}
