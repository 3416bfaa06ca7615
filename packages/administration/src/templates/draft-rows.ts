import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";
import type { TemplateSettingsInput } from "./template-settings.ts";
import { TEXT_COLUMNS, type TemplateText, textColumns } from "./template-text.ts";

/** Queries on `template_drafts`: one a variant at most. */

export interface DraftToSave extends TemplateText {
  settings: TemplateSettingsInput;
  basedOnVersion: number;
  sourceVersion: number | null;
  savedBy: string | null;
}

export async function findDraft(db: Database, templateId: string, locale: string) {
  const row = await db
    .selectFrom("template_drafts")
    .select([
      ...(["locale", ...TEXT_COLUMNS, "settings", "revision"] as const),
      ...(["based_on_version as basedOnVersion", "source_version as sourceVersion"] as const),
      ...(["saved_by as savedBy", "saved_at as savedAt"] as const),
    ])
    .where("template_id", "=", templateId)
    .where("locale", "=", locale)
    .executeTakeFirst();
  return row === undefined
    ? undefined
    : { ...row, settings: row.settings as TemplateSettingsInput };
}

/** `settings`: what publishing it sets on the template; as given, and not yet judged. */
export type DraftRow = NonNullable<Awaited<ReturnType<typeof findDraft>>>;

/** Returns its revision. Call with the template held. */
export async function upsertDraft(
  db: Database,
  templateId: string,
  locale: string,
  draft: DraftToSave,
): Promise<number> {
  const columns = {
    ...textColumns(draft),
    settings: JSON.stringify(draft.settings),
    based_on_version: draft.basedOnVersion,
    source_version: draft.sourceVersion,
    saved_by: draft.savedBy,
  };
  const { revision } = await db
    .insertInto("template_drafts")
    .values({ template_id: templateId, locale, ...columns })
    .onConflict((conflict) =>
      conflict.columns(["template_id", "locale"]).doUpdateSet({
        ...columns,
        revision: sql`default`,
        saved_at: sql<Date>`now()`,
      } as never),
    )
    .returning("revision")
    .executeTakeFirstOrThrow();
  return revision;
}

/** False when there was none. */
export async function deleteDraft(db: Database, templateId: string, locale: string) {
  const { numDeletedRows } = await db
    .deleteFrom("template_drafts")
    .where("template_id", "=", templateId)
    .where("locale", "=", locale)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
