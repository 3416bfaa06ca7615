import { auditedAfter } from "@belfry/administration/audited";
import { InvalidInput } from "@belfry/administration/input-error";
import {
  checkSource,
  type Preview,
  type PreviewInput,
  previewSource,
} from "@belfry/administration/templates/preview-template";
import { sendPushTest } from "@belfry/administration/templates/push-test";
import { sendRenderedTest } from "@belfry/administration/templates/send-test";
import { templateTested } from "@belfry/administration/templates/test-note";
import { parseVariables } from "@belfry/templates/parse-variables";
import { templateVariables } from "@belfry/templates/template-variables";
import { json } from "../drawing/answer.ts";
import type { PageDeps } from "../page-deps.ts";
import { previewInputOf, type TemplateValues, valuesOfForm } from "./template-values.ts";
import { shownPreview, unfilledMark } from "./unfilled.ts";

/** What the editor shows as one types, and a test of what is in it, saved or not. */
export function templatePreviewPages({
  route,
  db,
  keys,
  config,
  publishNotification,
}: PageDeps): void {
  const sending = { keys, allowPrivateAddresses: config.allowPrivateAddresses };

  route("POST /tenants/:tenantId/templates/preview", async ({ tenant, form }) => {
    const values = valuesOfForm(form);
    const samples = samplesOf(values);
    const sampleFault =
      samples === undefined ? { field: "sampleVariables", message: "must be a JSON object" } : null;
    // Who has not begun yet has made no mistake.
    if (values.content.trim() === "") return json({ ok: false, faults: [], sampleFault });
    const source = withHeadline(previewInputOf(values));
    const checked = await checkSource(db, tenant.id, source, samples ?? {}, unfilledMark);
    if (!checked.ok) {
      return json({ ...checked, variables: templateVariables(textsOf(source)), sampleFault });
    }
    const { plain, preview, variables } = checked;
    const ofValues = plain.warnings?.map((message) => ({ field: "variables", message })) ?? [];
    const warnings = [...checked.warnings, ...ofValues];
    return json({
      ...{ ok: true, preview: shownPreview(plain, preview), variables, warnings, sampleFault },
    });
  });

  route("POST /tenants/:tenantId/templates/test", async ({ tenant, form, actor }) => {
    const values = valuesOfForm(form);
    const to = form.get("to") ?? "";
    try {
      const source = previewInputOf(values);
      const rendered = await previewSource(db, tenant.id, source, samplesOf(values) ?? {});
      return json(
        await auditedAfter(
          db,
          actor,
          () => send(tenant.id, values, rendered, to),
          (told) => templateTested({ ...values, tenantId: tenant.id }, told.recorded),
        ),
      );
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      return json({ ok: false, text: error.message }, 422);
    }
  });

  const send = async (tenantId: string, values: TemplateValues, rendered: Preview, to: string) => {
    if (rendered.kind === "notification") {
      const { eventType, targetChannel } = values;
      const test = { tenantId, userId: to, eventType, targetChannel: targetChannel || undefined };
      const { userId, published } = await sendPushTest(db, test, rendered, publishNotification);
      const text = published
        ? `It is in the inbox of ${userId}, marked as a test.`
        : `It is in the inbox of ${userId}, marked as a test, and is shown when the page is reloaded.`;
      return { ok: true, text, recorded: { userId } };
    }
    const { provider, outcome } = await sendRenderedTest(db, tenantId, rendered, to, sending);
    return {
      ok: outcome.class === "accepted",
      text: `${provider.kind}: ${outcome.reason}`,
      recorded: { class: outcome.class },
    };
  };
}

function samplesOf({ sampleVariables }: TemplateValues): Record<string, unknown> | undefined {
  return parseVariables(sampleVariables.trim() === "" ? "{}" : sampleVariables);
}

/** A mail without a subject yet, or a push without a title, is shown all the same. */
function withHeadline(source: PreviewInput): PreviewInput {
  const { subject, title } = source;
  return {
    ...source,
    ...(subject?.trim() === "" ? { subject: unfilledMark("no subject yet") } : {}),
    ...(title?.trim() === "" ? { title: unfilledMark("no title yet") } : {}),
  };
}

function textsOf({ subject, title, content, url, actions = [] }: PreviewInput): string[] {
  const links = actions.flatMap((action) => [action.label, action.url]);
  return [subject, title, content, url, ...links].filter((text) => text !== undefined);
}
