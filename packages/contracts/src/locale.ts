// Languages of messages: BCP 47 language[-Script][-REGION], such as `de-AT` or `zh-Hant-TW`.

/** A pattern for schemas. Upper and lower case make no difference. */
export const LOCALE_PATTERN = "^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?$";
const LOCALE = new RegExp(LOCALE_PATTERN);

/** Follows the field's name in a fault. */
export const NO_LOCALE = "must be a language[-Script][-REGION] of BCP 47, as de, de-AT or zh-Hant";

export function isLocale(text: string): boolean {
  return LOCALE.test(text);
}

/**
 * Returns the canonical spelling: `de-AT` for `DE-at`, `he` for the old `iw`. Undefined if the text is not a locale.
 */
export function canonicalLocale(text: string): string | undefined {
  return isLocale(text) ? Intl.getCanonicalLocales(text)[0] : undefined;
}

/** Returns the locales to try for a canonical locale, best first: `zh-Hant-TW`, `zh-Hant`, `zh`. */
export function localeChain(locale: string): string[] {
  const chain = [locale];
  for (let end = locale.lastIndexOf("-"); end > 0; end = locale.lastIndexOf("-", end - 1)) {
    chain.push(locale.slice(0, end));
  }
  return chain;
}

/**
 * Parents of locales that differ from the locale without its last subtag: `parentLocales` of CLDR 47. Locales whose
 * parent is the root need no entry: their script is unusual for the language, so `parentLocale` returns undefined.
 */
const PARENTS = new Map<string, string>(
  (
    [
      [
        "en-001",
        "en-150 en-AG en-AI en-AU en-BB en-BM en-BS en-BW en-BZ en-CC en-CK en-CM en-CX en-CY en-DG en-DM en-ER en-FJ en-FK en-FM en-GB en-GD en-GG en-GH en-GI en-GM en-GS en-GY en-HK en-ID en-IE en-IL en-IM en-IN en-IO en-JE en-JM en-KE en-KI en-KN en-KY en-LC en-LR en-LS en-MG en-MO en-MS en-MT en-MU en-MV en-MW en-MY en-NA en-NF en-NG en-NR en-NU en-NZ en-PG en-PK en-PN en-PW en-RW en-SB en-SC en-SD en-SG en-SH en-SL en-SS en-SX en-SZ en-TC en-TK en-TO en-TT en-TV en-TZ en-UG en-VC en-VG en-VU en-WS en-ZA en-ZM en-ZW",
      ],
      [
        "en-150",
        "en-AT en-BE en-CH en-CZ en-DE en-DK en-ES en-FI en-FR en-HU en-IT en-NL en-NO en-PL en-PT en-RO en-SE en-SI en-SK",
      ],
      ["en-IN", "hi-Latn"],
      [
        "es-419",
        "es-AR es-BO es-BR es-BZ es-CL es-CO es-CR es-CU es-DO es-EC es-GT es-HN es-JP es-MX es-NI es-PA es-PE es-PR es-PY es-SV es-US es-UY es-VE",
      ],
      ["fr-HT", "ht"],
      ["no", "nb nn no-NO"],
      ["pt-PT", "pt-AO pt-CH pt-CV pt-FR pt-GQ pt-GW pt-LU pt-MO pt-MZ pt-ST pt-TL"],
      ["zh-Hant-HK", "zh-Hant-MO"],
    ] as const
  ).flatMap(([parent, children]) => children.split(" ").map((child) => [child, parent] as const)),
);

/** `no` means Bokmål unless something else is stated, but CLDR has both as languages. */
const WRITTEN_AS: Readonly<Record<string, string>> = { no: "nb" };

/**
 * Returns the best of the available locales for a reader's canonical locale: the first in its chain, or else the
 * first in its wider locales by CLDR, or one with the same likely subtags (`zh-Hans` is `zh-CN`). Undefined if none is
 * close.
 */
export function bestLocale(
  wanted: string,
  offered: { has(locale: string): boolean; keys(): Iterable<string> },
): string | undefined {
  const exact = localeChain(wanted).find((one) => offered.has(one));
  if (exact !== undefined) return exact;
  const byFull = new Map<string, string>();
  for (const one of offered.keys()) {
    if (one !== "" && !byFull.has(fullLocale(one))) byFull.set(fullLocale(one), one);
  }
  for (const one of widerLocales(wanted)) {
    const found = offered.has(one) ? one : byFull.get(fullLocale(one));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the wider locales of a canonical locale by CLDR, best first: with its likely subtags, then each parent. */
export function widerLocales(locale: string): string[] {
  const { language, script, region } = new Intl.Locale(locale);
  const written = WRITTEN_AS[language];
  const same = written === undefined ? [] : [[written, script, region].filter(Boolean).join("-")];
  const begun = [locale, ...same].flatMap((one) => [one, fullLocale(one)]);
  const wider = new Set<string>();
  for (const first of begun) {
    for (let one: string | undefined = first; one !== undefined; one = parentLocale(one)) {
      wider.add(one);
    }
  }
  return [...wider];
}

/**
 * Returns the next wider locale. Undefined for a language alone, or if the wider one has another script, which the
 * readers may not be able to read.
 */
function parentLocale(locale: string): string | undefined {
  const parent = PARENTS.get(locale);
  if (parent !== undefined) return parent;
  const [, cut] = localeChain(locale);
  return cut !== undefined && scriptOf(cut) === scriptOf(locale) ? cut : undefined;
}

function scriptOf(locale: string): string | undefined {
  return new Intl.Locale(fullLocale(locale)).script;
}

const full = new Map<string, string>();
const MAX_KEPT = 1_000;

/** Adds the likely script and region: `zh-TW` becomes `zh-Hant-TW`. */
export function fullLocale(locale: string): string {
  let found = full.get(locale);
  if (found === undefined) {
    found = new Intl.Locale(locale).maximize().baseName;
    if (full.size === MAX_KEPT) full.clear();
    full.set(locale, found);
  }
  return found;
}
