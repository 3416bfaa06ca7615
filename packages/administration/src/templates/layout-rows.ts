import { PLATFORM } from "@belfry/contracts/identifiers";
import { bestLocale } from "@belfry/contracts/locale";
import type { Database } from "@belfry/database/connection";
import type { Layout } from "@belfry/templates/source";
import { sql } from "kysely";
import { tenantById } from "../tenants/tenant-rows.ts";

/** Queries on `layouts`: the newest version of a tenant is in force. */

/** Its column, and whether it is a colour, by the setting's name. */
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

/** null: the platform's, or none. */
export interface LayoutSettings extends Record<LayoutName, string | null> {
  /** Footers by language, in place of `footerText`. */
  footerTexts: Readonly<Record<string, string>> | null;
}

/** Builds an object with the result of `of` for each setting. */
export function layoutOf<T>(of: (name: LayoutName) => T): Record<LayoutName, T> {
  return Object.fromEntries(LAYOUT_NAMES.map((name) => [name, of(name)])) as Record<LayoutName, T>;
}

export const NO_LAYOUT: LayoutSettings = { ...layoutOf(() => null), footerTexts: null };

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
      ...Object.fromEntries(
        LAYOUT_NAMES.map((name) => [LAYOUT_SETTINGS[name].column, layout[name]]),
      ),
      footer_texts: layout.footerTexts && JSON.stringify(layout.footerTexts),
      created_by: createdBy,
    })
    .returning("version")
    .executeTakeFirstOrThrow();
  return version;
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

/** The layout that a tenant's Markdown mails get. */
export interface LayoutInForce {
  /** 0: the tenant has none; the platform's, with its name. */
  version: number;
  layout: LayoutInLanguages;
}

/** A layout, and the footer's text by language. */
export type LayoutInLanguages = Layout & Pick<Partial<LayoutSettings>, "footerTexts">;

/** With the footer's text of a mail's language, or the default one. */
export function layoutIn({ footerTexts, ...layout }: LayoutInLanguages, locale: string): Layout {
  const texts = new Map(Object.entries(footerTexts ?? {}));
  const footerText = texts.get((locale && bestLocale(locale, texts)) || "");
  return footerText === undefined ? layout : { ...layout, footerText };
}

/** Returns the layout in force. If there is no database, it is the platform's own. */
export async function layoutInForce(
  db: Database | undefined,
  tenantId: string,
): Promise<LayoutInForce> {
  if (db === undefined) return { version: 0, layout: { content: null } };
  const row = await newestLayout(db, tenantId);
  const layout = compilableLayout(row, await brandName(db, tenantId));
  return { version: row?.version ?? 0, layout };
}

/** Returns a version's settings; undefined means that nothing is set. */
export function settingsOfLayout(row: LayoutSettings | undefined): LayoutSettings {
  return { ...layoutOf((name) => row?.[name] ?? null), footerTexts: row?.footerTexts ?? null };
}

/** Returns the compiler's form of the settings in one language, without those that are not set. */
export function compilableLayout(
  settings: LayoutSettings | undefined,
  brandName: string | undefined,
): LayoutInLanguages {
  const { content, ...looks } = settingsOfLayout(settings);
  const given = Object.entries({ ...looks, brandName }).filter(([, value]) => value != null);
  return { content, ...Object.fromEntries(given) };
}

/** The tenant's name; the platform has none. */
export async function brandName(db: Database, tenantId: string): Promise<string | undefined> {
  return tenantId === PLATFORM ? undefined : (await tenantById(db, tenantId))?.name;
}
