/** Reads dates, numbers and amounts, and formats them for a language with Intl. */

import type { Rendering } from "./rendering.ts";

const DATE_STYLES = new Set<unknown>(["short", "medium", "long", "full"]);
/** Cached formatters of Intl. Each takes tens of kilobytes, and tens of microseconds to create. */
const MAX_KEPT = 100;
/** Numbers that Intl formats. Their digits are bounded, so that the result is. */
const NUMBER = /^[+-]?\d{1,40}(?:\.(\d{1,40}))?(?:[eE][+-]?\d{1,2})?$/;
const MAX_NUMBER_CHARACTERS = 100;
const MAX_DIGITS = 20;
/** Three letters with blanks around them. */
const MAX_CURRENCY_CHARACTERS = 10;

type DateStyle = "short" | "medium" | "long" | "full";

/** Whether `date` knows a style. `time` must be the only argument. */
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

/**
 * Undefined if the text is no date. A date without a time, or without a zone, is not converted to the tenant's
 * zone.
 */
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

/** Undefined if the text is no number. Without `digits`, the number keeps its own decimals. */
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

/** Returns a number's plural form in the language: `one`, `few`, `other` and so on; undefined if the text is no number. */
export function pluralForm(text: string, rendering: Rendering): string | undefined {
  const [number] = readNumber(text);
  if (number === undefined) return undefined;
  const locale = localeOf(rendering);
  return kept(`plural ${locale}`, () => known(locale, (name) => new Intl.PluralRules(name))).select(
    Number(number),
  );
}

/** A first letter in upper case. Greek drops accents only in words that are all capitals. */
export function titleCase(letter: string, rendering: Rendering): string {
  return /^el\b/.test(localeOf(rendering)) ? letter.toUpperCase() : upperCase(letter, rendering);
}

/** Upper-cases by the language's rules: Turkish `i` becomes `İ`. */
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

/** A cache of formatters that drops the least recently used one. */
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

/** Falls back to English for an invalid or unknown locale, never to the machine's own. */
function known<T>(locale: string, make: (locales: string[]) => T): T {
  try {
    return make([locale, "en"]);
  } catch {
    return make(["en"]);
  }
}

export interface DateValue {
  /** Milliseconds since 1970. */
  at: number;
  /** Whether it is a moment, which is shown in the tenant's zone, and not a local date or time. */
  hasZone: boolean;
}

interface Fields {
  year: string;
  month: string | number;
  day: string;
  hour?: string | undefined;
  minute?: string | undefined;
  second?: string | undefined;
  /** Weekday such as `Wed`. */
  weekday?: string | undefined;
  /** The text after the time. */
  zone?: string | undefined;
}

/** Long enough for a moment of Java with nanoseconds and the longest name of a zone. */
const MAX_CHARACTERS = 80;
const SECONDS = /^-?\d{9,13}(?:\.\d{1,9})?$/;
/** Numbers from here on are milliseconds: as seconds they would be in the year 5138 or later. */
const FIRST_MILLISECONDS = 100_000_000_000;

const TIME = String.raw`(?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d)(?:[.,]\d{1,9})?)?`;
const WEEKDAY = "(?<weekday>Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
const MONTH = "(?<month>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)";
const YEAR = String.raw`(?<year>\d{4})`;

const FORMS = [
  // ISO 8601 and RFC 3339; Postgres, Ruby, Go, Python, Java's ZonedDateTime. The year comes first, by slashes too.
  String.raw`${YEAR}([-/])(?<month>\d\d)\2(?<day>\d\d)(?:[Tt ]${TIME}(?<zone>.*))?`,
  // RFC 2822 and the Date of HTTP.
  String.raw`(?:${WEEKDAY}, ?)?(?<day>\d{1,2}) ${MONTH} ${YEAR} ${TIME}(?<zone>.*)`,
  // Java's Date, ctime, Unix.
  String.raw`${WEEKDAY} ${MONTH} {1,2}(?<day>\d{1,2}) ${TIME}(?<zone> \S{1,9})? ${YEAR}`,
  // JavaScript's Date.
  String.raw`${WEEKDAY} ${MONTH} (?<day>\d\d) ${YEAR} ${TIME}(?<zone>.*)`,
].map((form) => new RegExp(`^${form}$`));

/** Matches a zone with what Go (a name and a clock reading), Java (a zone's name) and JavaScript (a comment) append. */
const ZONE =
  /^ ?(?:([Zz]|UTC|UT|GMT)|(?:UTC|GMT)?([+-])(\d\d)(?::?(\d\d)(?::\d\d)?)?)(?: (?!(?:BC|AD|AM|PM)\b)(?:[A-Z]{1,5}|[+-]\d{2,4}))?(?: m=[+-]\d{1,20}\.\d{1,9}|\[[A-Za-z0-9_+/-]{1,50}\]| ?\([^()]{1,60}\))?$/;

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/**
 * Reads ISO 8601, seconds since 1970 of nine digits or more, and the formats that languages and databases write by
 * default. Undefined for any other text, and for one that could mean two days (01/02/2026) or two zones (CST).
 */
export function readDate(text: string): DateValue | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  const written = text.trim();
  if (SECONDS.test(written)) {
    const number = Number(written);
    const at = Math.abs(number) < FIRST_MILLISECONDS ? number * 1000 : number;
    return { at, hasZone: true };
  }
  for (const form of FORMS) {
    const fields = form.exec(written)?.groups;
    if (fields !== undefined) return dateOf(fields as unknown as Fields);
  }
  return undefined;
}

function dateOf(fields: Fields): DateValue | undefined {
  const { year, month, day, hour = "0", minute = "0", second = "0", weekday, zone = "" } = fields;
  const offset = zone === "" ? 0 : offsetMinutes(zone);
  if (offset === undefined) return undefined;
  const named = MONTHS.indexOf(String(month));
  const [y, m, d, h, min, s] = [
    ...[Number(year), named === -1 ? Number(month) - 1 : named, Number(day)],
    ...[Number(hour), Number(minute), Number(second)],
  ] as [number, number, number, number, number, number];
  const date = new Date(0);
  date.setUTCFullYear(y, m, d);
  if (weekday !== undefined && WEEKDAYS[date.getUTCDay()] !== weekday) return undefined;
  // Refuses the 30th of February and 25 o'clock. A leap second becomes the next second.
  if (date.getUTCMonth() !== m || date.getUTCDate() !== d) return undefined;
  if (h > 23 || min > 59 || s > 60) return undefined;
  date.setUTCHours(h, min, s);
  return { at: date.getTime() - offset * 60_000, hasZone: zone !== "" };
}

/** Undefined for an ambiguous or unknown zone. */
function offsetMinutes(zone: string): number | undefined {
  const match = ZONE.exec(zone);
  if (match === null) return undefined;
  const [, , sign, hours = 0, minutes = 0] = match;
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  return (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -1 : 1);
}
