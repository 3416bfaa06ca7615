import { sql } from "kysely";
import type { Database } from "./connection.ts";
import type { Owner } from "./notifications.ts";
import {
  type Category,
  categoriesOfTenant,
  type Preference,
  preferencesOfUser,
} from "./preferences.ts";

/** What a user has said, and what there is to say something of, as every door shows it. */
export interface ShownPreferences {
  /** `at`: ISO 8601, UTC. */
  preferences: (Omit<Preference, "at"> & { at: string })[];
  /** In the tenant's order. */
  categories: Omit<Category, "position">[];
}

export async function shownPreferences(db: Database, owner: Owner): Promise<ShownPreferences> {
  const categories = await categoriesOfTenant(db, owner.tenantId);
  const preferences = await preferencesOfUser(db, owner);
  return {
    preferences: preferences.map((row) => ({ ...row, at: row.at.toISOString() })),
    categories: categories.map(({ position: _, ...category }) => category),
  };
}

/** What the texts of a tenant's categories come to as JSON, at most. */
export async function categoryTextBytes(db: Database, tenantId: string): Promise<number> {
  const { bytes } = await db
    .selectFrom("categories")
    .select(
      sql<number>`coalesce(sum(octet_length(label::text) + octet_length(description::text)), 0)::integer`.as(
        "bytes",
      ),
    )
    .where("tenant_id", "=", tenantId)
    .executeTakeFirstOrThrow();
  return bytes;
}
