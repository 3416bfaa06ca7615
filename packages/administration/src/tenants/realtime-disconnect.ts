import { addressedMessage } from "@belfry/contracts/addressed-message";
import { textFault } from "@belfry/contracts/identifiers";
import { tenantDisconnect } from "@belfry/contracts/tenant-disconnect";
import type { Database } from "@belfry/database/connection";
import { faultAt, refuseFaults } from "../input-error.ts";
import { requireTenant } from "./require-tenant.ts";

export interface UserOfTenant {
  tenantId: string;
  /** The tenant's own id of its user. */
  userId: string;
}

/**
 * The NATS message that closes every connection of a user, on every gateway, with 3503: its clients do
 * not come back by themselves. Who asks for a new token gets one, so the tenant's backend refuses that
 * first. Throws `InvalidInput`, `NotFound`.
 */
export async function disconnectMessage(
  db: Database,
  { tenantId, userId }: UserOfTenant,
  prefix: string,
): Promise<{ subject: string; message: string }> {
  refuseFaults([faultAt("user", textFault(userId))]);
  await requireTenant(db, tenantId, "tenant");
  return addressedMessage(prefix, tenantId, { version: 1, kind: "disconnect", userId });
}

/** The same for all users of a tenant. Throws `NotFound`. */
export async function disconnectTenantMessage(db: Database, tenantId: string, prefix: string) {
  await requireTenant(db, tenantId, "tenant");
  return tenantDisconnect(prefix, tenantId);
}
