import type { Channel } from "@belfry/contracts/channels";
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

/** Queries of administration on `templates`: what is set of an event type on a channel, for all languages. */

export interface TemplateKey {
  /** `platform` for the `global.*` templates. */
  tenantId: string;
  eventType: string;
  channel: Channel;
}

/** A template with what is published of one of its variants. */
export interface TemplateRow extends TemplateKey, TemplateSettings, TemplateText {
  id: string;
  /** null: nothing is published. */
  versionId: string | null;
  /** 0: nothing is published. */
  version: number;
  createdBy: string | null;
  /** CompiledTemplate of @belfry/templates; null: nothing is published. */
  compiled: unknown;
  createdAt: Date;
  updatedAt: Date;
}

/** Every change names the tenant too: one that was found by another's is none of its. */
type TemplateId = Pick<TemplateRow, "id" | "tenantId">;

/** A template's settings as they are, held until the transaction ends. */
export interface HeldTemplate extends TemplateSettings {
  id: string;
}

/** Makes the template of this key, if there is none, and holds it: two saves come one after the other. */
export async function holdTemplate(db: Database, key: TemplateKey): Promise<HeldTemplate> {
  const { id } = await db
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
        // Changes nothing, and holds the row.
        .doUpdateSet({ updated_at: sql<Date>`templates.updated_at` }),
    )
    .returning("id")
    .executeTakeFirstOrThrow();
  return await db
    .selectFrom("templates as t")
    .select(["t.id", ...SETTING_COLUMNS])
    .where("t.id", "=", id)
    .executeTakeFirstOrThrow();
}

/**
 * Updates the given columns. Events that were accepted while the template was sensitive stay hidden after it no longer is,
 * because the services use the old setting for a few seconds.
 */
export async function updateTemplateRow(
  db: Database,
  { id, tenantId }: TemplateId,
  changes: TemplateSettingsInput,
): Promise<void> {
  const { sensitive } = changes;
  await db
    .updateTable("templates")
    .set({
      ...settingColumns(changes),
      // Kysely leaves out what is undefined.
      sensitive_until:
        sensitive === false
          ? sql<Date | null>`case when sensitive
              then clock_timestamp() + interval '10 seconds' else sensitive_until end`
          : sensitive && null,
      updated_at: sql<Date>`now()`,
    })
    .where("id", "=", id)
    .where("tenant_id", "=", tenantId)
    .execute();
}

/**
 * A tenant's templates (or the platform's), by event type and channel, each with its default variant. What
 * that is compiled to is as large as its text: of it are read `variables` and `format` alone.
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

/** All that a tenant (or the platform) has in force, by template, each with its default variant first. */
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

/** One template with a variant, by its id or by its key; within one tenant if it is named. */
export async function findTemplate(
  db: Database,
  address: { id: string; tenantId?: string } | TemplateKey,
  locale = "",
): Promise<TemplateRow | undefined> {
  const row = await selectTemplates(db, locale)
    .select(["v.content", "v.compiled"])
    .where(matches(address))
    .executeTakeFirst();
  return row === undefined ? undefined : templateRow(row);
}

/** Its versions, variants and drafts go with it. */
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
      "t.created_at as createdAt",
      "t.updated_at as updatedAt",
    ]);
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
  /** Format of a mail; null: derived from the text. */
  format: EmailFormat | null;
  /** The address that a notification opens. */
  url: string | null;
  /** Buttons of a notification; null: none. */
  actions: PushAction[] | null;
}

/** Its columns. */
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

/** The other way round. */
export function inputText(input: TemplateSourceInput): TemplateText {
  const text = Object.fromEntries(TEXT_COLUMNS.map((name) => [name, input[name] ?? null]));
  const actions = input.actions?.map(({ label, url }) => ({ label, url })) ?? null;
  return { ...text, actions } as TemplateText;
}

/**
 * Holds a tenant (or the platform) until the transaction ends, so that changes of its templates and its
 * layout come one after the other, in whatever order each takes its rows. Throws `NotFound`.
 */
export async function holdOwner(db: Database, tenantId: string): Promise<void> {
  if (tenantId === PLATFORM) {
    // It has no row among the tenants.
    await sql`select pg_advisory_xact_lock(hashtext('templates of the platform'))`.execute(db);
  } else await holdTenant(db, tenantId);
}
