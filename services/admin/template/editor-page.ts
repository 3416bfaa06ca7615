import type { InputFault } from "@belfry/administration/input-error";
import type { TemplateDraft } from "@belfry/administration/templates/drafts";
import { sampleFromEvents } from "@belfry/administration/templates/event-samples";
import { leftOut } from "@belfry/administration/templates/publication";
import { readTemplateVersion } from "@belfry/administration/templates/template-versions";
import { readTemplates, type Template } from "@belfry/administration/templates/templates";
import { ADDRESSES } from "@belfry/contracts/addresses";
import { CHANNEL_ROWS, CHANNELS } from "@belfry/contracts/channels";
import { PLATFORM } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import { mayDo } from "../page/access.ts";
import { type Answer, faultsByField, page } from "../page/answer.ts";
import type { InTenant } from "../page/router.ts";
import { when } from "../page/words.ts";
import { differences } from "./differences.ts";
import { languageName, offeredLanguages } from "./languages.ts";
import { addressesOf } from "./template-addresses.ts";
import { leftOutSentence, textParts } from "./template-texts.ts";
import { FORMATS, type TemplateValues } from "./template-values.ts";

/** What one template's editor has to show. */
export interface Edited {
  /** With its default variant. */
  template: Template;
  values: TemplateValues;
  draft: TemplateDraft | undefined;
  /** The draft of the default variant, from which a translation begins. */
  source: TemplateDraft | undefined;
  faults?: readonly InputFault[];
  /** Somebody else's text, where it was there first. */
  conflict?: { what: string; by: string | null; lines: object[] };
}

const FORMAT_HINT =
  "Simple is text with a little formatting, in your design. Changing the format does not convert the text.";

export async function editorPage(
  db: Database,
  context: InTenant,
  edited: Edited,
  defaultLocale: string,
): Promise<Answer> {
  const { template, values, draft } = edited;
  const { tenant, base, role, person } = context;
  const { locale, channel } = values;
  const addresses = addressesOf(base, template.id, locale);
  const defaultName = `${languageName(defaultLocale)} (default)`;
  const languages = languagesOf(base, edited, defaultName);
  const variant = template.locales.find((one) => one.locale === locale);
  const version = locale === "" ? template.version : (variant?.version ?? 0);
  const { address } = CHANNEL_ROWS[channel];
  const { email } = person;
  const mayEdit = mayDo(role, "editor");
  return page("template-editor", template.eventType, {
    ...{ template, values, addresses, languages, mayEdit, defaultName },
    faults: faultsByField(edited.faults ?? []),
    conflict: edited.conflict,
    channelRow: CHANNEL_ROWS[channel],
    formats: FORMATS,
    formatHint: FORMAT_HINT,
    hasDraft: draft !== undefined,
    isPublished: template.version > 0,
    isTranslation: locale !== "",
    version,
    state: stateOf(template, version, draft !== undefined),
    stateWords: stateWords(mayEdit, draft, version),
    siblings: await siblingsOf(db, base, template),
    offered: offeredLanguages([defaultLocale, ...template.locales.map((one) => one.locale)]),
    source: locale === "" ? undefined : await sourceOf(db, edited, defaultName, version),
    leftOut: await leftOutWords(db, template),
    testTo: address === null ? "" : (ADDRESSES[address].read(email) ?? ""),
    sample: await sampleOf(db, tenant.id, values, mayEdit),
  });
}

function stateOf(template: Template, version: number, hasDraft: boolean): [string, string] {
  if (template.version === 0) return ["quiet", "draft, never published"];
  if (version === 0) return ["quiet", "draft, this language is not published"];
  if (!template.active) return ["quiet", `not active, version ${version}`];
  return ["good", `version ${version} live${hasDraft ? ", with a draft" : ""}`];
}

/** As HTML. */
function stateWords(mayEdit: boolean, draft: TemplateDraft | undefined, version: number): string {
  if (draft !== undefined) {
    return `Draft, saved ${when(draft.savedAt, "ago")}. The live version does not change until you publish.`;
  }
  if (!mayEdit) return "This is the live version. Your role can view it, but not change it.";
  return version === 0
    ? "Nothing is written yet. What you type is saved as a draft."
    : "This is the live version. What you type is saved as a draft until you publish it.";
}

function languagesOf(base: string, { template, values }: Edited, defaultName: string) {
  const all = [
    { locale: "", version: template.version, outdated: false, draft: template.hasDraft },
    ...template.locales,
  ];
  if (!all.some(({ locale }) => locale === values.locale)) {
    all.push({ locale: values.locale, version: 0, outdated: false, draft: false });
  }
  return all.map(({ locale, version, outdated, draft }) => ({
    name: locale === "" ? defaultName : languageName(locale),
    href: addressesOf(base, template.id, locale).editor,
    isHere: locale === values.locale,
    mark: outdated ? "outdated" : version === 0 ? "new" : draft ? "draft" : "",
  }));
}

/** The same event type on the other channels. */
async function siblingsOf(db: Database, base: string, template: Template) {
  const { tenantId, eventType } = template;
  const all = (await readTemplates(db, tenantId)).filter((one) => one.eventType === eventType);
  return CHANNELS.map((channel) => {
    const found = all.find((one) => one.channel === channel);
    const query = new URLSearchParams({ eventType, channel });
    return {
      channel,
      isThere: found !== undefined,
      href: found ? `${base}/templates/${found.id}` : `${base}/templates/new?${query}`,
      mark: found === undefined ? "+ add" : found.version === 0 ? "draft" : "",
    };
  });
}

/** Of a translation: the default text, or what changed of it since the translation was made. */
async function sourceOf(db: Database, edited: Edited, name: string, version: number) {
  const { template, source, values } = edited;
  const variant = template.locales.find((one) => one.locale === values.locale);
  const isOutdated = variant?.outdated === true;
  const sourceVersion = isOutdated ? await sourceVersionOf(db, template.id, values.locale) : 0;
  const { id } = template;
  const before =
    sourceVersion > 0
      ? await readTemplateVersion(db, { id }, sourceVersion).catch(() => undefined)
      : undefined;
  const now = isOutdated ? template : (source ?? template);
  const parts = textParts(before ?? now, now).map((part) => ({
    name: part.name,
    lines:
      before === undefined ? [{ kind: "same", text: part.to }] : differences(part.from, part.to),
  }));
  return { name, isOutdated, version, parts };
}

async function sourceVersionOf(db: Database, templateId: string, locale: string): Promise<number> {
  const row = await db
    .selectFrom("template_variants")
    .select("source_version")
    .where("template_id", "=", templateId)
    .where("locale", "=", locale)
    .executeTakeFirst();
  return row?.source_version ?? 0;
}

async function leftOutWords(db: Database, template: Template): Promise<string[]> {
  const reasons = await leftOut(db, { ...template, active: true });
  return reasons.map(leftOutSentence);
}

/** Whether there is a real event to take values from, and whether they are taken at once. */
async function sampleOf(db: Database, tenantId: string, values: TemplateValues, mayEdit: boolean) {
  const found =
    tenantId === PLATFORM ? undefined : await sampleFromEvents(db, tenantId, values.eventType);
  const isOfEvent = found !== undefined && !values.keepsSamples && mayEdit;
  return { hasEvent: found !== undefined && mayEdit, isOfEvent };
}
