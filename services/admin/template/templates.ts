import { audited } from "@belfry/administration/audited";
import { savePreparedTemplate } from "@belfry/administration/templates/put-template";
import {
  listTemplateVersions,
  prepareTemplateVersion,
  showTemplateVersion,
} from "@belfry/administration/templates/template-versions";
import {
  deleteTemplate,
  listTemplates,
  setTemplateActive,
  showTemplate,
  type Template,
} from "@belfry/administration/templates/templates";
import { CHANNELS } from "@belfry/contracts/channels";
import { page, redirect } from "../drawing/answer.ts";
import type { PageDeps } from "../page-deps.ts";
import type { InTenant } from "../router.ts";
import { differences } from "./differences.ts";

/** Templates at a glance, their versions, and what is done to a whole one. */
export function templatePages({ route, db }: PageDeps): void {
  const addressOf = ({ tenant, params }: InTenant) => ({
    id: params.templateId ?? "",
    tenantId: tenant.id,
  });

  route("GET /tenants/:tenantId/templates", async ({ tenant }) => {
    const templates = await listTemplates(db, tenant.id);
    const rows = [...Map.groupBy(templates, (template) => template.eventType)].map(
      ([eventType, own]) => ({
        eventType,
        cells: CHANNELS.map((channel) => ({
          channel,
          template: own.find((template) => template.channel === channel),
        })),
      }),
    );
    return page("templates", "Templates", { rows, channels: CHANNELS });
  });

  for (const [verb, active] of [
    ["activate", true],
    ["deactivate", false],
  ] as const) {
    route(`POST /tenants/:tenantId/templates/:templateId/${verb}`, async (context) => {
      const { tenant, actor, base } = context;
      const { id } = await audited(
        db,
        actor,
        (transaction) => setTemplateActive(transaction, addressOf(context), active),
        (template) => ({
          tenantId: tenant.id,
          action: `template.${verb}`,
          target: `${template.eventType} ${template.channel}`,
        }),
      );
      return redirect(`${base}/templates/${id}`, `${verb}d`);
    });
  }

  route("POST /tenants/:tenantId/templates/:templateId/delete", async (context) => {
    const { tenant, actor, base } = context;
    await audited(
      db,
      actor,
      (transaction) => deleteTemplate(transaction, addressOf(context)),
      (template) => ({
        tenantId: tenant.id,
        action: "template.delete",
        target: `${template.eventType} ${template.channel}`,
        before: recordedTemplate(template),
      }),
    );
    return redirect(`${base}/templates`, "deleted");
  });

  route("GET /tenants/:tenantId/templates/:templateId/versions", async (context) => {
    const address = addressOf(context);
    const template = await showTemplate(db, address);
    const versions = await listTemplateVersions(db, address);
    const given = Number(
      context.query.get("version") ?? versions[1]?.version ?? versions[0]?.version,
    );
    const chosen = await showTemplateVersion(db, address, given);
    const parts = [
      { name: "Subject", from: chosen.subject, to: template.subject ?? null },
      { name: "Title", from: chosen.title, to: template.title ?? null },
      { name: "Content", from: chosen.content, to: template.content },
    ]
      .filter(({ from, to }) => from !== null || to !== null)
      .map(({ name, from, to }) => ({ name, lines: differences(from ?? "", to ?? "") }));
    return page("template-versions", `Versions of ${template.eventType}`, {
      template,
      versions,
      chosen,
      parts,
    });
  });

  route("POST /tenants/:tenantId/templates/:templateId/restore", async (context) => {
    const { tenant, actor, person, form, base } = context;
    const version = Number(form.get("version"));
    const prepared = await prepareTemplateVersion(db, addressOf(context), version, person.email);
    const { id } = await audited(
      db,
      actor,
      (transaction) => savePreparedTemplate(transaction, prepared),
      (template) => ({
        tenantId: tenant.id,
        action: "template.restore",
        target: `${template.eventType} ${template.channel}`,
        after: { restored: version, version: template.version },
      }),
    );
    return redirect(`${base}/templates/${id}`, "restored");
  });
}

/** Of a template's text the log keeps the number of its version: the text is there. */
export function recordedTemplate(template: Template): object {
  const { version, active, targetChannel, sensitive, atMostOnce, expiresAfterSeconds } = template;
  return { version, active, targetChannel, sensitive, atMostOnce, expiresAfterSeconds };
}
