import type { AuditNote } from "../audited.ts";
import type { Tenant } from "./tenants.ts";

/** How the audit log tells that the open pages of all a tenant's users were closed. */
export function tenantDisconnected({ id, name }: Pick<Tenant, "id" | "name">): AuditNote {
  return { tenantId: id, action: "tenant.disconnect", target: name };
}
