import { isDeepStrictEqual } from "node:util";
import type { Database } from "@belfry/database/connection";
import type { CompiledTemplate } from "@belfry/templates/compiled-template";
import { changeConfiguration } from "../change-configuration.ts";
import {
  Conflict,
  invalid,
  PreparedTooEarly,
  preparedAndSaved,
  refuseFaults,
} from "../input-error.ts";
import { compileInput } from "./compile-source.ts";
import { deleteDraft, findDraft } from "./draft-rows.ts";
import { holdOwner } from "./hold-owner.ts";
import type { LayoutInForce } from "./layout-in-force.ts";
import { newestLayout } from "./layout-rows.ts";
import { localeOf, type TemplateInput, templateFaults } from "./template-input.ts";
import {
  findTemplate,
  type HeldTemplate,
  holdTemplate,
  type TemplateSettings,
  updateTemplateRow,
} from "./template-rows.ts";
import { inputText, type TemplateText, textOf } from "./template-text.ts";
import { requireOwner, showTemplate, type Template, type TemplateWarning } from "./templates.ts";
import { normalDigest } from "./timing-input.ts";
import { digestWarnings, timingRuleFaults } from "./timing-rules.ts";
import { findVariant, insertVersion, setSourceVersion, type VariantRow } from "./variant-rows.ts";

/** A template that has been checked and compiled, and may be saved. */
export interface PreparedTemplate {
  /** Its locale is canonical. */
  input: TemplateInput & { locale: string };
  text: TemplateText;
  compiled: CompiledTemplate;
  warnings: TemplateWarning[];
  /** Of the layout that Markdown was set in, 0: the platform's; of anything else null. */
  layoutVersion: number | null;
  /** The draft that it publishes: it goes when this is saved. */
  draftRevision?: number;
  /** What stays as it is by the time this is saved, whatever the input says of it. */
  keeps?: "active" | "settings";
  /** A translation with the same text was not held against the default variant of now. */
  isUnchecked?: boolean;
}

export type SavedTemplate = Template & { warnings: TemplateWarning[] };

/** `savePreparedTemplate` of what `prepareTemplate` makes. Throws as the two do. */
export async function putTemplate(db: Database, input: TemplateInput): Promise<SavedTemplate> {
  return await preparedAndSaved(
    () => prepareTemplate(db, input),
    (prepared) => savePreparedTemplate(db, prepared),
  );
}

/**
 * Checks and compiles. Compiling waits for its turn, so it is never done within a transaction, which
 * would hold a connection meanwhile. Throws `InvalidInput` with every fault and its place, `NotFound`.
 */
export async function prepareTemplate(
  db: Database,
  input: TemplateInput,
  {
    sourceComes = false,
    layout,
  }: {
    /** The default variant that a translation is of will be saved before it. */
    sourceComes?: boolean;
    /** In which Markdown is set; default: the one in force. */
    layout?: LayoutInForce | undefined;
  } = {},
): Promise<PreparedTemplate> {
  if (db.isTransaction) throw new Error("a template is compiled before the transaction begins");
  refuseFaults(templateFaults(input));
  const { tenantId, eventType, channel } = input;
  // Compiling takes its time and memory: not for a tenant that is not there.
  await requireOwner(db, tenantId);
  const key = { tenantId, eventType, channel };
  const locale = localeOf(input);
  const source = await findTemplate(db, key);
  if (locale !== "" && !sourceComes) requireSource(source?.version ?? 0);
  const current = locale === "" ? source : await findTemplate(db, key, locale);
  // What the variant is written in stays, and a new translation begins in that of the default.
  const kept = (current?.versionId != null ? current : source)?.format ?? undefined;
  const complete = { ...input, locale, format: input.format ?? kept };
  const text = inputText(complete);
  if (text.actions?.length === 0) text.actions = null;
  const compiled = await compileInput(db, tenantId, complete, layout);
  const warnings = await digestWarnings(db, tenantId, input.digest);
  return {
    input: complete,
    text,
    ...compiled,
    warnings: [...compiled.warnings, ...warnings],
  };
}

/**
 * Publishes it: a new version of its variant, in force from now on, or the one that is there where its
 * text is the same. What is set for all languages is set as the default variant says it (target channel,
 * sensitive and the like are not kept from before), and by a translation only where it names it. Throws
 * `NotFound`, `InvalidInput`, and `Conflict` when `basedOnVersion` is not the current one, the draft has
 * changed, or another layout was put in force.
 */
export async function savePreparedTemplate(
  db: Database,
  prepared: PreparedTemplate,
): Promise<SavedTemplate> {
  const { input, warnings } = prepared;
  const { id } = await changeConfiguration(db, (open) => savePrepared(open, prepared));
  return { ...(await showTemplate(db, { id }, input.locale)), warnings };
}

/** Within a transaction that bumps the configuration's version. `isChanged`: its text is new, or what is set. */
export async function savePrepared(db: Database, prepared: PreparedTemplate) {
  const { input, layoutVersion, draftRevision } = prepared;
  const { tenantId, eventType, channel, locale } = input;
  await holdOwner(db, tenantId);
  const held = await holdTemplate(db, { tenantId, eventType, channel });
  const current = await findVariant(db, held.id, locale);
  const version = current?.version ?? 0;
  if (input.basedOnVersion !== undefined && version !== input.basedOnVersion) {
    throw new Conflict(version);
  }
  if (layoutVersion !== null) {
    const layout = (await newestLayout(db, tenantId))?.version ?? 0;
    if (layout !== layoutVersion) {
      throw new PreparedTooEarly(layout, "another layout was published meanwhile: save once more");
    }
  }
  if (draftRevision !== undefined) await takeDraft(db, held.id, locale, draftRevision);
  const isSet = await saveSettings(db, held, prepared);
  const isNew = await saveText(db, held.id, prepared, current);
  return { id: held.id, isChanged: isSet || isNew };
}

async function takeDraft(db: Database, templateId: string, locale: string, revision: number) {
  const now = (await findDraft(db, templateId, locale))?.revision ?? 0;
  if (now !== revision) throw new Conflict(now, "the draft was changed meanwhile");
  await deleteDraft(db, templateId, locale);
}

/** Whether it made a version. */
async function saveText(
  db: Database,
  templateId: string,
  { input, text, compiled, isUnchecked = false }: PreparedTemplate,
  current: VariantRow | undefined,
): Promise<boolean> {
  const { locale } = input;
  let sourceVersion: number | null = null;
  if (locale !== "") {
    const source = (await findVariant(db, templateId, ""))?.version ?? 0;
    requireSource(source);
    sourceVersion = Math.min(input.sourceVersion ?? source, source);
  }
  if (current !== undefined && isSame(current, text, compiled)) {
    if (sourceVersion !== null && sourceVersion !== current.sourceVersion && !isUnchecked) {
      await setSourceVersion(db, templateId, locale, sourceVersion);
    }
    return false;
  }
  const createdBy = input.createdBy ?? null;
  const variant = { tenantId: input.tenantId, templateId, locale, sourceVersion };
  await insertVersion(db, variant, { ...text, compiled, createdBy });
  return true;
}

/** Compiled by another release, or in another layout, the same text is another version. */
function isSame(current: VariantRow, text: TemplateText, compiled: CompiledTemplate): boolean {
  return (
    isDeepStrictEqual(textOf(current), text) &&
    isDeepStrictEqual(current.compiled, JSON.parse(JSON.stringify(compiled)))
  );
}

/** Whether it changed any. */
async function saveSettings(
  db: Database,
  { id, ...now }: HeldTemplate,
  { input, keeps }: PreparedTemplate,
): Promise<boolean> {
  if (keeps === "settings") return false;
  const wanted = settingsOf(now, input);
  if (keeps === "active") wanted.active = now.active;
  const { tenantId, eventType, channel } = input;
  if (isDeepStrictEqual(now, wanted)) return false;
  refuseFaults(await timingRuleFaults(db, { tenantId, eventType, channel }, wanted));
  await updateTemplateRow(db, { id, tenantId }, wanted);
  return true;
}

/** What the template is set to when this is saved. */
export function settingsOf(
  now: TemplateSettings & { active: boolean },
  input: TemplateInput,
): TemplateSettings & { active: boolean } {
  const isDefault = localeOf(input) === "";
  const set = <T>(given: T | undefined, before: T, reset: T): T =>
    given ?? (isDefault ? reset : before);
  return {
    active: set(input.active, now.active, true),
    targetChannel: set<string | null>(input.targetChannel, now.targetChannel, null),
    sensitive: set(input.sensitive, now.sensitive, false),
    atMostOnce: set(input.atMostOnce, now.atMostOnce, false),
    plainCharacters: set(input.plainCharacters, now.plainCharacters, false),
    expiresAfterSeconds: set<number | null>(
      input.expiresAfterSeconds,
      now.expiresAfterSeconds,
      null,
    ),
    sampleVariables: input.sampleVariables ?? now.sampleVariables,
    requiredVariables:
      input.requiredVariables === undefined
        ? now.requiredVariables
        : namesOrNone(input.requiredVariables),
    digest: input.digest === undefined ? now.digest : input.digest && normalDigest(input.digest),
    throttle: input.throttle === undefined ? now.throttle : input.throttle,
    afterUnreadSeconds:
      input.afterUnreadSeconds === undefined ? now.afterUnreadSeconds : input.afterUnreadSeconds,
  };
}

function namesOrNone(names: readonly string[]): string[] | null {
  return names.length === 0 ? null : [...new Set(names)];
}

function requireSource(version: number): void {
  if (version > 0) return;
  const message =
    "has no default variant to translate: publish the template without a locale first";
  throw invalid("locale", message);
}
