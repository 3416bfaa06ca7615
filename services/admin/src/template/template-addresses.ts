import { NotFound } from "@belfry/administration/input-error";
import { readDraft, type TemplateDraft } from "@belfry/administration/templates/drafts";
import { requireTemplate } from "@belfry/administration/templates/templates";
import { tenantById } from "@belfry/administration/tenants/tenant-rows";
import { canonicalLocale } from "@belfry/contracts/locale";
import type { Database } from "@belfry/database/connection";
import type { InTenant } from "../page/router.ts";

/** Returns the ids of the template in a page's path. */
export function addressOf({ tenant, params }: Pick<InTenant, "tenant" | "params">) {
  return { id: params.templateId ?? "", tenantId: tenant.id };
}

/** Returns the key by which acts name the template. Throws `NotFound`. */
export async function keyOf(db: Database, context: InTenant) {
  const { eventType, channel } = await requireTemplate(db, addressOf(context));
  return { eventType, channel };
}

/** Returns the draft in this language; undefined if there is none. */
export async function draftOf(
  db: Database,
  { id }: { id: string },
  locale: string,
): Promise<TemplateDraft | undefined> {
  try {
    return await readDraft(db, { id, locale });
  } catch (error) {
    if (error instanceof NotFound) return undefined;
    throw error;
  }
}

/** Returns the addresses of one template's pages in a language. */
export function addressesOf(base: string, id: string, locale: string) {
  const plain = `${base}/templates/${id}`;
  const query = locale === "" ? "" : `?locale=${encodeURIComponent(locale)}`;
  return {
    plain,
    editor: plain + query,
    draft: `${plain}/draft`,
    discard: `${plain}/discard`,
    sample: `${plain}/sample`,
    same: `${plain}/same`,
    separate: `${plain}/separate-events`,
    removeLanguage: `${plain}/remove-language`,
    publish: `${plain}/publish`,
    versions: `${plain}/versions${query}`,
    copy: `${plain}/copy`,
  };
}

/** Returns the locale in a page's address: empty for the default, undefined for a value that is not a locale. */
export function localeOfQuery(query: URLSearchParams): string | undefined {
  const given = (query.get("other") || query.get("locale") || "").trim();
  return given === "" ? "" : canonicalLocale(given);
}

/** Returns the locale of a tenant's default texts. */
export async function defaultLocaleOf(db: Database, tenantId: string): Promise<string> {
  return (await tenantById(db, tenantId))?.defaultLocale ?? "en";
}
