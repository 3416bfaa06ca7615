import { Conflict, invalid } from "@belfry/administration/input-error";
import { copyTemplate } from "@belfry/administration/templates/copy-template";
import { listTemplates, showTemplate } from "@belfry/administration/templates/templates";
import { Refusal } from "../door/refusal.ts";
import { type Faults, orFaults, page, redirect } from "../drawing/answer.ts";
import type { PageDeps } from "../page-deps.ts";
import type { InTenant } from "../router.ts";

/** A template for another event type; an operator may copy it to another tenant. */
export function copyingPages({ route, db }: PageDeps): void {
  const addressOf = ({ tenant, params }: InTenant) => ({
    id: params.templateId ?? "",
    tenantId: tenant.id,
  });

  const show = async (
    context: InTenant,
    values?: { eventType: string; tenantId: string },
    faults: Faults = {},
  ) => {
    const { tenant } = context;
    const template = await showTemplate(db, addressOf(context));
    const templates = await listTemplates(db, tenant.id);
    return page("template-copy", "Copy", {
      ...{ template, faults },
      values: values ?? { eventType: `${template.eventType}.copy`, tenantId: tenant.id },
      eventTypes: [...new Set(templates.map(({ eventType }) => eventType))],
    });
  };

  route("GET /tenants/:tenantId/templates/:templateId/copy", (context) => show(context));

  route("POST /tenants/:tenantId/templates/:templateId/copy", async (context) => {
    const { tenant, form, audited, person, role } = context;
    const given = (form.get("tenantId") ?? "").trim() || tenant.id;
    const values = { eventType: (form.get("eventType") ?? "").trim(), tenantId: given };
    if (given !== tenant.id && role !== "operator") throw new Refusal("forbidden");
    return await orFaults(
      async () => {
        const copy = await audited(
          (transaction) => copyOrFault(transaction, context, values, person.email),
          (made) => ({
            tenantId: made.tenantId,
            action: "template.copy",
            target: `${made.eventType} ${made.channel}`,
            after: { from: context.params.templateId, fromTenant: tenant.id },
          }),
        );
        return redirect(`/tenants/${copy.tenantId}/templates/${copy.id}`, "copied");
      },
      (faults) => show(context, values, faults),
    );
  });

  const copyOrFault = async (
    transaction: Parameters<typeof copyTemplate>[0],
    context: InTenant,
    to: { eventType: string; tenantId: string },
    createdBy: string,
  ) => {
    try {
      return await copyTemplate(transaction, addressOf(context), { ...to, createdBy });
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
      const message = "has a draft on this channel already: publish or discard that one first";
      throw invalid("eventType", message);
    }
  };
}
