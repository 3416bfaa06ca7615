import { isDeepStrictEqual } from "node:util";
import type { Database } from "@belfry/database/connection";
import type { CompiledTemplate } from "@belfry/templates/source";
import { type Static, Type } from "@sinclair/typebox";
import { defineAct, EDIT } from "../act.ts";
import { Conflict, invalid, refuseFaults, StaleCompilation } from "../input-error.ts";
import { compileInput } from "./compile-source.ts";
import { digestWarnings } from "./digest-gaps.ts";
import { type LayoutInForce, newestLayout } from "./layout-rows.ts";
import { authorOf, sensitiveCopiesFaults } from "./sensitive-copies.ts";
import { envelopeRuleFaults } from "./template-envelope.ts";
import {
  localeOf,
  PUT_FIELDS,
  type TemplateInput,
  templateFaults,
  writtenTexts,
} from "./template-input.ts";
import {
  findTemplate,
  holdTemplate,
  inputText,
  type TemplateRow,
  type TemplateText,
  textOf,
  updateTemplateRow,
} from "./template-rows.ts";
import {
  NOT_SET,
  SETTING_FIELDS,
  settingsAfter,
  settingsOf,
  type TemplateSettings,
} from "./template-settings.ts";
import { timingRuleFaults } from "./template-timing.ts";
import {
  ORDER,
  ORDER_TEMPLATE,
  readTemplate,
  recorded,
  requireOwner,
  Template,
  TemplateWarning,
  targetOf,
} from "./templates.ts";
import { deleteDraft, findDraft, insertVersion, setSourceVersion } from "./variant-rows.ts";

/** A template that has been checked and compiled, and may be saved. */
export interface PreparedTemplate {
  /** Its locale is canonical. */
  input: TemplateInput & { locale: string };
  text: TemplateText;
  compiled: CompiledTemplate;
  warnings: TemplateWarning[];
  /** Version of the layout for Markdown; 0: the platform's; null for any other format. */
  layoutVersion: number | null;
  /** The revision of the draft that is published. Saving deletes the draft. */
  draftRevision?: number;
  /** The settings that keep their values at the time of saving, whatever the input contains. */
  keeps?: "active" | "settings";
  /**
   * Set for an import: an unchanged translation keeps its source version, because nobody compared it with the current
   * default variant.
   */
  isUnchecked?: boolean;
}

export const SavedTemplate = Type.Object(
  { ...Template.properties, warnings: Type.Array(TemplateWarning) },
  { title: "SavedTemplate" },
);
export type SavedTemplate = Static<typeof SavedTemplate>;

export const putTemplate = defineAct({
  name: "template put",
  http: "PUT /templates/:eventType/:channel",
  access: EDIT,
  configures: true,
  inBundle: true,
  summary: "Check, compile and publish: live within 5 s; a new text is a new version",
  description:
    "Of --digest-…, --throttle and --after-unread-seconds what is left out stays; of --sensitive and the like a translation (--locale) changes what it names alone.",
  input: Type.Object({ ...PUT_FIELDS, ...SETTING_FIELDS }),
  output: SavedTemplate,
  example: {
    input: { ...ORDER, content: ORDER_TEMPLATE.content },
    output: { ...ORDER_TEMPLATE, warnings: [] },
  },
  prepare: ({ db, tenantId, actor, may }, input) =>
    prepareTemplate(db, { ...input, tenantId, ...authorOf({ actor, may }) }),
  run: ({ db }, _, prepared) => savePreparedTemplate(db, prepared),
  audit: savedNote("save"),
});

/** Returns the audit note of a published template. */
export function savedNote(verb: string) {
  return (
    input: { eventType: string; channel: string },
    { locale, before, after }: Awaited<ReturnType<typeof savePreparedTemplate>>,
  ) => ({ action: `template.${verb}`, target: targetOf({ ...input, locale }), before, after });
}

/**
 * Checks and compiles a template. Never call it in a transaction: compiling waits in a queue, and the transaction would
 * hold a connection meanwhile. Throws `InvalidInput` with every fault and its position, `NotFound`.
 */
export async function prepareTemplate(
  db: Database,
  input: TemplateInput,
  {
    sourceComes = false,
    layout,
  }: {
    /** The default variant of a translation will be saved before it. */
    sourceComes?: boolean;
    /** The layout for Markdown; default: the one in force. */
    layout?: LayoutInForce | undefined;
  } = {},
): Promise<PreparedTemplate> {
  if (db.isTransaction) throw new Error("a template is compiled before the transaction begins");
  refuseFaults(templateFaults(input));
  const { tenantId, eventType, channel } = input;
  // Checked first, because compiling for an unknown tenant would waste time and memory.
  await requireOwner(db, tenantId);
  const key = { tenantId, eventType, channel };
  const locale = localeOf(input);
  const source = await findTemplate(db, key);
  if (locale !== "" && !sourceComes) requireSource(source?.version ?? 0);
  const current = locale === "" ? source : await findTemplate(db, key, locale);
  // If no format is given, the variant keeps its own, and a new translation gets the default variant's.
  const kept = (current?.versionId != null ? current : source)?.format ?? undefined;
  const complete = { ...input, locale, format: input.format ?? kept };
  const text = inputText(complete);
  if (text.actions?.length === 0) text.actions = null;
  const wanted = settingsAfter(source ?? NOT_SET, input, locale);
  // Checked here for dry runs, and once more under the lock.
  await refuseSharing(db, input, source ?? NOT_SET, wanted);
  const compiled = await compileInput(db, tenantId, complete, layout);
  const { digest } = wanted;
  const texts = writtenTexts(input);
  const warnings = await digestWarnings(db, { tenantId, channel, digest, texts });
  return {
    input: complete,
    text,
    ...compiled,
    warnings: [...compiled.warnings, ...warnings],
  };
}

/**
 * Publishes a new version of the variant, or keeps the current one if its text is the same. The default variant
 * replaces settings for all languages: target channel, `sensitive` and similar ones get the default value if they are
 * left out. A translation changes only the settings that it names. Throws `NotFound`, `InvalidInput`, and `Conflict` if
 * `basedOnVersion` is not the current version, the draft has changed, or another layout was published. Call it in a
 * transaction that increments the configuration version.
 */
export async function savePreparedTemplate(db: Database, prepared: PreparedTemplate) {
  const { input, warnings } = prepared;
  const { tenantId, locale } = input;
  const { id, before, after } = await savePrepared(db, prepared);
  const template = await readTemplate(db, { id, tenantId }, locale);
  return { output: { ...template, warnings }, locale, before, after };
}

/** Compares a prepared template with the one in force. Another text or another setting is a change. */
export async function comparison(db: Database, { input, text, compiled, keeps }: PreparedTemplate) {
  const row = await findTemplate(db, input, input.locale);
  if (row === undefined || row.versionId === null) return "added";
  const now = settingsOf(row);
  const wanted = keeps === "settings" ? now : settingsAfter(now, input, input.locale);
  const isSet = isDeepStrictEqual(now, wanted);
  return isSet && isSame(row, text, compiled) ? "same" : "changed";
}

/**
 * Saves a template. Call it in a transaction that increments the configuration version. `isChanged`: the text is new or
 * a setting changed.
 */
export async function savePrepared(db: Database, prepared: PreparedTemplate) {
  const { input, layoutVersion, draftRevision } = prepared;
  const { tenantId, locale } = input;
  const held = await holdTemplate(db, input, locale);
  const { version } = held;
  if (input.basedOnVersion !== undefined && version !== input.basedOnVersion) {
    throw new Conflict(version);
  }
  if (layoutVersion !== null) {
    const layout = (await newestLayout(db, tenantId))?.version ?? 0;
    if (layout !== layoutVersion) {
      throw new StaleCompilation(layout, "another layout was published meanwhile: save once more");
    }
  }
  if (draftRevision !== undefined) await takeDraft(db, held.id, locale, draftRevision);
  const settings = await saveSettings(db, held, prepared);
  const before = version === 0 ? null : recorded(held);
  const saved = await saveText(db, held, prepared);
  const after = recorded({ ...settings, version: saved });
  const isSet = !isDeepStrictEqual(settingsOf(held), settingsOf(settings));
  return { id: held.id, before, after, isChanged: isSet || saved !== version };
}

async function takeDraft(db: Database, templateId: string, locale: string, revision: number) {
  const now = (await findDraft(db, templateId, locale))?.revision ?? 0;
  if (now !== revision) throw new Conflict(now, "the draft was changed meanwhile");
  await deleteDraft(db, templateId, locale);
}

/** Saves the text, and returns the version that is then in force. */
async function saveText(
  db: Database,
  held: TemplateRow,
  { input, text, compiled, isUnchecked = false }: PreparedTemplate,
): Promise<number> {
  const { id: templateId, tenantId } = held;
  const { locale } = input;
  let sourceVersion: number | null = null;
  if (locale !== "") {
    const source = (await findTemplate(db, { id: templateId, tenantId }))?.version ?? 0;
    requireSource(source);
    sourceVersion = Math.min(input.sourceVersion ?? source, source);
  }
  if (held.versionId !== null && isSame(held, text, compiled)) {
    if (sourceVersion !== null && sourceVersion !== held.sourceVersion && !isUnchecked) {
      await setSourceVersion(db, templateId, locale, sourceVersion);
    }
    return held.version;
  }
  const createdBy = input.createdBy ?? null;
  const variant = { tenantId, templateId, locale, sourceVersion };
  return await insertVersion(db, variant, { ...text, compiled, createdBy });
}

/**
 * Whether text and compiled form are the same. Another release or another layout changes the compiled form, so that a
 * new version is made.
 */
function isSame(current: TemplateRow, text: TemplateText, compiled: CompiledTemplate): boolean {
  return (
    isDeepStrictEqual(textOf(current), text) &&
    isDeepStrictEqual(current.compiled, JSON.parse(JSON.stringify(compiled)))
  );
}

/** Saves the settings, and returns those that are then in force. */
async function saveSettings(
  db: Database,
  held: TemplateRow,
  { input, text, compiled, keeps }: PreparedTemplate,
): Promise<TemplateSettings> {
  const now = settingsOf(held);
  const wanted = keeps === "settings" ? now : settingsAfter(now, input, input.locale);
  if (wanted.cc !== null || wanted.bcc !== null) {
    const texts = writtenTexts(text);
    refuseFaults(await envelopeRuleFaults(db, input, wanted, { texts, compiled }));
  }
  if (keeps === "settings") return now;
  if (keeps === "active") wanted.active = now.active;
  if (isDeepStrictEqual(now, wanted)) return now;
  refuseFaults(await timingRuleFaults(db, input, wanted));
  await refuseSharing(db, input, now, wanted);
  await updateTemplateRow(db, held, wanted);
  return wanted;
}

async function refuseSharing(
  db: Database,
  input: TemplateInput,
  now: TemplateSettings,
  wanted: TemplateSettings,
): Promise<void> {
  if (input.mayShareSensitive) return;
  refuseFaults(await sensitiveCopiesFaults(db, input, now, wanted));
}

function requireSource(version: number): void {
  if (version > 0) return;
  const message =
    "has no default variant to translate: publish the template without a locale first";
  throw invalid("locale", message);
}
