import { CHANNEL_ROWS } from "@belfry/contracts/channels";
import { PLATFORM, UUID } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import type { StoredAction } from "@belfry/database/schema";
import type { EmailFormat } from "@belfry/templates/email-format";
import { changeConfiguration } from "../change-configuration.ts";
import { NotFound } from "../input-error.ts";
import { tenantNotFound } from "../tenants/require-tenant.ts";
import { tenantById } from "../tenants/tenant-rows.ts";
import { deleteDraft } from "./draft-rows.ts";
import { holdOwner } from "./hold-owner.ts";
import {
  deleteTemplateRow,
  findTemplate,
  holdTemplate,
  type TemplateKey,
  type TemplateRow,
  type TemplateSettings,
  templatesOfTenant,
  updateTemplateRow,
} from "./template-rows.ts";
import { deleteVariant, type LocaleRow, localesOfTemplates } from "./variant-rows.ts";

/** A template with what is published of its default variant. Times are ISO 8601, UTC. */
export interface TemplateSummary
  extends TemplateKey,
    Omit<TemplateSettings, "targetChannel" | "requiredVariables"> {
  id: string;
  active: boolean;
  /** Counts what was published in all languages, from 1; 0: nothing is published. */
  version: number;
  /** Of a mail. */
  subject?: string | null;
  /** Of a mail: as it is set, or was found out; null: nothing is published. */
  format?: EmailFormat | null;
  /** Of a notification. */
  title?: string | null;
  /** Of a notification; null: it opens nothing. */
  url?: string | null;
  /** Of a notification. */
  actions?: StoredAction[];
  /** Of a notification; null: the personal channel. */
  targetChannel?: string | null;
  /** Without one of them the channel ends as failed. */
  requiredVariables: string[];
  /** Who saved what is published, if that is known. */
  savedBy: string | null;
  /** The variables that its text names. */
  variables: string[];
  /** Whether the default variant has a draft. */
  hasDraft: boolean;
  /** Its translations, by locale. */
  locales: Omit<LocaleRow, "templateId">[];
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

/** By event type and channel. Throws `NotFound` for an unknown tenant. */
export async function listTemplates(db: Database, tenantId: string): Promise<TemplateSummary[]> {
  await requireOwner(db, tenantId);
  const locales = Map.groupBy(await localesOfTemplates(db, { tenantId }), (row) => row.templateId);
  return (await templatesOfTenant(db, tenantId)).map((row) =>
    templateSummary(row, locales.get(row.id) ?? []),
  );
}

/**
 * With the text that is published in this language; version 0 and no text where there is a draft alone.
 * Throws `NotFound`.
 */
export async function showTemplate(
  db: Database,
  address: TemplateAddress,
  locale = "",
): Promise<Template> {
  const row = await requireTemplate(db, address, locale);
  const locales = await localesOfTemplates(db, { tenantId: row.tenantId, templateId: row.id });
  if (locale !== "" && !locales.some((one) => one.locale === locale)) {
    throw new NotFound("locale", `the template has nothing in ${JSON.stringify(locale)}`);
  }
  return { ...templateSummary(row, locales), content: row.content };
}

/** Inactive templates are ignored when an event is dispatched. Throws `NotFound`. */
export async function setTemplateActive(
  db: Database,
  address: TemplateAddress,
  active: boolean,
): Promise<Template> {
  return await changeConfiguration(db, async (transaction) => {
    const template = await requireTemplate(transaction, address);
    await updateTemplateRow(transaction, template, { active });
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

/**
 * Takes a translation out of force, with its draft: its recipients get the default variant. Its versions
 * stay, for what was sent with them. Throws `NotFound`.
 */
export async function deleteTranslation(
  db: Database,
  address: TemplateAddress,
  locale: string,
): Promise<Template> {
  if (locale === "") throw new Error("the default variant goes with its template");
  return await changeConfiguration(db, async (transaction) => {
    const { id, tenantId, eventType, channel } = await showTemplate(transaction, address, locale);
    // In the order in which publishing takes them: what is compiled anew now must not bring it back.
    await holdOwner(transaction, tenantId);
    await holdTemplate(transaction, { tenantId, eventType, channel });
    await deleteVariant(transaction, id, locale);
    await deleteDraft(transaction, id, locale);
    return await showTemplate(transaction, { id });
  });
}

/** With what is published in this language, if anything is. Throws `NotFound`. */
export async function requireTemplate(db: Database, address: TemplateAddress, locale = "") {
  if ("id" in address) {
    const row = UUID.test(address.id) ? await findTemplate(db, address, locale) : undefined;
    if (row === undefined) {
      throw new NotFound("id", `no template has the id ${JSON.stringify(address.id)}`);
    }
    return row;
  }
  const row = await findTemplate(db, address, locale);
  if (row !== undefined) return row;
  await requireOwner(db, address.tenantId);
  const { eventType, channel } = address;
  throw new NotFound("eventType", `no ${channel} template for ${JSON.stringify(eventType)}`);
}

export async function requireOwner(db: Database, tenantId: string): Promise<void> {
  if (tenantId === PLATFORM || (await tenantById(db, tenantId)) !== undefined) return;
  throw tenantNotFound(tenantId, "tenantId");
}

function templateSummary(row: TemplateRow, locales: readonly LocaleRow[]): TemplateSummary {
  const compiled = row.compiled as { variables?: string[]; format?: EmailFormat } | null;
  const { content } = CHANNEL_ROWS[row.channel];
  return {
    id: row.id,
    tenantId: row.tenantId,
    eventType: row.eventType,
    channel: row.channel,
    active: row.active,
    version: row.version,
    ...(content === "email"
      ? { subject: row.subject, format: row.format ?? compiled?.format ?? null }
      : {}),
    ...(content === "notification"
      ? {
          ...{ title: row.title, url: row.url, actions: row.actions ?? [] },
          targetChannel: row.targetChannel,
        }
      : {}),
    sensitive: row.sensitive,
    atMostOnce: row.atMostOnce,
    plainCharacters: row.plainCharacters,
    expiresAfterSeconds: row.expiresAfterSeconds,
    sampleVariables: row.sampleVariables,
    requiredVariables: row.requiredVariables ?? [],
    digest: row.digest,
    throttle: row.throttle,
    afterUnreadSeconds: row.afterUnreadSeconds,
    savedBy: row.createdBy,
    variables: compiled?.variables ?? [],
    hasDraft: locales.some(({ locale, draft }) => locale === "" && draft),
    locales: locales
      .filter(({ locale }) => locale !== "")
      .map(({ locale, version, outdated, draft }) => ({ locale, version, outdated, draft })),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
