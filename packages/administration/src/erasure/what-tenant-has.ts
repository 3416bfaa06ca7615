import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";

/** Counting goes on no further: what a page asks must not cost more with a tenant of millions. */
export const MOST_COUNTED = 10_000;

const COUNTED = {
  events: "events",
  notifications: "notifications",
  users: "recipients",
  templates: "templates",
  providers: "providers",
  keys: "api_keys",
  members: "memberships",
  suppressions: "suppressions",
} as const;

/** What goes with a tenant, in rows; more than 10,000 of a kind are told as 10,001. */
export async function whatTenantHas(db: Database, tenantId: string) {
  const counts = Object.entries(COUNTED).map(
    ([kind, table]) => sql`(
      select count(*)::integer from (
        select from ${sql.table(table)} where tenant_id = ${tenantId} limit ${MOST_COUNTED + 1}
      ) counted) as ${sql.id(kind)}`,
  );
  const { rows } = await sql<Record<keyof typeof COUNTED, number>>`
    select ${sql.join(counts)}`.execute(db);
  return rows[0]!;
}
