import { auditedAfter } from "@belfry/administration/audited";
import { InvalidInput } from "@belfry/administration/input-error";
import { checkSource, previewSource } from "@belfry/administration/templates/preview-template";
import { sendRenderedTest } from "@belfry/administration/templates/send-test";
import { parseVariables } from "@belfry/templates/parse-variables";
import { json } from "../drawing/answer.ts";
import type { PageDeps } from "../page-deps.ts";
import { sourceOf, type TemplateValues, valuesOfForm } from "./template-values.ts";
import { shownPreview, unfilledMark } from "./unfilled.ts";

/** What the editor shows as one types, and a test of what is in it, saved or not. */
export function templatePreviewPages({ route, db, keys, config }: PageDeps): void {
  const sending = { keys, allowPrivateAddresses: config.allowPrivateAddresses };

  route("POST /tenants/:tenantId/templates/preview", async ({ tenant, form }) => {
    const values = valuesOfForm(form);
    const samples = samplesOf(values);
    const checked = await checkSource(db, tenant.id, sourceOf(values), samples ?? {}, unfilledMark);
    const sampleFault =
      samples === undefined ? { field: "sampleVariables", message: "must be a JSON object" } : null;
    if (!checked.ok) return json({ ...checked, sampleFault });
    const { plain, preview, variables, warnings } = checked;
    return json({
      ok: true,
      preview: shownPreview(plain, preview),
      variables,
      warnings,
      sampleFault,
    });
  });

  route("POST /tenants/:tenantId/templates/test", async ({ tenant, form, actor }) => {
    const values = valuesOfForm(form);
    const to = form.get("to") ?? "";
    try {
      const rendered = await previewSource(
        db,
        tenant.id,
        sourceOf(values),
        samplesOf(values) ?? {},
      );
      const { provider, outcome } = await auditedAfter(
        db,
        actor,
        () => sendRenderedTest(db, tenant.id, rendered, to, sending),
        (result) => ({
          tenantId: tenant.id,
          action: "template.test",
          target: `${values.eventType} ${values.channel}`,
          after: { class: result.outcome.class },
        }),
      );
      return json({
        ok: outcome.class === "accepted",
        text: `${provider.kind}: ${outcome.reason}`,
      });
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      return json({ ok: false, text: error.message }, 422);
    }
  });
}

function samplesOf({ sampleVariables }: TemplateValues): Record<string, unknown> | undefined {
  return parseVariables(sampleVariables.trim() === "" ? "{}" : sampleVariables);
}
