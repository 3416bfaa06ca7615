import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";

/**
 * Tenants by name, page after page: those whose name contains `search`, or whose id it is. `after` is the
 * id of the last one of the page before. `dailyCap` null: no cap; `deliveryChannels` empty: all.
 */
export async function searchTenants(
  db: Database,
  page: { search?: string | undefined; after?: string | undefined; limit: number },
) {
  const { search, after, limit } = page;
  let query = db
    .selectFrom("tenants")
    .select([
      "id",
      "name",
      "active",
      "per_minute as perMinute",
      "daily_cap as dailyCap",
      "delivery_channels as deliveryChannels",
      "created_at as createdAt",
    ]);
  if (search !== undefined) {
    query = query.where(
      sql<boolean>`(strpos(lower(name), lower(${search})) > 0 or id = ${search})`,
    );
  }
  if (after !== undefined) {
    query = query.where(
      sql<boolean>`(lower(name), id) > (select lower(t.name), t.id from tenants t where t.id = ${after})`,
    );
  }
  return await query.orderBy(sql`lower(name)`).orderBy("id").limit(limit).execute();
}

/** The names of tenants, by id. */
export async function tenantNames(db: Database, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, string>();
  const rows = await db
    .selectFrom("tenants")
    .select(["id", "name"])
    .where("id", "in", [...new Set(ids)])
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}
