import type { Database } from "@belfry/database/connection";

/** In which a tenant's default texts are written. */
export async function defaultLocaleOf(db: Database, tenantId: string): Promise<string> {
  const row = await db
    .selectFrom("tenants")
    .select("default_locale")
    .where("id", "=", tenantId)
    .executeTakeFirst();
  return row?.default_locale ?? "en";
}
