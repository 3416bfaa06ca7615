import { CHANNEL_ROWS, CHANNELS, channelsWith } from "@belfry/contracts/channels";
import { locale, oneOf, orNull, time } from "@belfry/contracts/fields";
import { PLATFORM, UUID } from "@belfry/contracts/identifiers";
import { DEAD_LIST_LINKS } from "@belfry/contracts/message-links";
import type { Database } from "@belfry/database/connection";
import type { EmailFormat } from "@belfry/templates/source";
import { type Static, Type } from "@sinclair/typebox";
import { defineAct, defineRead, EDIT, LOOK, note, optional, PROVISION } from "../act.ts";
import { invalid, NotFound } from "../input-error.ts";
import { tenantById, tenantNotFound } from "../tenants/tenant-rows.ts";
import { ADDRESS, EMAIL_FORMATS, LOCALE, localeOf, TEXTS } from "./template-input.ts";
import {
  deleteTemplateRow,
  findTemplate,
  holdTemplate,
  type TemplateKey,
  type TemplateRow,
  templatesOfTenant,
  updateTemplateRow,
} from "./template-rows.ts";
import { NOT_SET, SET, settingsOf, type TemplateSettings } from "./template-settings.ts";
import { deleteDraft, deleteVariant, type LocaleRow, localesOfTemplates } from "./variant-rows.ts";

const summary = {
  ...SET,
  id: Type.String(),
  tenantId: Type.String({ description: `${PLATFORM} for what begins with global.` }),
  eventType: Type.String(),
  channel: ADDRESS.channel,
  version: Type.Integer({
    description: "Counts what was published in all languages, from 1; 0: nothing is published",
  }),
  subject: optional(orNull(Type.String()), "Subject of a mail"),
  format: optional(
    orNull(oneOf(EMAIL_FORMATS)),
    "Format of a mail: the set one, or the derived one",
  ),
  title: optional(orNull(Type.String()), "Title of a notification"),
  url: optional(orNull(Type.String()), "The address that a notification opens"),
  actions: TEXTS.actions,
  targetChannel: optional(
    orNull(Type.String()),
    "Realtime channel of a notification; null: the personal channel",
  ),
  requiredVariables: Type.Array(Type.String()),
  savedBy: orNull(
    Type.String({ description: "The person who saved the published version, if known" }),
  ),
  variables: Type.Array(Type.String(), { description: "Variables that its text names" }),
  hasDraft: Type.Boolean({ description: "Whether the default variant has a draft" }),
  locales: Type.Array(
    Type.Object({
      locale: Type.String(),
      version: Type.Integer({ description: "0: there is only a draft" }),
      outdated: Type.Boolean({
        description: "The default variant was published again after this one was made from it",
      }),
      draft: Type.Boolean(),
    }),
    { description: "Its translations" },
  ),
  createdAt: time("When it was created"),
  updatedAt: time("When it was last published"),
};
/** A template with the published texts of its default variant, without the content. */
export const TemplateSummary = Type.Object(summary, { title: "TemplateSummary" });
export type TemplateSummary = Static<typeof TemplateSummary>;

export const Template = Type.Object(
  { ...summary, content: Type.String() },
  {
    title: "Template",
    description: "Has the text that is published in the language; no text if nothing is published",
  },
);
export type Template = Static<typeof Template>;

const [SHORT = CHANNELS[0]] = channelsWith("text");
export const ORDER = { eventType: "order.confirmed", channel: SHORT };
const ORDER_SUMMARY: TemplateSummary = {
  ...NOT_SET,
  ...ORDER,
  id: "0198f3a1-7c2e-7b1d-9a54-2f3d4c5b6a79",
  tenantId: "acme",
  version: 1,
  requiredVariables: [],
  savedBy: "ann@example.com",
  variables: ["id"],
  hasDraft: false,
  locales: [],
  createdAt: "2026-11-20T09:00:00.000Z",
  updatedAt: "2026-11-20T09:00:00.000Z",
};
export const ORDER_TEMPLATE: Template = { ...ORDER_SUMMARY, content: "Order {{ id }}" };

/** Identifies a template by id (within one tenant, if given), or by event type and channel. */
export type TemplateAddress = { id: string; tenantId?: string } | TemplateKey;

export const TemplateWarning = Type.Object({
  field: Type.String(),
  line: Type.Integer(),
  column: Type.Integer(),
  message: Type.String(),
});
export type TemplateWarning = Static<typeof TemplateWarning>;

/** Returns templates by event type and channel. Throws `NotFound` for an unknown tenant. */
export async function readTemplates(db: Database, tenantId: string): Promise<TemplateSummary[]> {
  await requireOwner(db, tenantId);
  const locales = Map.groupBy(await localesOfTemplates(db, { tenantId }), (row) => row.templateId);
  return (await templatesOfTenant(db, tenantId)).map((row) =>
    templateSummary(row, locales.get(row.id) ?? []),
  );
}

/**
 * Returns a template with the text that is published in a language; with version 0 and no text if there is only a
 * draft. Throws `NotFound`.
 */
export async function readTemplate(
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

export const listTemplates = defineRead({
  name: "template list",
  http: "GET /templates",
  access: LOOK,
  tool: true,
  summary: "A tenant's templates, or the platform's",
  input: Type.Object({}),
  output: Type.Array(TemplateSummary),
  example: { input: {}, output: [ORDER_SUMMARY] },
  run: ({ db, tenantId }) => readTemplates(db, tenantId),
});

export const showTemplate = defineRead({
  name: "template show",
  http: "GET /templates/:eventType/:channel",
  access: LOOK,
  tool: true,
  summary: "One template with what is published of it, by its id or by the three flags",
  input: Type.Object({ ...ADDRESS, ...LOCALE }),
  output: Template,
  example: { input: ORDER, output: ORDER_TEMPLATE },
  run: ({ db, tenantId }, input) => readTemplate(db, { ...input, tenantId }, localeOf(input)),
});

export const activateTemplate = switching("activate", true, "Use it for events from now on");
export const deactivateTemplate = switching(
  "deactivate",
  false,
  "Ignore it when events are dispatched",
);

function switching(verb: "activate" | "deactivate", active: boolean, summary: string) {
  return defineAct({
    name: `template ${verb}`,
    http: `POST /templates/:eventType/:channel/${verb}`,
    access: EDIT,
    configures: true,
    inBundle: true,
    summary,
    input: Type.Object(ADDRESS),
    output: Template,
    example: { input: ORDER, output: { ...ORDER_TEMPLATE, active } },
    async run({ db, tenantId }, input) {
      const before = await requireTemplate(db, { ...input, tenantId });
      await updateTemplateRow(db, before, { active });
      return { output: await readTemplate(db, { id: before.id, tenantId }), before };
    },
    audit: (input, { before }) => ({
      action: `template.${verb}`,
      target: targetOf(input),
      before: { active: before.active },
      after: { active },
    }),
  });
}

export const deleteTemplate = defineAct({
  name: "template delete",
  http: "DELETE /templates/:eventType/:channel",
  access: EDIT,
  configures: true,
  inBundle: true,
  summary: "Delete a template with all its versions; prints the deleted template",
  description:
    "What was sent with them can no longer be shown. Of a translation the versions stay, and its recipients get the default variant.",
  input: Type.Object({
    ...ADDRESS,
    locale: optional(locale({}), "only this translation: its recipients get the default"),
  }),
  output: Template,
  example: { input: ORDER, output: ORDER_TEMPLATE },
  async run({ db, tenantId, may }, input) {
    const language = localeOf(input);
    const address = { ...input, tenantId };
    const template = await readTemplate(db, address, language);
    // A new template in its place would not be sensitive, so people could read the content of later events.
    if (template.sensitive && language === "" && !may(PROVISION)) {
      throw invalid(
        "eventType",
        "has a sensitive template: only an owner or a key of the role provision can delete it",
      );
    }
    const before = recorded(await requireTemplate(db, address, language));
    if (language === "") {
      await deleteTemplateRow(db, template);
      return { output: template, before };
    }
    // Locks in the same order as publishing. Otherwise a layout that is published now could put the variant in force
    // again.
    await holdTemplate(db, address);
    await deleteVariant(db, template.id, language);
    await deleteDraft(db, template.id, language);
    return { output: await readTemplate(db, address), before };
  },
  audit: (input, { before }) =>
    note(
      input.locale === undefined ? "template.delete" : "template.remove-language",
      targetOf(input),
      { before },
    ),
});

/** Returns the target of an entry in the audit log. */
export function targetOf(input: { eventType: string; channel: string; locale?: string }): string {
  return [input.eventType, input.channel, localeOf(input)].filter(Boolean).join(" ");
}

/**
 * Returns a template for the audit log. The version identifies the text. Sample variables are left out, because they
 * may contain personal data.
 */
export function recorded({ version, ...row }: TemplateSettings & { version: number }): object {
  const { sampleVariables: _, ...settings } = settingsOf(row);
  return { version, ...settings };
}

/** Finds a template with the text that is published in a language, if any. Throws `NotFound`. */
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
  const { targetChannel, requiredVariables, ...settings } = settingsOf(row);
  return {
    id: row.id,
    tenantId: row.tenantId,
    eventType: row.eventType,
    channel: row.channel,
    version: row.version,
    ...(content === "email"
      ? {
          subject: row.subject,
          format: row.format ?? compiled?.format ?? null,
        }
      : {}),
    ...(content === "chat" ? { url: row.url } : {}),
    ...(content === "notification"
      ? {
          title: row.title,
          url: row.url,
          actions: row.actions ?? [],
          targetChannel,
        }
      : {}),
    ...settings,
    requiredVariables: requiredVariables ?? [],
    savedBy: row.createdBy,
    // Leaves out the layout's links, which Belfry sets and not the event.
    variables: (compiled?.variables ?? []).filter((name) => !Object.hasOwn(DEAD_LIST_LINKS, name)),
    hasDraft: locales.some(({ locale, draft }) => locale === "" && draft),
    locales: locales
      .filter(({ locale }) => locale !== "")
      .map(({ locale, version, outdated, draft }) => ({ locale, version, outdated, draft })),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
