import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";

/** Queries on `layouts`: the newest version of a tenant is in force. */

export interface LayoutSettings {
  /** MJML with `{{ $content }}` directly in an `mj-column`; null: the platform's. */
  content: string | null;
  /** https. */
  logoUrl: string | null;
  /** `#rrggbb`, as the other colours; null: the platform's. */
  primaryColor: string | null;
  backgroundColor: string | null;
  textColor: string | null;
  /** Plain text below the content; may hold tags. */
  footerText: string | null;
  /** The sender's postal address: plain text, in lines. */
  address: string | null;
}

export const NO_LAYOUT: LayoutSettings = {
  content: null,
  logoUrl: null,
  primaryColor: null,
  backgroundColor: null,
  textColor: null,
  footerText: null,
  address: null,
};

export async function newestLayout(db: Database, tenantId: string) {
  return await selectLayouts(db, tenantId).limit(1).executeTakeFirst();
}

/** Newest first. */
export async function layoutVersions(db: Database, tenantId: string) {
  return await selectLayouts(db, tenantId).execute();
}

export type LayoutRow = Awaited<ReturnType<typeof layoutVersions>>[number];

/** Returns the new version. Call with the tenant held. */
export async function insertLayout(
  db: Database,
  tenantId: string,
  layout: LayoutSettings,
  createdBy: string | null,
): Promise<number> {
  const { version } = await db
    .insertInto("layouts")
    .values({
      tenant_id: tenantId,
      version: sql<number>`(select coalesce(max(version), 0) + 1 from layouts where tenant_id = ${tenantId})`,
      content: layout.content,
      logo_url: layout.logoUrl,
      primary_color: layout.primaryColor,
      background_color: layout.backgroundColor,
      text_color: layout.textColor,
      footer_text: layout.footerText,
      address: layout.address,
      created_by: createdBy,
    })
    .returning("version")
    .executeTakeFirstOrThrow();
  return version;
}

function selectLayouts(db: Database, tenantId: string) {
  return db
    .selectFrom("layouts")
    .select([
      "version",
      "content",
      "logo_url as logoUrl",
      "primary_color as primaryColor",
      "background_color as backgroundColor",
      "text_color as textColor",
      "footer_text as footerText",
      "address",
      "created_by as createdBy",
      "created_at as createdAt",
    ])
    .where("tenant_id", "=", tenantId)
    .orderBy("version", "desc");
}
