import { auditedAfter } from "@belfry/administration/audited";
import { discardDraft } from "@belfry/administration/templates/drafts";
import { putTemplate } from "@belfry/administration/templates/put-template";
import { deleteTranslation, showTemplate } from "@belfry/administration/templates/templates";
import { redirect } from "../drawing/answer.ts";
import type { PageDeps } from "../page-deps.ts";
import type { InTenant } from "../router.ts";
import { addressesOf } from "./template-addresses.ts";

/** What is done to one language of a template as a whole. */
export function templateLanguagePages({ route, db }: PageDeps): void {
  const addressOf = ({ tenant, params }: InTenant) => ({
    id: params.templateId ?? "",
    tenantId: tenant.id,
  });

  route("POST /tenants/:tenantId/templates/:templateId/discard", async (context) => {
    const { tenant, audited, base, form } = context;
    const locale = form.get("locale") ?? "";
    const draft = await audited(
      (transaction) => discardDraft(transaction, { ...addressOf(context), locale }),
      ({ eventType, channel }) => ({
        tenantId: tenant.id,
        action: "template.discard-draft",
        target: [eventType, channel, locale].filter(Boolean).join(" "),
      }),
    );
    const left = await showTemplate(db, { id: draft.templateId }).catch(() => undefined);
    const back = left === undefined ? `${base}/templates` : `${base}/templates/${left.id}`;
    return redirect(back, "discarded");
  });

  // A translation that needed no change says again what the default text says.
  route("POST /tenants/:tenantId/templates/:templateId/same", async (context) => {
    const { tenant, actor, form, base, person } = context;
    const locale = form.get("locale") ?? "";
    const { id } = await showTemplate(db, addressOf(context));
    const { subject, title, url, format, ...text } = await showTemplate(db, { id }, locale);
    const input = {
      ...{ tenantId: tenant.id, eventType: text.eventType, channel: text.channel, locale },
      ...{ content: text.content, actions: text.actions, createdBy: person.email },
      ...{ subject: subject ?? undefined, title: title ?? undefined, url: url ?? undefined },
      ...{ format: format ?? undefined, basedOnVersion: text.version },
    };
    const saved = await auditedAfter(
      db,
      actor,
      () => putTemplate(db, input),
      ({ eventType, channel, version }) => ({
        tenantId: tenant.id,
        action: "template.same",
        target: `${eventType} ${channel} ${locale}`,
        after: { version },
      }),
    );
    return redirect(addressesOf(base, saved.id, locale).editor, "saved");
  });

  route("POST /tenants/:tenantId/templates/:templateId/remove-language", async (context) => {
    const { tenant, audited, form, base } = context;
    const locale = form.get("locale") ?? "";
    const { id } = await showTemplate(db, addressOf(context), locale);
    if (locale === "") return redirect(`${base}/templates/${id}`);
    await audited(
      (transaction) => deleteTranslation(transaction, addressOf(context), locale),
      ({ eventType, channel }) => ({
        tenantId: tenant.id,
        action: "template.remove-language",
        target: `${eventType} ${channel} ${locale}`,
      }),
    );
    return redirect(`${base}/templates/${id}`, "removed");
  });
}
