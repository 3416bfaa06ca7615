import { PLATFORM } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";
import { holdTenant } from "../tenants/require-tenant.ts";

/**
 * Holds a tenant (or the platform) until the transaction ends, so that changes of its templates and its
 * layout come one after the other, in whatever order each takes its rows. Throws `NotFound`.
 */
export async function holdOwner(db: Database, tenantId: string): Promise<void> {
  if (tenantId === PLATFORM) {
    // It has no row among the tenants.
    await sql`select pg_advisory_xact_lock(hashtext('templates of the platform'))`.execute(db);
  } else await holdTenant(db, tenantId);
}
