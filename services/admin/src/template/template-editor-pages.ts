import { SEND } from "@belfry/administration/act";
import {
  Conflict,
  type InputFault,
  InvalidInput,
  invalid,
  NotFound,
} from "@belfry/administration/input-error";
import { mergesEqualEvents } from "@belfry/administration/templates/digest-gaps";
import { putDraft, type TemplateDraft } from "@belfry/administration/templates/drafts";
import { leftOut, sampleFromEvents } from "@belfry/administration/templates/publication";
import { readTemplateVersion } from "@belfry/administration/templates/template-versions";
import {
  readTemplate,
  readTemplates,
  requireTemplate,
  type Template,
} from "@belfry/administration/templates/templates";
import { ADDRESSES } from "@belfry/contracts/addresses";
import { CHANNEL_ROWS, CHANNELS } from "@belfry/contracts/channels";
import { PLATFORM } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import { FILTERS } from "@belfry/templates/language/filters";
import { directionOf } from "@belfry/templates/text-direction";
import { unsubscribeWords } from "@belfry/templates/unsubscribe-words";
import { mayDo } from "../page/access.ts";
import { type Answer, faultsByField, json, page, redirect, withStatus } from "../page/answer.ts";
import { type Phrase, say } from "../page/language.ts";
import { languageName, offeredLanguages } from "../page/locale-names.ts";
import type { PageDeps } from "../page/page-deps.ts";
import type { InTenant } from "../page/router.ts";
import { when } from "../page/words.ts";
import { groupPath } from "../tenant/activity-words.ts";
import {
  addressesOf,
  addressOf,
  defaultLocaleOf,
  draftOf,
  localeOfQuery,
} from "./template-addresses.ts";
import { comparedParts, leftOutSentence } from "./template-texts.ts";
import {
  draftInputOf,
  FORMATS,
  settingFaultsOf,
  type TemplateValues,
  valuesOfForm,
  valuesOfTemplate,
} from "./template-values.ts";

/** Registers the editor of one template, which saves its form as a draft. */
export function templateEditorPages({ route, db }: PageDeps): void {
  const show = async (context: InTenant, edited: Omit<Edited, "draft" | "source">) => {
    const { template, values } = edited;
    const draft = await draftOf(db, template, values.locale);
    const source = values.locale === "" ? draft : await draftOf(db, template, "");
    const defaultLocale = await defaultLocaleOf(db, context.tenant.id);
    return await editorPage(db, context, { ...edited, draft, source }, defaultLocale);
  };

  route("GET /tenants/:tenantId/templates/:templateId", async (context) => {
    const template = await readTemplate(db, addressOf(context));
    const locale = localeOfQuery(context.query);
    if (locale === undefined) {
      throw invalid("locale", "is no language, such as de or pt-BR");
    }
    const source = await draftOf(db, template, "");
    const draft = locale === "" ? source : await draftOf(db, template, locale);
    const isThere = locale === "" || template.locales.some((one) => one.locale === locale);
    const own = { id: template.id };
    const text = isThere ? await readTemplate(db, own, locale) : (source ?? template);
    const values = valuesOfTemplate(template, { locale, text, draft, source });
    if (!values.usesTypedSamples) {
      const found = await sampleFromEvents(db, template.tenantId, template.eventType);
      if (found !== undefined) values.sampleVariables = JSON.stringify(found, null, 2);
      else values.usesTypedSamples = true;
    }
    return await show(context, { template, values });
  });

  /** Saves the typed text as the template's draft. */
  const keep = async (context: InTenant, template: Template, autosave: boolean) => {
    const values = typedValues(context.form, template);
    const revision = Number(values.revision) || 0;
    return await context.run(putDraft, { ...draftInputOf(values), revision, autosave });
  };

  route("POST /tenants/:tenantId/templates/:templateId/draft", async (context) => {
    const template = await readTemplate(db, addressOf(context));
    try {
      const { revision } = await keep(context, template, true);
      return json({ id: template.id, revision });
    } catch (error) {
      if (error instanceof InvalidInput) {
        const [settingFault] = Object.values(settingFaultsOf(typedValues(context.form, template)));
        return json({ text: settingFault ?? error.message }, 422);
      }
      if (!(error instanceof Conflict)) throw error;
      const { locale } = typedValues(context.form, template);
      const by = (await draftOf(db, template, locale))?.savedBy ?? null;
      return json({ by }, 409);
    }
  });

  // Used by browsers without scripts, and after a conflict, when the page compares two texts.
  route("POST /tenants/:tenantId/templates/:templateId", async (context) => {
    const template = await readTemplate(db, addressOf(context));
    const values = typedValues(context.form, template);
    const addresses = addressesOf(context.base, template.id, values.locale);
    try {
      await keep(context, template, false);
      if (context.form.get("then") === "publish") return redirect(addresses.publish);
      return redirect(addresses.editor, "draft-saved");
    } catch (error) {
      if (error instanceof InvalidInput) {
        return withStatus(422, await show(context, { template, values, faults: error.faults }));
      }
      if (error instanceof Conflict) return await conflict(context, template, values);
      throw error;
    }
  });

  /** Shows that somebody else saved first. The page keeps the typed text and compares it with the saved one. */
  const conflict = async (context: InTenant, template: Template, values: TemplateValues) => {
    const draft = await draftOf(db, template, values.locale);
    const published = await readTemplate(db, { id: template.id }, values.locale).catch(
      () => template,
    );
    const theirs = draft ?? published;
    const answer = await show(context, {
      template,
      values: {
        ...values,
        revision: String(draft?.revision ?? ""),
        basedOnVersion: draft?.basedOnVersion ?? published.version,
      },
      conflict: {
        what: draft === undefined ? say`Version ${published.version}` : say`This draft`,
        by: draft === undefined ? published.savedBy : draft.savedBy,
        parts: comparedParts(theirs, values),
      },
    });
    return withStatus(409, answer);
  };

  route("GET /tenants/:tenantId/templates/:templateId/sample", async (context) => {
    const { tenantId, eventType } = await readTemplate(db, addressOf(context));
    const variables = await sampleFromEvents(db, tenantId, eventType);
    if (variables === undefined) throw new NotFound("eventType", "no event of this type is kept");
    return json({ variables });
  });
}

/** Returns the typed values. Event type and channel never change: another event type is another template. */
function typedValues(form: URLSearchParams, { eventType, channel }: Template): TemplateValues {
  return { ...valuesOfForm(form), eventType, channel };
}

/** The data of one template's editor. */
interface Edited {
  /** The template with the text of its default variant. */
  template: Template;
  values: TemplateValues;
  draft: TemplateDraft | undefined;
  /** The draft of the default variant, from which a translation begins. */
  source: TemplateDraft | undefined;
  faults?: readonly InputFault[];
  /** The text that somebody else saved first. */
  conflict?: { what: Phrase; by: string | null; parts: object[] };
}

const FORMAT_HINT = say`Simple is text with a little formatting, in your design. Changing the format does not convert the text.`;

async function editorPage(
  db: Database,
  context: InTenant,
  edited: Edited,
  defaultLocale: string,
): Promise<Answer> {
  const { template, values, draft } = edited;
  const { tenant, base, role, person } = context;
  const { locale, channel } = values;
  const addresses = addressesOf(base, template.id, locale);
  const defaultName = say`${languageName(defaultLocale)} (default)`;
  const languages = languagesOf(base, edited, defaultName);
  const variant = template.locales.find((one) => one.locale === locale);
  const version = locale === "" ? template.version : (variant?.version ?? 0);
  const { address } = CHANNEL_ROWS[channel];
  const { email } = person;
  const settingFaults = settingFaultsOf(values);
  const mayEdit = mayDo(role, "editor");
  const group = `${template.eventType} ${channel}`;
  const maySend = context.may(SEND) && tenant.id !== PLATFORM;
  return page("template-editor", template.eventType, {
    template,
    values,
    addresses,
    languages,
    mayEdit,
    maySend,
    defaultName,
    faults: { ...faultsByField(edited.faults ?? []), ...settingFaults },
    hasSettingFault: Object.keys(settingFaults).length > 0,
    mergesEqualEvents: await mergesEqualEvents(db, tenant.id),
    conflict: edited.conflict,
    channelRow: CHANNEL_ROWS[channel],
    unsubscribeWords: unsubscribeWords(locale || defaultLocale),
    dir: directionOf(locale || defaultLocale),
    formats: FORMATS,
    formatHint: FORMAT_HINT,
    filters: [...FILTERS.keys()],
    hasDraft: draft !== undefined,
    isPublished: template.version > 0,
    events: tenant.id === PLATFORM ? undefined : `${base}/${groupPath("template", group)}`,
    isTranslation: locale !== "",
    version,
    state: stateOf(template, version, draft !== undefined),
    stateWords: stateWords(values.locale, mayEdit, draft, version),
    siblings: await siblingsOf(db, base, template),
    offered: offeredLanguages([defaultLocale, ...template.locales.map((one) => one.locale)]),
    source: locale === "" ? undefined : await sourceOf(db, edited, defaultName, version),
    leftOut: await leftOutWords(db, template),
    testTo: address === null ? "" : (ADDRESSES[address].read(email) ?? ""),
    sample: await sampleOf(db, tenant.id, values, mayEdit),
  });
}

function stateOf(template: Template, version: number, hasDraft: boolean): [string, Phrase] {
  if (template.version === 0) return ["quiet", say`draft, never published`];
  if (version === 0) return ["quiet", say`draft, this language is not published`];
  if (!template.active) return ["quiet", say`not active, version ${version}`];
  return [
    "good",
    hasDraft ? say`version ${version} live, with a draft` : say`version ${version} live`,
  ];
}

/** Returns HTML about the state of the text. */
function stateWords(
  locale: string,
  mayEdit: boolean,
  draft: TemplateDraft | undefined,
  version: number,
): Phrase {
  if (draft !== undefined) {
    return say`Draft, saved ${when(draft.savedAt, "ago")}. The live version does not change until you publish.`;
  }
  if (!mayEdit) return say`This is the live version. You can view it, but not change it.`;
  if (version === 0 && locale !== "") {
    return say`This is a copy of the default text. Translate it: what you change is saved as a draft.`;
  }
  return version === 0
    ? say`Nothing is written yet. What you type is saved as a draft.`
    : say`This is the live version. What you type is saved as a draft until you publish it.`;
}

function languagesOf(base: string, { template, values }: Edited, defaultName: Phrase) {
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
    mark: outdated ? say`outdated` : version === 0 ? say`new` : draft ? say`draft` : "",
  }));
}

/** Returns links to the templates of the same event type on all channels, and to add the missing ones. */
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

/** Returns what a translator needs: the default text, or its changes since the translation was made. */
async function sourceOf(db: Database, edited: Edited, name: Phrase, version: number) {
  const { template, source, values } = edited;
  const variant = template.locales.find((one) => one.locale === values.locale);
  const isOutdated = variant?.outdated === true;
  const { id } = template;
  const { sourceVersion } = await requireTemplate(db, { id }, values.locale);
  const before =
    isOutdated && sourceVersion !== null
      ? await readTemplateVersion(db, { id }, sourceVersion).catch(() => undefined)
      : undefined;
  const now = isOutdated ? template : (source ?? template);
  const parts =
    before === undefined
      ? comparedParts({ content: "" }, now).map((part) => ({
          name: part.name,
          lines: part.lines.map((line) => ({ ...line, kind: "same" })),
        }))
      : comparedParts(before, now);
  return { name, isOutdated, version, parts };
}

async function leftOutWords(db: Database, template: Template): Promise<Phrase[]> {
  const reasons = await leftOut(db, { ...template, active: true });
  return reasons.map(leftOutSentence);
}

/** Returns whether a real event has values to show, and whether the page shows them from the beginning. */
async function sampleOf(db: Database, tenantId: string, values: TemplateValues, mayEdit: boolean) {
  const found =
    tenantId === PLATFORM ? undefined : await sampleFromEvents(db, tenantId, values.eventType);
  const isOfEvent = found !== undefined && !values.usesTypedSamples && mayEdit;
  return { hasEvent: found !== undefined && mayEdit, isOfEvent };
}
