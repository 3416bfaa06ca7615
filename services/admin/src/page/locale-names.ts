/** The languages that forms offer by name. A person can type the code of any other. */
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

/** Returns the name of a language, such as `German (Austria)`; the code itself if it is unknown. */
export function languageName(locale: string): string {
  try {
    return NAMES.of(locale) ?? locale;
  } catch {
    return locale;
  }
}

/** Returns the offered languages that are not in `taken`, as `[code, name]` by name. */
export function offeredLanguages(taken: readonly string[]): [string, string][] {
  return OFFERED.filter((locale) => !taken.includes(locale))
    .map((locale): [string, string] => [locale, languageName(locale)])
    .toSorted(([, a], [, b]) => a.localeCompare(b, "en"));
}

/** The time zones that forms offer. */
export const TIME_ZONES: readonly string[] = ["UTC", ...Intl.supportedValuesOf("timeZone")];
