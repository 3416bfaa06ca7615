import { CHANNEL_ROWS, type Channel } from "@belfry/contracts/channels";
import { PLATFORM, UUID } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import type { CompiledTemplate } from "@belfry/templates/compiled-template";
import { changeConfiguration } from "../change-configuration.ts";
import { Conflict, NotFound, refuseFaults } from "../input-error.ts";
import { lockTenant, tenantById } from "../tenants/tenant-rows.ts";
import { tenantNotFound } from "../tenants/tenants.ts";
import { compileSource } from "./compile-source.ts";
import { type TemplateInput, templateFaults, templateSource } from "./template-input.ts";
import {
  deleteTemplateRow,
  findTemplate,
  lockCurrentVersion,
  saveTemplate,
  setTemplateActive as setActive,
  type TemplateKey,
  type TemplateRow,
  templatesOfTenant,
} from "./template-rows.ts";

/** A template with its current version. Times are ISO 8601, UTC. */
export interface TemplateSummary {
  id: string;
  /** `platform` owns the `global.*` templates. */
  tenantId: string;
  eventType: string;
  channel: Channel;
  active: boolean;
  /** Counts the saves, from 1. */
  version: number;
  /** Of a mail. */
  subject?: string | null;
  /** Of a notification. */
  title?: string | null;
  /** Of a notification; null: the personal channel. */
  targetChannel?: string | null;
  sensitive: boolean;
  atMostOnce: boolean;
  expiresAfterSeconds: number | null;
  /** JSON text, for previews. */
  sampleVariables: string | null;
  /** Who saved the current version, if that is known. */
  savedBy: string | null;
  /** The variables that its text names. */
  variables: string[];
  createdAt: string;
  updatedAt: string;
}

export interface Template extends TemplateSummary {
  content: string;
}

/** By its id (within one tenant, if it is named), or by what it is for. */
export type TemplateAddress = { id: string; tenantId?: string } | TemplateKey;

export interface TemplateWarning {
  field: string;
  line: number;
  column: number;
  message: string;
}

/** A template that has been checked and compiled, and may be saved. */
export interface PreparedTemplate {
  input: TemplateInput;
  compiled: CompiledTemplate;
  warnings: TemplateWarning[];
}

/** `savePreparedTemplate` of what `prepareTemplate` makes. Throws as the two do. */
export async function putTemplate(
  db: Database,
  input: TemplateInput,
): Promise<Template & { warnings: TemplateWarning[] }> {
  return await savePreparedTemplate(db, await prepareTemplate(db, input));
}

/**
 * Checks and compiles. Compiling waits for its turn, so it is never done within a transaction, which
 * would hold a connection meanwhile. Throws `InvalidInput` with every fault and its place, `NotFound`.
 */
export async function prepareTemplate(
  db: Database,
  input: TemplateInput,
): Promise<PreparedTemplate> {
  if (db.isTransaction) throw new Error("a template is compiled before the transaction begins");
  refuseFaults(templateFaults(input));
  // Compiling takes its time and memory: not for a tenant that is not there.
  await requireOwner(db, input.tenantId);
  return { input, ...(await compileSource(templateSource(input), input.tenantId)) };
}

/**
 * Every save is a version, and becomes the current one; what is not said (target channel, sensitive) is
 * not kept from the version before. Throws `NotFound`, and `Conflict` when `basedOnVersion` is not the
 * current one.
 */
export async function savePreparedTemplate(
  db: Database,
  { input, compiled, warnings }: PreparedTemplate,
): Promise<Template & { warnings: TemplateWarning[] }> {
  const { tenantId, eventType, channel, content } = input;
  const id = await changeConfiguration(db, async (transaction) => {
    if (tenantId !== PLATFORM && !(await lockTenant(transaction, tenantId))) {
      throw tenantNotFound(tenantId, "tenantId");
    }
    const key = { tenantId, eventType, channel };
    if (input.basedOnVersion !== undefined) {
      const current = (await lockCurrentVersion(transaction, key)) ?? 0;
      if (current !== input.basedOnVersion) throw new Conflict(current);
    }
    return await saveTemplate(
      transaction,
      key,
      {
        content,
        subject: input.subject ?? null,
        title: input.title ?? null,
        targetChannel: input.targetChannel ?? null,
        sensitive: input.sensitive ?? false,
        atMostOnce: input.atMostOnce ?? false,
        expiresAfterSeconds: input.expiresAfterSeconds ?? null,
        sampleVariables: input.sampleVariables ?? null,
        compiled,
        createdBy: input.createdBy ?? null,
      },
      input.active ?? true,
    );
  });
  return { ...(await showTemplate(db, { id })), warnings };
}

/** By event type and channel. Throws `NotFound` for an unknown tenant. */
export async function listTemplates(db: Database, tenantId: string): Promise<TemplateSummary[]> {
  await requireOwner(db, tenantId);
  return (await templatesOfTenant(db, tenantId)).map(templateSummary);
}

/** Throws `NotFound`. */
export async function showTemplate(db: Database, address: TemplateAddress): Promise<Template> {
  const row = await requireTemplate(db, address);
  return { ...templateSummary(row), content: row.content };
}

/** Inactive templates are ignored when an event is dispatched. Throws `NotFound`. */
export async function setTemplateActive(
  db: Database,
  address: TemplateAddress,
  active: boolean,
): Promise<Template> {
  return await changeConfiguration(db, async (transaction) => {
    const template = await requireTemplate(transaction, address);
    await setActive(transaction, template, active);
    return await showTemplate(transaction, { id: template.id });
  });
}

/** Deletes all versions: what was sent with them can no longer be shown. Throws `NotFound`. */
export async function deleteTemplate(db: Database, address: TemplateAddress): Promise<Template> {
  return await changeConfiguration(db, async (transaction) => {
    const template = await showTemplate(transaction, address);
    await deleteTemplateRow(transaction, template);
    return template;
  });
}

/** Throws `NotFound`. */
export async function requireTemplate(
  db: Database,
  address: TemplateAddress,
): Promise<TemplateRow> {
  if ("id" in address) {
    const row = UUID.test(address.id) ? await findTemplate(db, address) : undefined;
    if (row === undefined) {
      throw new NotFound("id", `no template has the id ${JSON.stringify(address.id)}`);
    }
    return row;
  }
  const row = await findTemplate(db, address);
  if (row !== undefined) return row;
  await requireOwner(db, address.tenantId);
  const { eventType, channel } = address;
  throw new NotFound("eventType", `no ${channel} template for ${JSON.stringify(eventType)}`);
}

async function requireOwner(db: Database, tenantId: string): Promise<void> {
  if (tenantId === PLATFORM || (await tenantById(db, tenantId)) !== undefined) return;
  throw tenantNotFound(tenantId, "tenantId");
}

function templateSummary(row: Omit<TemplateRow, "content">): TemplateSummary {
  const compiled = row.compiled as { variables?: string[] };
  const { content } = CHANNEL_ROWS[row.channel];
  return {
    id: row.id,
    tenantId: row.tenantId,
    eventType: row.eventType,
    channel: row.channel,
    active: row.active,
    version: row.version,
    ...(content === "email" ? { subject: row.subject } : {}),
    ...(content === "notification" ? { title: row.title, targetChannel: row.targetChannel } : {}),
    sensitive: row.sensitive,
    atMostOnce: row.atMostOnce,
    expiresAfterSeconds: row.expiresAfterSeconds,
    sampleVariables: row.sampleVariables,
    savedBy: row.createdBy,
    variables: compiled.variables ?? [],
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
