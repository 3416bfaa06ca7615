import type { Database } from "@belfry/database/connection";
import { NotFound } from "../input-error.ts";
import { lockTenant, tenantById } from "./tenant-rows.ts";

/** Throws `NotFound`, of this field, for an unknown tenant. */
export async function requireTenant(db: Database, id: string, field = "tenantId"): Promise<void> {
  if ((await tenantById(db, id)) === undefined) throw tenantNotFound(id, field);
}

/** Locks it as `lockTenant` does. Throws `NotFound`, of this field, for an unknown tenant. */
export async function holdTenant(db: Database, id: string, field = "tenantId"): Promise<void> {
  if (!(await lockTenant(db, id))) throw tenantNotFound(id, field);
}

export function tenantNotFound(id: string, field = "id"): NotFound {
  return new NotFound(field, `no tenant has the id ${JSON.stringify(id)}`);
}
