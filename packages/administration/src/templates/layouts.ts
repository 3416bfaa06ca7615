import type { Database } from "@belfry/database/connection";
import { NotFound, preparedAndSaved } from "../input-error.ts";
import type { LayoutInput } from "./layout-input.ts";
import {
  type LayoutRow,
  type LayoutSettings,
  layoutVersions,
  NO_LAYOUT,
  newestLayout,
} from "./layout-rows.ts";
import { prepareLayout, savePreparedLayout } from "./publish-layout.ts";
import { requireOwner } from "./templates.ts";

/** A tenant's layout. Times are ISO 8601, UTC. */
export interface LayoutView extends LayoutSettings {
  tenantId: string;
  /** 0: the platform's, untouched. */
  version: number;
  savedBy: string | null;
  savedAt: string | null;
}

export type SavedLayout = LayoutView & {
  /** How many templates, by language, were published anew with it. */
  recompiled: number;
};

/**
 * Changes what is given of the layout, and publishes every Markdown template of the tenant anew in it;
 * drafts stay as they are. One that does not compile refuses all. The same layout again makes no version.
 * Throws `InvalidInput` with the template and its fault, `NotFound`, and `Conflict` when `basedOnVersion`
 * is not the current one.
 */
export async function putLayout(db: Database, input: LayoutInput): Promise<SavedLayout> {
  const recompiled = await preparedAndSaved(
    () => prepareLayout(db, input),
    (prepared) => savePreparedLayout(db, prepared),
  );
  return { ...(await showLayout(db, input.tenantId)), recompiled };
}

/** Back to the platform's, with nothing of the tenant's but its name. Throws as `putLayout`. */
export async function removeLayout(db: Database, tenantId: string, createdBy?: string) {
  return await putLayout(db, { tenantId, ...NO_LAYOUT, createdBy });
}

/** Throws `NotFound` for an unknown tenant. */
export async function showLayout(db: Database, tenantId: string): Promise<LayoutView> {
  await requireOwner(db, tenantId);
  const row = await newestLayout(db, tenantId);
  return row === undefined
    ? { tenantId, version: 0, ...NO_LAYOUT, savedBy: null, savedAt: null }
    : layoutView(tenantId, row);
}

/** Newest first. Throws `NotFound` for an unknown tenant. */
export async function listLayoutVersions(db: Database, tenantId: string): Promise<LayoutView[]> {
  await requireOwner(db, tenantId);
  return (await layoutVersions(db, tenantId)).map((row) => layoutView(tenantId, row));
}

/** Throws `NotFound`. */
export async function showLayoutVersion(db: Database, tenantId: string, version: number) {
  const found = (await listLayoutVersions(db, tenantId)).find((one) => one.version === version);
  if (found === undefined) throw new NotFound("version", `the layout has no version ${version}`);
  return found;
}

function layoutView(tenantId: string, row: LayoutRow): LayoutView {
  const { createdBy, createdAt, ...layout } = row;
  return { tenantId, ...layout, savedBy: createdBy, savedAt: createdAt.toISOString() };
}
