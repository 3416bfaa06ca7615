import { Conflict, invalid } from "@belfry/administration/input-error";
import { copyTemplate } from "@belfry/administration/templates/copy-template";
import { readTemplate, readTemplates } from "@belfry/administration/templates/templates";
import { type Faults, orFaults, page, redirect } from "../page/answer.ts";
import type { PageDeps } from "../page/page-deps.ts";
import { type InTenant, Refusal } from "../page/router.ts";
import { addressOf, keyOf } from "./template-addresses.ts";

/** A template for another event type; an operator may copy it to another tenant. */
export function copyingPages({ route, db }: PageDeps): void {
  const show = async (
    context: InTenant,
    values?: { eventType: string; tenantId: string },
    faults: Faults = {},
  ) => {
    const { tenant } = context;
    const template = await readTemplate(db, addressOf(context));
    const templates = await readTemplates(db, tenant.id);
    return page("template-copy", "Copy", {
      ...{ template, faults },
      values: values ?? { eventType: `${template.eventType}.copy`, tenantId: tenant.id },
      eventTypes: [...new Set(templates.map(({ eventType }) => eventType))],
    });
  };

  route("GET /tenants/:tenantId/templates/:templateId/copy", (context) => show(context));

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
        show(context, values, toEventType ? { ...faults, eventType: toEventType } : faults),
    );
  });
}
