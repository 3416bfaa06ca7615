import { PLATFORM } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import type { Layout } from "@belfry/templates/source";
import { tenantById } from "../tenants/tenant-rows.ts";
import { type LayoutSettings, layoutOf, newestLayout } from "./layout-rows.ts";

/** What a tenant's Markdown is set in. */
export interface LayoutInForce {
  /** 0: the tenant has none; the platform's, with its name. */
  version: number;
  layout: Layout;
}

/** Without a database: the platform's own. */
export async function layoutInForce(
  db: Database | undefined,
  tenantId: string,
): Promise<LayoutInForce> {
  if (db === undefined) return { version: 0, layout: { content: null } };
  const row = await newestLayout(db, tenantId);
  const layout = compilableLayout(row, await brandName(db, tenantId));
  return { version: row?.version ?? 0, layout };
}

/** As the compiler takes it: what is not set is left out. */
export function compilableLayout(
  settings: LayoutSettings | undefined,
  brandName: string | undefined,
): Layout {
  const { content, ...looks } = layoutOf((name) => settings?.[name] ?? null);
  const given = Object.entries({ ...looks, brandName }).filter(([, value]) => value != null);
  return { content, ...Object.fromEntries(given) };
}

/** The tenant's name; the platform has none. */
export async function brandName(db: Database, tenantId: string): Promise<string | undefined> {
  return tenantId === PLATFORM ? undefined : (await tenantById(db, tenantId))?.name;
}
