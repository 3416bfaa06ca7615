import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";
import { TEXT_COLUMNS, type TemplateText, textColumns } from "./template-rows.ts";
import type { TemplateSettings, TemplateSettingsInput } from "./template-settings.ts";

/** The variant under which a version is published. `sourceVersion` is set for a translation. */
interface VariantToPublish {
  tenantId: string;
  templateId: string;
  locale: string;
  sourceVersion: number | null;
}

/** Publishes a new version of a variant, puts it in force, and returns its number. The template must be locked. */
export async function insertVersion(
  db: Database,
  variant: VariantToPublish,
  version: TemplateText & { compiled: object; createdBy: string | null },
): Promise<number> {
  const { templateId, locale } = variant;
  const made = await db
    .insertInto("template_versions")
    .values({
      template_id: templateId,
      version: sql<number>`(select coalesce(max(version), 0) + 1 from template_versions where template_id = ${templateId})`,
      locale,
      ...textColumns(version),
      compiled: JSON.stringify(version.compiled),
      created_by: version.createdBy,
    })
    .returning(["id", "version"])
    .executeTakeFirstOrThrow();
  await putInForce(db, variant, made.id);
  return made.version;
}

/** SQL: whether the text of a version reads the attributes of the user. */
const READS_USER = sql`jsonb_path_exists(v.compiled, '$.variables[*] ? (@ == "user" || @ starts with "user.")')`;

/** Puts a version of the template in force. The template must be locked. */
export async function putInForce(db: Database, variant: VariantToPublish, versionId: string) {
  const { tenantId, templateId, locale, sourceVersion } = variant;
  const inForce = { current_version_id: versionId, source_version: sourceVersion };
  await db
    .insertInto("template_variants")
    .values({ template_id: templateId, locale, ...inForce })
    .onConflict((conflict) => conflict.columns(["template_id", "locale"]).doUpdateSet(inForce))
    .execute();
  await db
    .updateTable("templates")
    .set({
      updated_at: sql<Date>`now()`,
      // It stays true, because messages of earlier versions may still wait.
      reads_user: sql<boolean>`reads_user or
        (select ${READS_USER} from template_versions v where v.id = ${versionId})`,
    })
    .where("id", "=", templateId)
    .where("tenant_id", "=", tenantId)
    .execute();
}

/** Stores the version of the default variant with which a translation was compared. */
export async function setSourceVersion(
  db: Database,
  templateId: string,
  locale: string,
  sourceVersion: number,
): Promise<void> {
  await db
    .updateTable("template_variants")
    .set({ source_version: sourceVersion })
    .where("template_id", "=", templateId)
    .where("locale", "=", locale)
    .execute();
}

/** Keeps translations up to date after the default variant was compiled again from the same text. */
export async function moveSourceVersions(
  db: Database,
  templateId: string,
  from: number,
  to: number,
): Promise<void> {
  await db
    .updateTable("template_variants")
    .set({ source_version: to })
    .where("template_id", "=", templateId)
    .where("source_version", "=", from)
    .execute();
}

/** Removes a variant. Its versions stay, because messages were sent with them. */
export async function deleteVariant(db: Database, templateId: string, locale: string) {
  await db
    .deleteFrom("template_variants")
    .where("template_id", "=", templateId)
    .where("locale", "=", locale)
    .execute();
}

/** A language of a template, with the version in force and whether there is a draft. */
export interface LocaleRow {
  templateId: string;
  /** Empty: the default variant. */
  locale: string;
  /** 0 if there is only a draft. */
  version: number;
  /** Whether a newer text of the default variant was published since this translation was made from it. */
  outdated: boolean;
  draft: boolean;
}

/** Returns the languages of a tenant's templates or of one template, by template and locale. */
export async function localesOfTemplates(
  db: Database,
  of: { tenantId: string; templateId?: string },
): Promise<LocaleRow[]> {
  const one = of.templateId === undefined ? sql`` : sql`and t.id = ${of.templateId}`;
  const { rows } = await sql<LocaleRow>`
    select t.id as "templateId", each.locale, coalesce(v.version, 0) as version,
           coalesce(each.locale <> '' and l.source_version <> base.version, false) as outdated,
           d.template_id is not null as draft
    from templates t
    join lateral (
      select locale from template_variants where template_id = t.id
      union select locale from template_drafts where template_id = t.id
    ) each on true
    left join template_variants l on l.template_id = t.id and l.locale = each.locale
    left join template_versions v on v.id = l.current_version_id
    left join template_drafts d on d.template_id = t.id and d.locale = each.locale
    left join template_variants bl on bl.template_id = t.id and bl.locale = ''
    left join template_versions base on base.id = bl.current_version_id
    where t.tenant_id = ${of.tenantId} ${one}
    order by t.id, each.locale`.execute(db);
  return rows;
}

/** Returns the versions of a template in all its languages, newest first. */
export async function versionsOfTemplate(db: Database, templateId: string) {
  return await db
    .selectFrom("template_versions")
    .select(["version", "locale", "subject", "title", "format", "url", "actions"])
    .select(["created_by as createdBy", "created_at as createdAt"])
    .where("template_id", "=", templateId)
    .orderBy("version", "desc")
    .execute();
}

export async function templateVersion(db: Database, templateId: string, version: number) {
  return await db
    .selectFrom("template_versions")
    .select(["version", "locale", ...TEXT_COLUMNS])
    .select(["created_by as createdBy", "created_at as createdAt"])
    .where("template_id", "=", templateId)
    .where("version", "=", version)
    .executeTakeFirst();
}

interface DraftToSave extends TemplateText {
  settings: TemplateSettingsInput;
  basedOnVersion: number;
  sourceVersion: number | null;
  savedBy: string | null;
}

/** Finds a draft. `settings`: the settings that publishing applies, as given and not yet checked. */
export async function findDraft(db: Database, templateId: string, locale: string) {
  const row = await db
    .selectFrom("template_drafts")
    .select(["locale", ...TEXT_COLUMNS, "settings", "revision"])
    .select(["based_on_version as basedOnVersion", "source_version as sourceVersion"])
    .select(["saved_by as savedBy", "saved_at as savedAt"])
    .where("template_id", "=", templateId)
    .where("locale", "=", locale)
    .executeTakeFirst();
  return row && { ...row, settings: row.settings as Partial<TemplateSettings> };
}

/** Stores a draft under a new revision. The template must be locked. */
export async function upsertDraft(
  db: Database,
  templateId: string,
  locale: string,
  draft: DraftToSave,
): Promise<void> {
  const columns = {
    ...textColumns(draft),
    settings: JSON.stringify(draft.settings),
    based_on_version: draft.basedOnVersion,
    source_version: draft.sourceVersion,
    saved_by: draft.savedBy,
  };
  await db
    .insertInto("template_drafts")
    .values({ template_id: templateId, locale, ...columns })
    .onConflict((conflict) =>
      conflict.columns(["template_id", "locale"]).doUpdateSet({
        ...columns,
        revision: sql`default`,
        saved_at: sql<Date>`now()`,
      } as never),
    )
    .execute();
}

/** Deletes a draft, if there is one. */
export async function deleteDraft(db: Database, templateId: string, locale: string) {
  await db
    .deleteFrom("template_drafts")
    .where("template_id", "=", templateId)
    .where("locale", "=", locale)
    .execute();
}
