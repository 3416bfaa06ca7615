import { Conflict, InvalidInput, invalid, NotFound } from "@belfry/administration/input-error";
import { putDraft, readDraft, type TemplateDraft } from "@belfry/administration/templates/drafts";
import { sampleFromEvents } from "@belfry/administration/templates/event-samples";
import { readTemplate, type Template } from "@belfry/administration/templates/templates";
import { type Answer, json, redirect } from "../page/answer.ts";
import type { PageDeps } from "../page/page-deps.ts";
import type { InTenant } from "../page/router.ts";
import { differences } from "./differences.ts";
import { type Edited, editorPage } from "./editor-page.ts";
import { defaultLocaleOf, localeOfQuery } from "./languages.ts";
import { addressesOf, addressOf } from "./template-addresses.ts";
import { wholeText } from "./template-texts.ts";
import {
  draftInputOf,
  type TemplateValues,
  valuesOfForm,
  valuesOfTemplate,
} from "./template-values.ts";

/** The editor of one template: its form, and keeping what is in it as a draft. */
export function templateEditorPages({ route, db }: PageDeps): void {
  const draftOf = (template: Template, locale: string): Promise<TemplateDraft | undefined> =>
    readDraft(db, { id: template.id, locale }).catch((error: unknown) => {
      if (error instanceof NotFound) return undefined;
      throw error;
    });

  const show = async (context: InTenant, edited: Omit<Edited, "draft" | "source">) => {
    const { template, values } = edited;
    const draft = await draftOf(template, values.locale);
    const source = values.locale === "" ? draft : await draftOf(template, "");
    const defaultLocale = await defaultLocaleOf(db, context.tenant.id);
    return await editorPage(db, context, { ...edited, draft, source }, defaultLocale);
  };

  route("GET /tenants/:tenantId/templates/:templateId", async (context) => {
    const template = await readTemplate(db, addressOf(context));
    const locale = localeOfQuery(context.query);
    if (locale === undefined) {
      throw invalid("The code", "is no language, such as de or pt-BR");
    }
    const source = await draftOf(template, "");
    const draft = locale === "" ? source : await draftOf(template, locale);
    const isThere = locale === "" || template.locales.some((one) => one.locale === locale);
    const own = { id: template.id };
    const text = isThere ? await readTemplate(db, own, locale) : (source ?? template);
    const values = valuesOfTemplate(template, { locale, text, draft, source });
    if (!values.keepsSamples) {
      const found = await sampleFromEvents(db, template.tenantId, template.eventType);
      if (found !== undefined) values.sampleVariables = JSON.stringify(found, null, 2);
      else values.keepsSamples = true;
    }
    return await show(context, { template, values });
  });

  /** What is typed, as a draft of a template that is there. */
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
      if (error instanceof InvalidInput) return json({ text: error.message }, 422);
      if (!(error instanceof Conflict)) throw error;
      const { locale } = typedValues(context.form, template);
      const by = (await draftOf(template, locale))?.savedBy ?? null;
      return json({ by }, 409);
    }
  });

  // Without scripts, and where two texts have to be seen beside one another.
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
        const answer = await show(context, { template, values, faults: error.faults });
        return { ...answer, status: 422 } as Answer;
      }
      if (error instanceof Conflict) return await conflict(context, template, values);
      throw error;
    }
  });

  /** Somebody else saved first: their text is shown beside what was typed, which is kept. */
  const conflict = async (context: InTenant, template: Template, values: TemplateValues) => {
    const draft = await draftOf(template, values.locale);
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
        what: draft === undefined ? `Version ${published.version}` : "This draft",
        by: draft === undefined ? published.savedBy : draft.savedBy,
        lines: differences(wholeText(theirs), wholeText(values)),
      },
    });
    return { ...answer, status: 409 } as Answer;
  };

  route("GET /tenants/:tenantId/templates/:templateId/sample", async (context) => {
    const { tenantId, eventType } = await readTemplate(db, addressOf(context));
    const variables = await sampleFromEvents(db, tenantId, eventType);
    if (variables === undefined) throw new NotFound("eventType", "no event of this type is kept");
    return json({ variables });
  });
}

/** What a template is for does not change: another event type is another template. */
function typedValues(form: URLSearchParams, { eventType, channel }: Template): TemplateValues {
  return { ...valuesOfForm(form), eventType, channel };
}
