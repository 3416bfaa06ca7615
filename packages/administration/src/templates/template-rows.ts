import type { Channel } from "@belfry/contracts/channels";
import type { Database } from "@belfry/database/connection";
import { type SqlBool, sql } from "kysely";
import { uuidv7 } from "uuidv7";

/** Queries of administration on `templates` and `template_versions`. */

export interface TemplateKey {
  /** `platform` for the `global.*` templates. */
  tenantId: string;
  eventType: string;
  channel: Channel;
}

export interface TemplateContent {
  content: string;
  subject: string | null;
  title: string | null;
  targetChannel: string | null;
  sensitive: boolean;
  /** Default false. */
  atMostOnce?: boolean;
  expiresAfterSeconds?: number | null;
  /** JSON text. */
  sampleVariables?: string | null;
  /** CompiledTemplate of @belfry/templates. */
  compiled: object;
  createdBy: string | null;
}

/** A template with its current version. */
export interface TemplateRow extends TemplateKey {
  id: string;
  active: boolean;
  versionId: string;
  version: number;
  content: string;
  subject: string | null;
  title: string | null;
  targetChannel: string | null;
  sensitive: boolean;
  atMostOnce: boolean;
  expiresAfterSeconds: number | null;
  /** JSON text. */
  sampleVariables: string | null;
  createdBy: string | null;
  compiled: unknown;
  createdAt: Date;
  updatedAt: Date;
}

export interface TemplateVersionRow {
  version: number;
  content: string;
  subject: string | null;
  title: string | null;
  targetChannel: string | null;
  sensitive: boolean;
  atMostOnce: boolean;
  expiresAfterSeconds: number | null;
  sampleVariables: string | null;
  createdBy: string | null;
  createdAt: Date;
}

/**
 * Makes or changes the template of this key with a new version that becomes the current one; returns
 * the template's id. Call in a transaction: two saves of one template come one after the other.
 */
export async function saveTemplate(
  db: Database,
  key: TemplateKey,
  content: TemplateContent,
  active: boolean,
): Promise<string> {
  const { id } = await db
    .insertInto("templates")
    .values({
      id: uuidv7(),
      tenant_id: key.tenantId,
      event_type: key.eventType,
      channel: key.channel,
      active,
    })
    .onConflict((conflict) =>
      conflict
        .columns(["tenant_id", "event_type", "channel"])
        .doUpdateSet({ active, updated_at: sql<Date>`now()` }),
    )
    .returning("id")
    .executeTakeFirstOrThrow();
  const version = await db
    .insertInto("template_versions")
    .values({
      template_id: id,
      version: sql<number>`(select coalesce(max(version), 0) + 1 from template_versions where template_id = ${id})`,
      content: content.content,
      subject: content.subject,
      title: content.title,
      target_channel: content.targetChannel,
      sensitive: content.sensitive,
      at_most_once: content.atMostOnce ?? false,
      expires_after_seconds: content.expiresAfterSeconds ?? null,
      sample_variables: content.sampleVariables ?? null,
      compiled: JSON.stringify(content.compiled),
      created_by: content.createdBy,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  await db
    .updateTable("templates")
    .set({ current_version_id: version.id })
    .where("id", "=", id)
    .where("tenant_id", "=", key.tenantId)
    .execute();
  return id;
}

/** A tenant's templates (or the platform's), by event type and channel, without their content. */
export async function templatesOfTenant(
  db: Database,
  tenantId: string,
): Promise<Omit<TemplateRow, "content">[]> {
  return await selectTemplates(db)
    .where("t.tenant_id", "=", tenantId)
    .orderBy("t.event_type")
    .orderBy("t.channel")
    .execute();
}

/** One template with its content, by its id or by its key; within one tenant if it is named. */
export async function findTemplate(
  db: Database,
  address: { id: string; tenantId?: string } | TemplateKey,
): Promise<TemplateRow | undefined> {
  return await selectTemplates(db)
    .select(["v.content", "v.compiled"])
    .where(matches(address))
    .executeTakeFirst();
}

/** Every change names the tenant too: one that was found by another's is none of its. */
type TemplateId = Pick<TemplateRow, "id" | "tenantId">;

export async function setTemplateActive(
  db: Database,
  { id, tenantId }: TemplateId,
  active: boolean,
): Promise<void> {
  await db
    .updateTable("templates")
    .set({ active, updated_at: sql<Date>`now()` })
    .where("id", "=", id)
    .where("tenant_id", "=", tenantId)
    .execute();
}

/** Its versions go with it. */
export async function deleteTemplateRow(db: Database, { id, tenantId }: TemplateId): Promise<void> {
  await db.deleteFrom("templates").where("id", "=", id).where("tenant_id", "=", tenantId).execute();
}

/**
 * The version that is current now; holds the template's row, so that no other save comes between.
 * undefined when there is no such template.
 */
export async function lockCurrentVersion(
  db: Database,
  key: TemplateKey,
): Promise<number | undefined> {
  const row = await db
    .selectFrom("templates as t")
    .innerJoin("template_versions as v", "v.id", "t.current_version_id")
    .select("v.version")
    .where("t.tenant_id", "=", key.tenantId)
    .where("t.event_type", "=", key.eventType)
    .where("t.channel", "=", key.channel)
    .forNoKeyUpdate("t")
    .executeTakeFirst();
  return row?.version;
}

/** The versions of a template, newest first. */
export async function versionsOfTemplate(
  db: Database,
  templateId: string,
): Promise<Omit<TemplateVersionRow, "content">[]> {
  return await selectVersions(db)
    .where("template_id", "=", templateId)
    .orderBy("version", "desc")
    .execute();
}

export async function templateVersion(
  db: Database,
  templateId: string,
  version: number,
): Promise<TemplateVersionRow | undefined> {
  return await selectVersions(db)
    .select("content")
    .where("template_id", "=", templateId)
    .where("version", "=", version)
    .executeTakeFirst();
}

function selectVersions(db: Database) {
  return db
    .selectFrom("template_versions")
    .select([
      "version",
      "subject",
      "title",
      "target_channel as targetChannel",
      "sensitive",
      "at_most_once as atMostOnce",
      "expires_after_seconds as expiresAfterSeconds",
      "sample_variables as sampleVariables",
      "created_by as createdBy",
      "created_at as createdAt",
    ]);
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

function selectTemplates(db: Database) {
  return db
    .selectFrom("templates as t")
    .innerJoin("template_versions as v", "v.id", "t.current_version_id")
    .select([
      "t.id",
      "t.tenant_id as tenantId",
      "t.event_type as eventType",
      "t.channel",
      "t.active",
      "v.id as versionId",
      "v.version",
      "v.subject",
      "v.title",
      "v.target_channel as targetChannel",
      "v.sensitive",
      "v.at_most_once as atMostOnce",
      "v.expires_after_seconds as expiresAfterSeconds",
      "v.sample_variables as sampleVariables",
      "v.created_by as createdBy",
      "v.compiled",
      "t.created_at as createdAt",
      "t.updated_at as updatedAt",
    ]);
}
