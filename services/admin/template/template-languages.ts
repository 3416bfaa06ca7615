import { discardDraft } from "@belfry/administration/templates/drafts";
import { confirmTranslation } from "@belfry/administration/templates/template-versions";
import { deleteTemplate, readTemplate } from "@belfry/administration/templates/templates";
import { redirect } from "../page/answer.ts";
import type { PageDeps } from "../page/page-deps.ts";
import { addressesOf, addressOf, keyOf } from "./template-addresses.ts";

/** What is done to one language of a template as a whole. */
export function templateLanguagePages({ route, db }: PageDeps): void {
  route("POST /tenants/:tenantId/templates/:templateId/discard", async (context) => {
    const { run, base, form } = context;
    const locale = form.get("locale") ?? "";
    await run(discardDraft, { ...(await keyOf(db, context)), locale });
    const left = await readTemplate(db, addressOf(context)).catch(() => undefined);
    const back = left === undefined ? `${base}/templates` : `${base}/templates/${left.id}`;
    return redirect(back, "discarded");
  });

  // A translation that needed no change says again what the default text says.
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
