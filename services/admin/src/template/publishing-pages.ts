import { Conflict, InvalidInput } from "@belfry/administration/input-error";
import { readProviders } from "@belfry/administration/providers/providers";
import { copyTemplate } from "@belfry/administration/templates/copy-template";
import { publishDrafts, readDraft } from "@belfry/administration/templates/drafts";
import { type Publication, publication } from "@belfry/administration/templates/publication";
import { authorOf } from "@belfry/administration/templates/sensitive-copies";
import {
  readTemplate,
  readTemplates,
  requireTemplate,
  type Template,
} from "@belfry/administration/templates/templates";
import { updateTenantAct } from "@belfry/administration/tenants/tenant-acts";
import {
  CHANNEL_ROWS,
  channelsWith,
  isChannel,
  isProviderChannel,
} from "@belfry/contracts/channels";
import { PLATFORM } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import { type Answer, ownPath, page, redirect, withStatus } from "../page/answer.ts";
import { faultWords } from "../page/fault-words.ts";
import { joined, type Phrase, phrase, say, type Words } from "../page/language.ts";
import { languageName } from "../page/locale-names.ts";
import type { PageDeps } from "../page/page-deps.ts";
import type { InTenant } from "../page/router.ts";
import { CHANNEL_NAMES, counted } from "../page/words.ts";
import { settingSentences } from "./setting-sentences.ts";
import { addressesOf, addressOf, defaultLocaleOf } from "./template-addresses.ts";
import { NEWEST_ALONE } from "./template-preview-pages.ts";
import { comparedParts, leftOutSentence } from "./template-texts.ts";
import { TIMED_SETTINGS, timingFaults, timingValues } from "./timing-values.ts";

/** Registers the pages that show what publishing would change and for whom, and that publish all languages or some. */
export function publishingPages({ route, db }: PageDeps): void {
  const show = async (context: InTenant, conflict?: object): Promise<Answer> => {
    const { tenant, base } = context;
    const template = await readTemplate(db, addressOf(context));
    const defaultLocale = await defaultLocaleOf(db, tenant.id);
    const nameOf = (locale: string) =>
      locale === "" ? `${languageName(defaultLocale)} (default)` : languageName(locale);
    const all = [];
    for (const locale of draftLocales(template)) {
      all.push(await publication(db, template, locale, authorOf(context)));
    }
    const parts = all.map((one) => {
      const { draft, published } = one;
      return {
        locale: draft.locale,
        name: nameOf(draft.locale),
        isNew: published.version === 0,
        isOutdated: isOlder(one, template),
        isOverwriting: one.outdated,
        inForce: published.version,
        by: published.savedBy,
        revision: draft.revision,
        faults: faultsSaid(one, template),
        newestAlone: one.gaps.includes("newest-alone") ? NEWEST_ALONE : "",
        changes: comparedParts(published, draft).filter(({ lines }) =>
          lines.some(({ kind }) => kind === "added" || kind === "removed"),
        ),
        editor: addressesOf(base, template.id, draft.locale).editor,
      };
    });
    const [first] = all;
    return page("template-publish", say`Publish`, {
      template,
      parts,
      conflict,
      addresses: addressesOf(base, template.id, ""),
      leftOut: (first?.leftOut ?? []).map(leftOutSentence),
      audience: first === undefined ? "" : audienceOf(first),
      languagesSaid: languagesSaid(all, nameOf),
      settings: settingsSaid(all),
      copyTo: await channelsForCopy(db, template),
      mergesEqualEvents: all.some(({ gaps }) => gaps.includes("one-event")),
      outdated: outdatedAfter(template, all).map((locale) => ({
        name: nameOf(locale),
        href: addressesOf(base, template.id, locale).editor,
      })),
    });
  };

  route("GET /tenants/:tenantId/templates/:templateId/publish", (context) => show(context));

  route("POST /tenants/:tenantId/templates/:templateId/publish", async (context) => {
    const { form, base } = context;
    const template = await readTemplate(db, addressOf(context));
    const drafts = draftLocales(template);
    // The default text is published first, because a template without one cannot have translations.
    const chosen = drafts.filter((locale) => form.getAll("locale").includes(locale));
    if (chosen.length === 0) return redirect(`${base}/templates/${template.id}/publish`);
    try {
      await publish(context, template, chosen);
    } catch (error) {
      if (error instanceof InvalidInput) return withStatus(422, await show(context));
      if (!(error instanceof Conflict)) throw error;
      return withStatus(409, await show(context, {}));
    }
    const toChannel = form.get("copyTo");
    const published = redirect(`${base}/templates/${template.id}`, "published");
    if (!isChannel(toChannel)) return published;
    const { eventType, channel } = template;
    const input = { eventType, channel, toEventType: eventType, toChannel };
    try {
      const copy = await context.run(copyTemplate, input);
      return redirect(`${base}/templates/${copy.id}`, "copied");
    } catch (error) {
      // The channel has got a draft since the page was shown, or never could have this text.
      if (error instanceof Conflict || error instanceof InvalidInput) return published;
      throw error;
    }
  });

  // The page offers this setting of the tenant if a digest would miss events.
  route("POST /tenants/:tenantId/templates/:templateId/separate-events", async (context) => {
    const { run, tenant, form } = context;
    await requireTemplate(db, addressOf(context));
    await run(updateTenantAct, { id: tenant.id, dedupIncludesVariables: true });
    return redirect(ownPath(form.get("from")), "saved");
  });

  /** Publishes what the page showed: these revisions of the drafts, replacing these versions. */
  const publish = async ({ form, run }: InTenant, before: Template, locales: string[]) => {
    const { id, eventType, channel } = before;
    const drafts = [];
    for (const locale of locales) {
      const { sourceVersion } = await readDraft(db, { id, locale });
      const begun = sourceVersion ?? 0;
      // A translation that is published together with the default text counts as written for that version.
      const isNew = locales.includes("") && begun >= before.version;
      drafts.push({
        locale,
        ...(locale !== "" && { sourceVersion: isNew ? before.version + 1 : begun }),
        revision: Number(form.get(`revision-${locale}`)),
        // Replaces also a version that was published after the draft began: the page has shown it to the person.
        basedOnVersion: Number(form.get(`over-${locale}`)) || 0,
      });
    }
    await run(publishDrafts, { eventType, channel, drafts });
  };
}

/** Returns the channels that could have the same text: their templates have the same parts, and there is none yet. */
async function channelsForCopy(db: Database, { tenantId, eventType, channel }: Template) {
  if (tenantId === PLATFORM) return [];
  const templates = await readTemplates(db, tenantId);
  const providers = await readProviders(db, tenantId);
  return channelsWith(CHANNEL_ROWS[channel].content).filter((one) => {
    const isSent = !isProviderChannel(one) || providers.some((p) => p.channel === one && p.active);
    return isSent && !templates.some((t) => t.eventType === eventType && t.channel === one);
  });
}

/** Returns the faults that publishing reports, those of the timing in words for the form. */
function faultsSaid({ draft, published, settings, faults }: Publication, template: Template) {
  const hasNoDefault = template.version === 0 && !template.hasDraft;
  if (draft.locale !== "" && published.version === 0 && hasNoDefault) {
    return [say`The default text has to be published first.`];
  }
  const ofTiming = Object.values(timingFaults(timingValues(settings)));
  const others = faults.filter(
    ({ field }) => ofTiming.length === 0 || !TIMED_SETTINGS.includes(field),
  );
  const said = others.map(({ field, message }) => {
    const name = `${field[0]?.toUpperCase()}${field.slice(1)}`;
    return phrase("{0}: {1}", [name, faultWords(message)]);
  });
  return [...ofTiming, ...said];
}

/** Returns the locales that have a draft, the default ("") first. */
function draftLocales({ hasDraft, locales }: Template): string[] {
  const translations = locales.filter(({ draft }) => draft).map(({ locale }) => locale);
  return [...(hasDraft ? [""] : []), ...translations];
}

/** Whether the default text was published again after this translation was begun. */
function isOlder({ draft }: Publication, template: Template): boolean {
  return draft.locale !== "" && (draft.sourceVersion ?? 0) < template.version;
}

function audienceOf({ events, draft }: Publication): Phrase {
  const name = CHANNEL_NAMES[draft.channel];
  const came = counted(events.count, "event");
  if (events.count === 0 && events.complete) {
    return say`No event of this type came in the last 24 hours. From now on each one becomes this ${name} message.`;
  }
  return events.complete
    ? say`In the last 24 hours ${came} of this type came: expect about as many ${name} messages a day, less those that ask for other channels.`
    : say`In the last 24 hours at least ${came} of this type came: expect about as many ${name} messages a day, less those that ask for other channels.`;
}

function languagesSaid(all: readonly Publication[], nameOf: (locale: string) => Words): Phrase {
  const drafts = all.map(({ draft }) => draft.locale);
  const others = all[0]?.published.locales
    .filter(({ locale, version }) => version > 0 && !drafts.includes(locale))
    .map(({ locale }) => nameOf(locale));
  const whom = drafts.includes("")
    ? say`Everyone else gets the default text.`
    : say`Everyone else sees no change.`;
  const said = say`Languages: ${joined(drafts.map(nameOf))}. ${whom}`;
  if (others === undefined || others.length === 0) return said;
  return say`${said} Users of ${joined(others)} see no change.`;
}

/** Returns sentences about changed settings. Only the draft of the default variant has settings. */
function settingsSaid(all: readonly Publication[]): Phrase[] {
  return all
    .filter(({ draft }) => draft.locale === "")
    .flatMap(({ changed, settings }) => settingSentences(changed, settings));
}

/** Returns the translations that are out of date once these drafts are published. */
function outdatedAfter(template: Template, all: readonly Publication[]): string[] {
  const drafts = all.map(({ draft }) => draft.locale);
  const isChanging = drafts.includes("");
  return template.locales
    .filter(
      ({ locale, version, outdated }) =>
        version > 0 && (isChanging || outdated) && !drafts.includes(locale),
    )
    .map(({ locale }) => locale);
}
