import { requireTemplate } from "@belfry/administration/templates/templates";
import { canonicalLocale } from "@belfry/contracts/locale";
import type { Database } from "@belfry/database/connection";
import type { InTenant } from "../page/router.ts";

/** The template of a page's path. */
export function addressOf({ tenant, params }: Pick<InTenant, "tenant" | "params">) {
  return { id: params.templateId ?? "", tenantId: tenant.id };
}

/** As acts name it. Throws `NotFound`. */
export async function keyOf(db: Database, context: InTenant) {
  const { eventType, channel } = await requireTemplate(db, addressOf(context));
  return { eventType, channel };
}

/** The addresses of one template's pages, in a language. */
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

/** Languages as people call them. */

/** Offered by name; any other by its code. */
const OFFERED = [
  ...["ar", "bg", "bn", "ca", "cs", "da", "de", "de-AT", "de-CH", "el", "en", "en-GB", "en-US"],
  ...["es", "es-MX", "et", "fa", "fi", "fr", "fr-CA", "fr-CH", "he", "hi", "hr", "hu", "id", "it"],
  ...["ja", "ko", "lt", "lv", "ms", "nb", "nl", "pl", "pt", "pt-BR", "ro", "ru", "sk", "sl", "sr"],
  ...["sv", "th", "tr", "uk", "ur", "vi", "zh-Hans", "zh-Hant"],
];
const NAMES = new Intl.DisplayNames("en", {
  type: "language",
  fallback: "code",
  languageDisplay: "standard",
});

/** `German (Austria)`; a code that nobody knows stays a code. */
export function languageName(locale: string): string {
  try {
    return NAMES.of(locale) ?? locale;
  } catch {
    return locale;
  }
}

/** `[code, name]`, by name, without those that are there already. */
export function offeredLanguages(taken: readonly string[]): [string, string][] {
  return OFFERED.filter((locale) => !taken.includes(locale))
    .map((locale): [string, string] => [locale, languageName(locale)])
    .toSorted(([, a], [, b]) => a.localeCompare(b, "en"));
}

/** As an address names it: empty for the default, undefined for what is no locale. */
export function localeOfQuery(query: URLSearchParams): string | undefined {
  const given = (query.get("other") || query.get("locale") || "").trim();
  return given === "" ? "" : canonicalLocale(given);
}

/** In which a tenant's default texts are written. */
export async function defaultLocaleOf(db: Database, tenantId: string): Promise<string> {
  const row = await db
    .selectFrom("tenants")
    .select("default_locale")
    .where("id", "=", tenantId)
    .executeTakeFirst();
  return row?.default_locale ?? "en";
}
