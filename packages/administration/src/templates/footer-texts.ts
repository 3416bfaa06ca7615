import { field, type TextByLanguage } from "@belfry/contracts/fields";
import { canonicalLocale, isLocale, LOCALE_PATTERN, NO_LOCALE } from "@belfry/contracts/locale";
import { invalid } from "../input-error.ts";
import { writtenFault } from "./setting-kinds.ts";

const MAX_LANGUAGES = 20;
const TOO_MANY = `must be at most ${MAX_LANGUAGES} languages`;
const MAX_BYTES = 16 * 1024;

export const FOOTER_TEXTS = field<TextByLanguage>(
  {
    type: "object",
    propertyNames: { pattern: LOCALE_PATTERN },
    additionalProperties: { type: "string" },
    maxProperties: MAX_LANGUAGES,
    description: "shown below the content, by language, for other languages than the default",
  },
  (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return "must be an object of texts by language";
    }
    const texts = Object.entries(value);
    if (texts.length > MAX_LANGUAGES) return TOO_MANY;
    const faults = texts.flatMap(([language, text]) => {
      const fault = isLocale(language) ? writtenFault(text, MAX_BYTES) : NO_LOCALE;
      return fault === undefined ? [] : [`(${language.slice(0, 40)}) ${fault}`];
    });
    return faults.length === 0 ? undefined : faults.join("; ");
  },
);

/** Replaces the given texts and removes those that are empty. Returns null if none is left. */
export function changedTexts(
  now: Readonly<TextByLanguage> | null,
  given: Readonly<TextByLanguage>,
): TextByLanguage | null {
  const texts = new Map(Object.entries(now ?? {}));
  for (const [language, text] of Object.entries(given)) {
    const locale = canonicalLocale(language) ?? language;
    if (text.trim() === "") texts.delete(locale);
    else texts.set(locale, text);
  }
  if (texts.size > MAX_LANGUAGES) throw invalid("footerTexts", TOO_MANY);
  return texts.size === 0 ? null : Object.fromEntries(texts);
}
