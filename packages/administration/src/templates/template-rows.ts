import { CHANNELS, type Channel } from "@belfry/contracts/channels";
import { PLATFORM } from "@belfry/contracts/identifiers";
import type { PushAction } from "@belfry/contracts/notification";
import type { Database } from "@belfry/database/connection";
import type { EmailFormat } from "@belfry/templates/source";
import { type SqlBool, sql } from "kysely";
import { uuidv7 } from "uuidv7";
import { holdTenant } from "../tenants/tenant-rows.ts";
import type { TemplateSourceInput } from "./template-input.ts";
import {
  SETTING_COLUMNS,
  settingColumns,
  type TemplateSettings,
  type TemplateSettingsInput,
} from "./template-settings.ts";

export interface TemplateKey {
  /** `platform` for the `global.*` templates. */
  tenantId: string;
  eventType: string;
  channel: Channel;
}

/** A template with the published text of one of its variants. */
export interface TemplateRow extends TemplateKey, TemplateSettings, TemplateText {
  id: string;
  /** null if nothing is published. */
  versionId: string | null;
  /** 0 if nothing is published. */
  version: number;
  createdBy: string | null;
  /** For a translation: the version of the default variant that it was made from. */
  sourceVersion: number | null;
  /** A `CompiledTemplate` of @belfry/templates; null if nothing is published. */
  compiled: unknown;
  createdAt: Date;
  updatedAt: Date;
}

/** Every change names the tenant too, so that it cannot reach a template of another tenant. */
type TemplateId = Pick<TemplateRow, "id" | "tenantId">;

/**
 * Locks a template and its owner until the transaction ends, so that saves run one after another. Creates the template
 * if there is none. Throws `NotFound` for an unknown tenant.
 */
export async function holdTemplate(
  db: Database,
  key: TemplateKey,
  locale = "",
): Promise<TemplateRow> {
  await holdOwner(db, key.tenantId);
  await db
    .insertInto("templates")
    .values({
      id: uuidv7(),
      tenant_id: key.tenantId,
      event_type: key.eventType,
      channel: key.channel,
    })
    .onConflict((conflict) =>
      conflict
        .columns(["tenant_id", "event_type", "channel"])
        // Changes nothing, but locks the row.
        .doUpdateSet({ updated_at: sql<Date>`templates.updated_at` }),
    )
    .execute();
  return (await findTemplate(db, key, locale))!;
}

/**
 * Updates the given columns. If `sensitive` is turned off, events that are accepted in the next 10 s stay hidden too,
 * because the services use the old setting for a few seconds.
 */
export async function updateTemplateRow(
  db: Database,
  { id, tenantId }: TemplateId,
  changes: TemplateSettingsInput,
): Promise<void> {
  const { sensitive, requiredVariables, fromName, replyTo, image, data, collapseKey } = changes;
  const written = [requiredVariables, fromName, replyTo, image, data, collapseKey];
  await db
    .updateTable("templates")
    .set({
      ...settingColumns(changes),
      // Kysely leaves out columns whose value is undefined.
      sensitive_until:
        sensitive === false
          ? sql<Date | null>`case when sensitive
              then clock_timestamp() + interval '10 seconds' else sensitive_until end`
          : sensitive && null,
      reads_user: /\buser\b/.test(JSON.stringify(written)) || undefined,
      updated_at: sql<Date>`now()`,
    })
    .where("id", "=", id)
    .where("tenant_id", "=", tenantId)
    .execute();
}

/**
 * Returns the templates of a tenant or the platform, by event type and channel, each with its default variant. The
 * compiled form is as large as the text, so only its `variables` and `format` are read.
 */
export async function templatesOfTenant(db: Database, tenantId: string): Promise<TemplateRow[]> {
  const rows = await selectTemplates(db, "")
    .select([
      sql<string>`''`.as("content"),
      sql<unknown>`case when v.id is not null then jsonb_build_object(
          'variables', v.compiled -> 'variables', 'format', v.compiled -> 'format') end`.as(
        "compiled",
      ),
    ])
    .where("t.tenant_id", "=", tenantId)
    .orderBy("t.event_type")
    .orderBy("t.channel")
    .execute();
  return rows.map(templateRow);
}

/** Returns all variants that a tenant or the platform has in force, by template, each default variant first. */
export async function publishedVariants(db: Database, tenantId: string) {
  return await db
    .selectFrom("templates as t")
    .innerJoin("template_variants as l", "l.template_id", "t.id")
    .innerJoin("template_versions as v", "v.id", "l.current_version_id")
    .select(["t.id", "t.event_type as eventType", "t.channel", "l.locale", ...SETTING_COLUMNS])
    .select(["v.content", "v.subject", "v.title", "v.format", "v.url", "v.actions"])
    .select(sql<EmailFormat | null>`v.compiled ->> 'format'`.as("compiledFormat"))
    .where("t.tenant_id", "=", tenantId)
    .orderBy("t.event_type")
    .orderBy("t.channel")
    .orderBy("l.locale")
    .execute();
}

/** Finds a template with one variant, by id or key; within one tenant only if `tenantId` is given. */
export async function findTemplate(
  db: Database,
  address: { id: string; tenantId?: string } | TemplateKey,
  locale = "",
): Promise<TemplateRow | undefined> {
  const row = await selectTemplates(db, locale)
    .select(["v.content", "v.compiled"])
    .where(matches(address))
    .executeTakeFirst();
  return row && templateRow(row);
}

/** Deletes a template with its versions, variants and drafts. */
export async function deleteTemplateRow(db: Database, { id, tenantId }: TemplateId): Promise<void> {
  await db.deleteFrom("templates").where("id", "=", id).where("tenant_id", "=", tenantId).execute();
}

function matches(address: { id: string; tenantId?: string } | TemplateKey) {
  if ("id" in address) {
    return address.tenantId === undefined
      ? sql<SqlBool>`t.id = ${address.id}`
      : sql<SqlBool>`t.id = ${address.id} and t.tenant_id = ${address.tenantId}`;
  }
  return sql<SqlBool>`t.tenant_id = ${address.tenantId} and t.event_type = ${address.eventType}
    and t.channel = ${address.channel}`;
}

/** Leaves out templates of channels that only a later version knows. */
function selectTemplates(db: Database, locale: string) {
  return db
    .selectFrom("templates as t")
    .leftJoin("template_variants as l", (join) =>
      join.onRef("l.template_id", "=", "t.id").on("l.locale", "=", locale),
    )
    .leftJoin("template_versions as v", "v.id", "l.current_version_id")
    .select([
      "t.id",
      "t.tenant_id as tenantId",
      "t.event_type as eventType",
      "t.channel",
      ...SETTING_COLUMNS,
      "v.id as versionId",
      "v.version",
      "v.subject",
      "v.title",
      "v.format",
      "v.url",
      "v.actions",
      "v.created_by as createdBy",
      "l.source_version as sourceVersion",
      "t.created_at as createdAt",
      "t.updated_at as updatedAt",
    ])
    .where("t.channel", "in", CHANNELS);
}

type SelectedTemplate = Awaited<
  ReturnType<ReturnType<typeof selectTemplates>["executeTakeFirstOrThrow"]>
> & { content: string | null; compiled: unknown };

function templateRow(row: SelectedTemplate): TemplateRow {
  return { ...row, version: row.version ?? 0, content: row.content ?? "" };
}

/** The texts of one variant of a template, in stored form. */
export interface TemplateText {
  content: string;
  /** Subject of a mail. */
  subject: string | null;
  /** Title of a notification. */
  title: string | null;
  /** Format of a mail; null if it is derived from the text. */
  format: EmailFormat | null;
  /** The address that a notification opens. */
  url: string | null;
  /** Buttons of a notification; null if there are none. */
  actions: PushAction[] | null;
}

/** The columns of `TemplateText`. */
export const TEXT_COLUMNS = ["content", "subject", "title", "format", "url", "actions"] as const;

export function textColumns(text: TemplateText) {
  const { actions } = text;
  return { ...textOf(text), actions: actions === null ? null : JSON.stringify(actions) };
}

/** Returns a row's texts without its other columns. */
export function textOf(row: TemplateText): TemplateText {
  return Object.fromEntries(TEXT_COLUMNS.map((name) => [name, row[name]])) as never;
}

/** Returns texts as an input, without absent ones. */
export function textInput(text: TemplateText): Omit<TemplateSourceInput, "channel"> {
  return Object.fromEntries(TEXT_COLUMNS.map((name) => [name, text[name] ?? undefined])) as never;
}

/** Converts an input to texts: the reverse of `textInput`. */
export function inputText(input: TemplateSourceInput): TemplateText {
  const text = Object.fromEntries(TEXT_COLUMNS.map((name) => [name, input[name] ?? null]));
  const actions = input.actions?.map(({ label, url }) => ({ label, url })) ?? null;
  return { ...text, actions } as TemplateText;
}

/**
 * Locks a tenant or the platform until the transaction ends, so that changes of its templates and its layout run one
 * after another, even if they lock rows in different orders. Throws `NotFound`.
 */
export async function holdOwner(db: Database, tenantId: string): Promise<void> {
  if (tenantId === PLATFORM) {
    // The platform has no row in `tenants`.
    await sql`select pg_advisory_xact_lock(hashtext('templates of the platform'))`.execute(db);
  } else await holdTenant(db, tenantId);
}
