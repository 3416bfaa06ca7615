import { Conflict, invalid } from "@belfry/administration/input-error";
import { copyTemplate } from "@belfry/administration/templates/copy-template";
import { discardDraft, putDraft } from "@belfry/administration/templates/drafts";
import { leftOut } from "@belfry/administration/templates/publication";
import {
  confirmTranslation,
  readTemplateVersion,
  readTemplateVersions,
  textOfVersion,
} from "@belfry/administration/templates/template-versions";
import {
  activateTemplate,
  deactivateTemplate,
  deleteTemplate,
  readTemplate,
  readTemplates,
  type TemplateSummary,
} from "@belfry/administration/templates/templates";
import { CHANNELS } from "@belfry/contracts/channels";
import type { Database } from "@belfry/database/connection";
import { type Faults, orFaults, page, redirect } from "../page/answer.ts";
import { faultWords } from "../page/fault-words.ts";
import { typedTexts } from "../page/form-fields.ts";
import { type Phrase, say } from "../page/language.ts";
import { languageName } from "../page/locale-names.ts";
import type { PageDeps } from "../page/page-deps.ts";
import { type InTenant, Refusal } from "../page/router.ts";
import { ago, counted } from "../page/words.ts";
import { addressesOf, addressOf, keyOf } from "./template-addresses.ts";
import { comparedParts } from "./template-texts.ts";

/** Registers the list of templates, their versions, and the buttons that act on a whole template. */
export function templatePages({ route, db }: PageDeps): void {
  route("GET /tenants/:tenantId/templates", async ({ tenant, query }) => {
    const templates = await readTemplates(db, tenant.id);
    const { q: wanted, state } = typedTexts(query, ["q", "state"]);
    const shown = templates.filter(
      (one) =>
        one.eventType.toLowerCase().includes(wanted.toLowerCase()) &&
        (state === "" || STATES[state]?.(one) === true),
    );
    const rows = [...Map.groupBy(shown, (template) => template.eventType)].map(
      ([eventType, own]) => ({
        eventType,
        cells: CHANNELS.map((channel) => {
          const template = own.find((one) => one.channel === channel);
          return { channel, template: template === undefined ? undefined : glance(template) };
        }),
      }),
    );
    return page("templates", say`Templates`, {
      rows,
      channels: CHANNELS,
      wanted,
      state,
      isFiltered: shown.length < templates.length,
      leftOut: await leftOutChannels(db, templates),
    });
  });

  for (const [verb, act] of [
    ["activate", activateTemplate],
    ["deactivate", deactivateTemplate],
  ] as const) {
    route(`POST /tenants/:tenantId/templates/:templateId/${verb}`, async (context) => {
      const { run, base } = context;
      const { id } = await run(act, await keyOf(db, context));
      return redirect(`${base}/templates/${id}`, `${verb}d`);
    });
  }

  route("POST /tenants/:tenantId/templates/:templateId/delete", async (context) => {
    const { run, base } = context;
    await run(deleteTemplate, await keyOf(db, context));
    return redirect(`${base}/templates`, "deleted");
  });

  route("GET /tenants/:tenantId/templates/:templateId/versions", async (context) => {
    const address = addressOf(context);
    const template = await readTemplate(db, address);
    const locale = context.query.get("locale") ?? "";
    const versions = await readTemplateVersions(db, address);
    const inForce = new Map([["", template.version]]);
    for (const one of template.locales) inForce.set(one.locale, one.version);
    const older = versions.filter((one) => one.locale === locale)[1] ?? versions[0];
    const given = Number(context.query.get("version") ?? older?.version);
    const title = say`Versions of ${template.eventType}`;
    const listed = versions.map((one) => ({
      ...one,
      language: one.locale === "" ? say`default language` : languageName(one.locale),
      isInForce: inForce.get(one.locale) === one.version,
    }));
    const facts = { template, versions: listed };
    if (versions.length === 0) return page("template-versions", title, facts);
    const chosen = await readTemplateVersion(db, address, given);
    const current = inForce.get(chosen.locale) ?? 0;
    const now =
      current === 0 ? { content: "" } : await readTemplate(db, { id: template.id }, chosen.locale);
    const parts = comparedParts(chosen, now);
    const comparison =
      current === 0
        ? say`Version ${chosen.version}, of a language that is no longer there`
        : say`From version ${chosen.version} to version ${current}`;
    return page("template-versions", title, { ...facts, chosen, parts, comparison });
  });

  route("POST /tenants/:tenantId/templates/:templateId/restore", async (context) => {
    const { run, form, base, params } = context;
    const version = Number(form.get("version"));
    const { publish, versions } = addressesOf(base, params.templateId ?? "", "");
    try {
      const { tenantId: _, ...old } = await textOfVersion(db, addressOf(context), version);
      await run(putDraft, { ...old, revision: 0 });
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
      return redirect(`${versions}?version=${version}`, "draft-first");
    }
    return redirect(publish, "restored");
  });
}

/** The filters of the list. */
const STATES: Readonly<Record<string, (template: TemplateSummary) => boolean>> = {
  active: ({ active, version }) => active && version > 0,
  inactive: ({ active, version }) => !active && version > 0,
  draft: ({ hasDraft, locales }) => hasDraft || locales.some((one) => one.draft),
  outdated: ({ locales }) => locales.some((one) => one.outdated),
};

/** Returns a template's cell of the list. */
function glance(template: TemplateSummary) {
  const { id, active, version, hasDraft, locales, savedBy, updatedAt } = template;
  const languages = locales.filter((one) => one.version > 0).length + 1;
  const outdated = locales.filter((one) => one.outdated).length;
  const isPublished = version > 0;
  const notes = [
    isPublished ? `v${version}` : "",
    isPublished && (hasDraft || locales.some((one) => one.draft)) ? say`with a draft` : "",
    languages > 1 ? counted(languages, "language") : "",
    outdated > 0 ? say`${outdated} outdated` : "",
  ];
  return {
    id,
    state: isPublished ? (active ? say`active` : say`not active`) : say`draft`,
    tone: isPublished && active ? "good" : "quiet",
    notes: notes.filter((note) => note !== ""),
    edited: savedBy === null ? ago(updatedAt) : say`${savedBy}, ${ago(updatedAt)}`,
  };
}

/** Returns sentences about active templates that reach nobody, with the reason, by channel. */
async function leftOutChannels(db: Database, templates: readonly TemplateSummary[]) {
  const said: Phrase[] = [];
  for (const channel of CHANNELS) {
    const active = templates.filter((one) => one.channel === channel && one.active);
    const [first] = active;
    if (first === undefined) continue;
    for (const reason of await leftOut(db, first)) {
      said.push(
        say`${counted(active.length, "template is", "templates are")} currently not sent: ${faultWords(reason)}.`,
      );
    }
  }
  return said;
}

/** Registers the buttons that act on one language of a template. */
export function templateLanguagePages({ route, db }: PageDeps): void {
  route("POST /tenants/:tenantId/templates/:templateId/discard", async (context) => {
    const { run, base, form } = context;
    const locale = form.get("locale") ?? "";
    await run(discardDraft, { ...(await keyOf(db, context)), locale });
    const left = await readTemplate(db, addressOf(context)).catch(() => undefined);
    const back = left === undefined ? `${base}/templates` : `${base}/templates/${left.id}`;
    return redirect(back, "discarded");
  });

  // Confirms that the translation still fits the changed default text.
  route("POST /tenants/:tenantId/templates/:templateId/same", async (context) => {
    const { run, form, base } = context;
    const locale = form.get("locale") ?? "";
    const { id } = await run(confirmTranslation, { ...(await keyOf(db, context)), locale });
    return redirect(addressesOf(base, id, locale).editor, "saved");
  });

  route("POST /tenants/:tenantId/templates/:templateId/remove-language", async (context) => {
    const { run, params, form, base } = context;
    const locale = form.get("locale") ?? "";
    const key = await keyOf(db, context);
    const path = `${base}/templates/${params.templateId}`;
    if (locale === "") return redirect(path);
    await run(deleteTemplate, { ...key, locale });
    return redirect(path, "removed");
  });
}

/** Registers the pages that copy a template to another event type, or, for operators, to another tenant. */
export function copyingPages({ route, db }: PageDeps): void {
  const showCopy = async (
    context: InTenant,
    values?: { eventType: string; tenantId: string },
    faults: Faults = {},
  ) => {
    const { tenant } = context;
    const template = await readTemplate(db, addressOf(context));
    const templates = await readTemplates(db, tenant.id);
    return page("template-copy", say`Copy`, {
      template,
      faults,
      values: values ?? { eventType: `${template.eventType}.copy`, tenantId: tenant.id },
      eventTypes: [...new Set(templates.map(({ eventType }) => eventType))],
    });
  };

  route("GET /tenants/:tenantId/templates/:templateId/copy", (context) => showCopy(context));

  route("POST /tenants/:tenantId/templates/:templateId/copy", async (context) => {
    const { tenant, form, run, role } = context;
    const given = (form.get("tenantId") ?? "").trim() || tenant.id;
    const values = { eventType: (form.get("eventType") ?? "").trim(), tenantId: given };
    if (given !== tenant.id && role !== "operator") throw new Refusal("forbidden");
    return await orFaults(
      async () => {
        const to = { toEventType: values.eventType, toTenant: given };
        const copy = await run(copyTemplate, { ...(await keyOf(db, context)), ...to }).catch(
          (error) => {
            if (!(error instanceof Conflict)) throw error;
            const message =
              "has a draft on this channel already: publish or discard that one first";
            throw invalid("eventType", message);
          },
        );
        return redirect(`/tenants/${copy.tenantId}/templates/${copy.id}`, "copied");
      },
      ({ toEventType, ...faults }) =>
        showCopy(context, values, toEventType ? { ...faults, eventType: toEventType } : faults),
    );
  });
}
