import type { Database } from "@belfry/database/connection";
import type { Category } from "@belfry/database/preferences";
import { sql } from "kysely";

/** Queries on `categories` and on which of them an event type has. */

/** Stores a category, or writes it anew. */
export async function storeCategory(db: Database, tenantId: string, category: Category) {
  const settings = {
    label: JSON.stringify(category.label),
    description: JSON.stringify(category.description),
    required: category.required,
    default_on: category.defaultOn,
    position: category.position,
  };
  await db
    .insertInto("categories")
    .values({ tenant_id: tenantId, key: category.key, ...settings })
    .onConflict((conflict) =>
      conflict
        .columns(["tenant_id", "key"])
        .doUpdateSet({ ...settings, updated_at: sql<Date>`now()` }),
    )
    .execute();
}

/** False where there is none. What users have said of it stays, and counts again if it comes back. */
export async function deleteCategoryRow(db: Database, tenantId: string, key: string) {
  const result = await db
    .deleteFrom("categories")
    .where("tenant_id", "=", tenantId)
    .where("key", "=", key)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** By event type. */
export async function assignmentsOfTenant(db: Database, tenantId: string) {
  return await db
    .selectFrom("event_type_categories")
    .select(["event_type as eventType", "category"])
    .where("tenant_id", "=", tenantId)
    .orderBy("event_type")
    .execute();
}

export type Assignment = Awaited<ReturnType<typeof assignmentsOfTenant>>[number];

export async function storeAssignment(
  db: Database,
  tenantId: string,
  { eventType, category }: Assignment,
): Promise<void> {
  await db
    .insertInto("event_type_categories")
    .values({ tenant_id: tenantId, event_type: eventType, category })
    .onConflict((conflict) =>
      conflict.columns(["tenant_id", "event_type"]).doUpdateSet({ category }),
    )
    .execute();
}

export async function deleteAssignment(db: Database, tenantId: string, eventType: string) {
  await db
    .deleteFrom("event_type_categories")
    .where("tenant_id", "=", tenantId)
    .where("event_type", "=", eventType)
    .execute();
}
