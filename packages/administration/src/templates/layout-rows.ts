import { PLATFORM } from "@belfry/contracts/identifiers";
import { bestLocale } from "@belfry/contracts/locale";
import type { Database } from "@belfry/database/connection";
import type { Layout } from "@belfry/templates/source";
import { sql } from "kysely";
import { tenantById } from "../tenants/tenant-rows.ts";

/** The column of each setting, and whether the value is a colour. */
export const LAYOUT_SETTINGS = {
  content: { column: "content", isColor: false },
  logoUrl: { column: "logo_url", isColor: false },
  primaryColor: { column: "primary_color", isColor: true },
  backgroundColor: { column: "background_color", isColor: true },
  textColor: { column: "text_color", isColor: true },
  footerText: { column: "footer_text", isColor: false },
  address: { column: "address", isColor: false },
} as const;
export type LayoutName = keyof typeof LAYOUT_SETTINGS;
export const LAYOUT_NAMES = Object.keys(LAYOUT_SETTINGS) as LayoutName[];

/** Settings of a layout. A setting is null if it has the platform's value, or none. */
export interface LayoutSettings extends Record<LayoutName, string | null> {
  /** Footers by language, which replace `footerText`. */
  footerTexts: Readonly<Record<string, string>> | null;
}

/** Builds an object with the result of `of` for each setting. */
export function layoutOf<T>(of: (name: LayoutName) => T): Record<LayoutName, T> {
  return Object.fromEntries(LAYOUT_NAMES.map((name) => [name, of(name)])) as Record<LayoutName, T>;
}

export const NO_LAYOUT: LayoutSettings = { ...layoutOf(() => null), footerTexts: null };

/** Returns the newest version, which is in force. */
export async function newestLayout(db: Database, tenantId: string) {
  return await selectLayouts(db, tenantId).limit(1).executeTakeFirst();
}

/** Returns all versions, newest first. */
export async function layoutVersions(db: Database, tenantId: string) {
  return await selectLayouts(db, tenantId).execute();
}

export type LayoutRow = Awaited<ReturnType<typeof layoutVersions>>[number];

/** Inserts a version. The tenant must be locked. */
export async function insertLayout(
  db: Database,
  tenantId: string,
  layout: LayoutSettings,
  createdBy: string | null,
): Promise<void> {
  await db
    .insertInto("layouts")
    .values({
      tenant_id: tenantId,
      version: sql<number>`(select coalesce(max(version), 0) + 1 from layouts where tenant_id = ${tenantId})`,
      ...Object.fromEntries(
        LAYOUT_NAMES.map((name) => [LAYOUT_SETTINGS[name].column, layout[name]]),
      ),
      footer_texts: layout.footerTexts && JSON.stringify(layout.footerTexts),
      created_by: createdBy,
    })
    .execute();
}

type Selected = {
  [K in LayoutName]: `${(typeof LAYOUT_SETTINGS)[K]["column"]} as ${K}`;
}[LayoutName];
const COLUMNS = LAYOUT_NAMES.map(
  (name) => `${LAYOUT_SETTINGS[name].column} as ${name}`,
) as Selected[];

function selectLayouts(db: Database, tenantId: string) {
  return db
    .selectFrom("layouts")
    .select([
      "version",
      ...COLUMNS,
      "footer_texts as footerTexts",
      "created_by as createdBy",
      "created_at as createdAt",
    ])
    .where("tenant_id", "=", tenantId)
    .orderBy("version", "desc");
}

/** The layout with which a tenant's Markdown mails are compiled. */
export interface LayoutInForce {
  /** 0 if the tenant has none. `layout` is then the platform's with the tenant's name. */
  version: number;
  layout: LayoutInLanguages;
}

/** A layout with the footers of all languages. */
export type LayoutInLanguages = Layout & Pick<Partial<LayoutSettings>, "footerTexts">;

/** Returns the layout with the footer in the mail's language, or with the default footer. */
export function layoutIn({ footerTexts, ...layout }: LayoutInLanguages, locale: string): Layout {
  const texts = new Map(Object.entries(footerTexts ?? {}));
  const footerText = texts.get((locale && bestLocale(locale, texts)) || "");
  return footerText === undefined ? layout : { ...layout, footerText };
}

/** Returns the layout in force. Without a database, returns the platform's own. */
export async function layoutInForce(
  db: Database | undefined,
  tenantId: string,
): Promise<LayoutInForce> {
  if (db === undefined) return { version: 0, layout: { content: null } };
  const row = await newestLayout(db, tenantId);
  const layout = compilableLayout(row, await brandName(db, tenantId));
  return { version: row?.version ?? 0, layout };
}

/** Returns the settings of a version. If `row` is undefined, all settings are null. */
export function settingsOfLayout(row: LayoutSettings | undefined): LayoutSettings {
  return { ...layoutOf((name) => row?.[name] ?? null), footerTexts: row?.footerTexts ?? null };
}

/** Converts settings to the compiler's form, without those that are not set. */
export function compilableLayout(
  settings: LayoutSettings | undefined,
  brandName: string | undefined,
): LayoutInLanguages {
  const { content, ...looks } = settingsOfLayout(settings);
  const given = Object.entries({ ...looks, brandName }).filter(([, value]) => value != null);
  return { content, ...Object.fromEntries(given) };
}

/** Returns the tenant's name; undefined for the platform. */
export async function brandName(db: Database, tenantId: string): Promise<string | undefined> {
  return tenantId === PLATFORM ? undefined : (await tenantById(db, tenantId))?.name;
}
