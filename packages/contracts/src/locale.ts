/** The language that a message is written in: BCP 47 language[-Script][-REGION], as `de-AT` or `zh-Hant-TW`. */

/** For schemas; the case of its letters does not matter. */
export const LOCALE_PATTERN = "^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?$";
const LOCALE = new RegExp(LOCALE_PATTERN);

/** After a field's name. */
export const NO_LOCALE = "must be a language[-Script][-REGION] of BCP 47, as de, de-AT or zh-Hant";

export function isLocale(text: string): boolean {
  return LOCALE.test(text);
}

/** The one way to write it: `de-AT` of `DE-at`, `he` of the old `iw`. Undefined: it is none. */
export function canonicalLocale(text: string): string | undefined {
  return isLocale(text) ? Intl.getCanonicalLocales(text)[0] : undefined;
}

/** Where a text in a canonical locale is looked for, best first: `zh-Hant-TW`, `zh-Hant`, `zh`. */
export function localeChain(locale: string): string[] {
  const chain = [locale];
  for (let end = locale.lastIndexOf("-"); end > 0; end = locale.lastIndexOf("-", end - 1)) {
    chain.push(locale.slice(0, end));
  }
  return chain;
}
