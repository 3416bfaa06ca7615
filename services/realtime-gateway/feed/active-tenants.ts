import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";

/** Those of the tenants named that are there and active. */
export async function activeTenants(
  db: Database,
  tenantIds: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from tenants where id = any(${tenantIds}::text[]) and active`.execute(db);
  return new Set(rows.map((row) => row.id));
}
