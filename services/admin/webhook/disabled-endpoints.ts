import type { Database } from "@belfry/database/connection";

export interface DisabledEndpoint {
  id: string;
  url: string;
  reason: string;
  at: Date;
}

/**
 * Endpoints of a tenant that were disabled without anybody having asked for it, newest first: every page of the tenant
 * tells of them until somebody switches them on, leaves them off, or deletes them.
 */
export async function disabledEndpoints(
  db: Database,
  tenantId: string,
): Promise<DisabledEndpoint[]> {
  const rows = await db
    .selectFrom("webhooks")
    .select(["id", "url", "disabled_reason", "disabled_at"])
    .where("tenant_id", "=", tenantId)
    .where("active", "=", false)
    .where("disabled_reason", "is not", null)
    .orderBy("disabled_at", "desc")
    .execute();
  return rows.flatMap(({ id, url, disabled_reason: reason, disabled_at: at }) =>
    reason === null || at === null ? [] : [{ id, url, reason, at }],
  );
}
