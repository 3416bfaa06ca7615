import type { Database } from "@belfry/database/connection";
import type { Link } from "@belfry/database/link-token";
import type { Category } from "@belfry/database/preferences";
import { sql } from "kysely";
import type { Brand } from "./page-frame.ts";

/** Queries of the pages that links in messages lead to. */

/** In whose name a tenant's pages speak; undefined: there is no such tenant any more. */
export async function readBrand(db: Database, tenantId: string): Promise<Brand | undefined> {
  return await db
    .selectFrom("tenants as t")
    .leftJoinLateral(
      (query) =>
        query
          .selectFrom("layouts as l")
          .select(["l.primary_color", "l.background_color"])
          .whereRef("l.tenant_id", "=", "t.id")
          .orderBy("l.version", "desc")
          .limit(1)
          .as("l"),
      (join) => join.onTrue(),
    )
    .select(["t.name", "l.primary_color as primaryColor", "l.background_color as backgroundColor"])
    .where("t.id", "=", tenantId)
    .executeTakeFirst();
}

export type CellCategory = Pick<Category, "label" | "required">;

/** The category of a link's cell, undefined where it is gone or all are meant, and what its user has said. */
export async function readCell(
  db: Database,
  { tenantId, userId, category, channel }: Link,
): Promise<{ category: CellCategory | undefined; enabled: boolean | undefined }> {
  const found = await db
    .selectFrom("categories")
    .select(["label", "required"])
    .where("tenant_id", "=", tenantId)
    .where("key", "=", category)
    .executeTakeFirst();
  const said = await db
    .selectFrom("preferences")
    .select("enabled")
    .where("tenant_id", "=", tenantId)
    .where("user_id", "=", userId)
    .where("category", "=", category)
    .where(sql<boolean>`channel = ${channel}`)
    .executeTakeFirst();
  return { category: found, enabled: said?.enabled };
}
