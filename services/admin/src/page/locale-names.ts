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

/** Choices of fields for a time zone. */
export const TIME_ZONES: readonly string[] = ["UTC", ...Intl.supportedValuesOf("timeZone")];
