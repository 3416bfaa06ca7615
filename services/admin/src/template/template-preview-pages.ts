import { InvalidInput } from "@belfry/administration/input-error";
import { digestGaps } from "@belfry/administration/templates/digest-gaps";
import { checkSource, type PreviewInput } from "@belfry/administration/templates/preview-template";
import { writtenTexts } from "@belfry/administration/templates/template-input";
import { readTemplate } from "@belfry/administration/templates/templates";
import { testTemplate } from "@belfry/administration/templates/try-template";
import type { Database } from "@belfry/database/connection";
import { parseVariables } from "@belfry/templates/language/event-variables";
import { templateVariables } from "@belfry/templates/language/template-variables";
import { reasonText } from "../event/own-reasons.ts";
import { json } from "../page/answer.ts";
import { inWords, refusalWords } from "../page/fault-words.ts";
import { phrase, say } from "../page/language.ts";
import type { PageDeps } from "../page/page-deps.ts";
import type { InTenant } from "../page/router.ts";
import { addressOf, draftOf } from "./template-addresses.ts";
import {
  previewInputOf,
  settingFaultsOf,
  type TemplateValues,
  valuesOfForm,
  valuesOfTemplate,
} from "./template-values.ts";
import { shownPreview, unfilledMark } from "./unfilled-marks.ts";

export const NEWEST_ALONE = say`This text shows only the newest event of the digest. Insert the digest's events to show them all.`;

/** Registers the editor's live preview, and the route that sends its content as a test, saved or not. */
export function templatePreviewPages({ route, db }: PageDeps): void {
  route("POST /tenants/:tenantId/templates/preview", async ({ tenant, form }) =>
    json(await previewOf(db, tenant.id, valuesOfForm(form))),
  );

  // For the list of templates: a preview of the published text, or of the draft if nothing is published.
  route("GET /tenants/:tenantId/templates/:templateId/preview", async (context) => {
    const template = await readTemplate(db, addressOf(context));
    const draft = template.version > 0 ? undefined : await draftOf(db, template, "");
    const texts = { locale: "", text: template, draft, source: draft };
    return json(await previewOf(db, context.tenant.id, valuesOfTemplate(template, texts)));
  });

  route("POST /tenants/:tenantId/templates/test", async ({ run, form }) => {
    const sent = await sendTest(run, valuesOfForm(form), form.get("to") ?? "");
    return json(testResult(sent), "faults" in sent ? 422 : 200);
  });
}

export type SentTest = Awaited<ReturnType<typeof sendTest>>;

/** Sends a text to one person as a test. Returns the act's output, or the faults because of which nothing was sent. */
export async function sendTest(run: InTenant["run"], values: TemplateValues, to: string) {
  const { eventType, targetChannel } = values;
  try {
    const told = await run(testTemplate, {
      ...previewInputOf(values),
      eventType,
      targetChannel: targetChannel || undefined,
      variables: samplesOf(values) ?? {},
      to,
    });
    return { told };
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return { faults: error.faults };
  }
}

/** Returns the result of a test for a page: whether it was sent, and a sentence. */
export function testResult(sent: SentTest) {
  if ("faults" in sent) return { ok: false, text: refusalWords(sent.faults) };
  const { told } = sent;
  if (!("userId" in told)) {
    const text = phrase("{0}: {1}", [told.kind, reasonText(told.reason ?? "")]);
    return { ok: told.class === "accepted", text, recorded: { class: told.class } };
  }
  const { userId, published } = told;
  const text = published
    ? say`It is in the inbox of ${userId}, marked as a test.`
    : say`It is in the inbox of ${userId}, marked as a test, and is shown when the page is reloaded.`;
  return { ok: true, text, recorded: { userId } };
}

/** Returns the preview or all faults, for the page's script. */
export async function previewOf(
  db: Database,
  tenantId: string,
  values: TemplateValues,
): Promise<object> {
  const samples = samplesOf(values);
  const sampleFault =
    samples === undefined
      ? { field: "sampleVariables", message: say`must be a JSON object` }
      : null;
  const beside = { sampleFault, settingFaults: settingFaultsOf(values) };
  // An empty text is not a fault yet.
  if (values.content.trim() === "") return { ok: false, faults: [], ...beside };
  const source = withHeadline(previewInputOf(values));
  const checked = await checkSource(db, tenantId, source, samples ?? {}, unfilledMark);
  if (!checked.ok) {
    const faults = inWords(checked.faults);
    return { ...checked, faults, variables: templateVariables(writtenTexts(source)), ...beside };
  }
  const { plain, preview, variables } = checked;
  const ofValues = plain.warnings?.map((message) => ({ field: "variables", message })) ?? [];
  const { channel } = source;
  const digest = source.digest ?? null;
  const texts = writtenTexts(source);
  const gaps = await digestGaps(db, { tenantId, channel, digest, texts });
  // The page shows the other gap beside the digest.
  const ofDigest = gaps.includes("newest-alone") ? [{ field: "", message: NEWEST_ALONE }] : [];
  const warnings = [...ofDigest, ...checked.warnings, ...ofValues];
  return { ok: true, preview: shownPreview(plain, preview), variables, warnings, ...beside };
}

function samplesOf({ sampleVariables }: TemplateValues): Record<string, unknown> | undefined {
  return parseVariables(sampleVariables.trim() === "" ? "{}" : sampleVariables);
}

/** Puts marks in place of an empty subject or title, so that the preview can still show the message. */
function withHeadline(source: PreviewInput): PreviewInput {
  const { subject, title } = source;
  return {
    ...source,
    ...(subject?.trim() === "" ? { subject: unfilledMark("no subject yet") } : {}),
    ...(title?.trim() === "" ? { title: unfilledMark("no title yet") } : {}),
  };
}
