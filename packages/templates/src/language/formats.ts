/** Dates, numbers and amounts as a language writes them, by Intl. */

import { readDate } from "./date-value.ts";
import type { Rendering } from "./rendering.ts";

const DATE_STYLES = new Set<unknown>(["short", "medium", "long", "full"]);
/** Formatters of Intl: each takes some tens of kilobytes, and as many microseconds to make. */
const MAX_KEPT = 100;
/** What Intl is given as a number: its digits are bounded, so that its text is. */
const NUMBER = /^[+-]?\d{1,40}(?:\.(\d{1,40}))?(?:[eE][+-]?\d{1,2})?$/;
const MAX_NUMBER_CHARACTERS = 100;
const MAX_DIGITS = 20;
/** Three letters, and blanks around them. */
const MAX_CURRENCY_CHARACTERS = 10;

type DateStyle = "short" | "medium" | "long" | "full";

/** Whether `date` knows a style; `time` is one only where it stands alone. */
export function isDateStyle(value: unknown, alone: boolean): value is DateStyle | "time" {
  return DATE_STYLES.has(value) || (alone && value === "time");
}

export function isCurrency(value: unknown): value is string {
  currencies ??= new Set(Intl.supportedValuesOf("currency"));
  return typeof value === "string" && currencies.has(value);
}
let currencies: Set<string> | undefined;

/** A number with the digits behind its point; blanks around it do not count. Empty where it is none. */
function readNumber(text: string): readonly string[] {
  return text.length > MAX_NUMBER_CHARACTERS ? [] : (NUMBER.exec(text.trim()) ?? []);
}

/** Undefined where the text is no date. A date without a time, or without a zone, is moved by no zone. */
export function dateText(text: string, style: unknown, timeStyle: unknown, rendering: Rendering) {
  const date = readDate(text);
  if (date === undefined) return undefined;
  const locale = localeOf(rendering);
  const zone = (date.hasZone ? rendering.settings?.timeZone : undefined) ?? "UTC";
  const format = kept(`date ${locale} ${zone} ${style} ${timeStyle}`, () => {
    const options: Intl.DateTimeFormatOptions =
      style === "time" ? { timeStyle: "short" } : { dateStyle: (style ?? "medium") as DateStyle };
    if (timeStyle !== undefined) options.timeStyle = timeStyle as DateStyle;
    return dateFormat(locale, { ...options, timeZone: zone });
  });
  return format.format(date.at);
}

/** Undefined where the text is no number. Without digits as many stand behind the point as are written. */
export function numberText(text: string, digits: number | undefined, rendering: Rendering) {
  const [number, decimals = ""] = readNumber(text);
  if (number === undefined) return undefined;
  const locale = localeOf(rendering);
  const count = digits ?? (/e/i.test(text) ? undefined : Math.min(decimals.length, MAX_DIGITS));
  const format = kept(`number ${locale} ${count}`, () =>
    numberFormat(locale, {
      minimumFractionDigits: count ?? 0,
      maximumFractionDigits: count ?? MAX_DIGITS,
    }),
  );
  return format.format(number as `${number}`);
}

/** A currency by its code, as a variable has it: ` eur` is EUR. Undefined: it is none. */
export function readCurrency(value: unknown): string | undefined {
  if (typeof value !== "string" || value.length > MAX_CURRENCY_CHARACTERS) return undefined;
  const code = value.trim().toUpperCase();
  return isCurrency(code) ? code : undefined;
}

/** Undefined where the text is no number. */
export function moneyText(text: string, currency: string, rendering: Rendering) {
  const [number] = readNumber(text);
  if (number === undefined) return undefined;
  const locale = localeOf(rendering);
  const format = kept(`money ${locale} ${currency}`, () =>
    numberFormat(locale, { style: "currency", currency }),
  );
  return format.format(number as `${number}`);
}

/** Which form of a word a language uses with a number: `one`, `few`, `other` and so on. Undefined: it is no number. */
export function pluralForm(text: string, rendering: Rendering): string | undefined {
  const [number] = readNumber(text);
  if (number === undefined) return undefined;
  const locale = localeOf(rendering);
  return kept(`plural ${locale}`, () => known(locale, (name) => new Intl.PluralRules(name))).select(
    Number(number),
  );
}

/** As the language writes it: of `i` Turkish makes `İ`. */
/** A first letter. Greek drops accents only of words that are all in capitals. */
export function titleCase(letter: string, rendering: Rendering): string {
  return /^el\b/.test(localeOf(rendering)) ? letter.toUpperCase() : upperCase(letter, rendering);
}

export function upperCase(text: string, rendering: Rendering): string {
  return known(localeOf(rendering), (locales) => text.toLocaleUpperCase(locales));
}

export function lowerCase(text: string, rendering: Rendering): string {
  return known(localeOf(rendering), (locales) => text.toLocaleLowerCase(locales));
}

function localeOf({ locale, settings }: Rendering): string {
  return locale ?? settings?.locale ?? "en";
}

const formats = new Map<string, unknown>();

/** Makes a formatter when it is first asked for, and forgets the one that was asked for longest ago. */
function kept<T>(key: string, make: () => T): T {
  const found = formats.get(key) as T | undefined;
  const format = found ?? make();
  if (found !== undefined) formats.delete(key);
  formats.set(key, format);
  if (formats.size > MAX_KEPT) formats.delete(formats.keys().next().value ?? "");
  return format;
}

function numberFormat(locale: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  return known(locale, (name) => new Intl.NumberFormat(name, options));
}

function dateFormat(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return known(locale, (name) => {
    try {
      return new Intl.DateTimeFormat(name, options);
    } catch {
      // A zone that this machine does not know.
      return new Intl.DateTimeFormat(name, { ...options, timeZone: "UTC" });
    }
  });
}

/** With a locale that is none, or that Intl does not know, English: never the machine's own. */
function known<T>(locale: string, make: (locales: string[]) => T): T {
  try {
    return make([locale, "en"]);
  } catch {
    return make(["en"]);
  }
}
