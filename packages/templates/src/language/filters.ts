/** The filters. `newline_to_br` is not among them, because its effect depends on the place of the value. */

import type { Call, Filter, FilterUse, Operand } from "./expressions.ts";
import {
  dateText,
  isCurrency,
  isDateStyle,
  lowerCase,
  moneyText,
  numberText,
  pluralForm,
  readCurrency,
  titleCase,
  upperCase,
} from "./formats.ts";
import { type Rendering, spend, spendCharacters, warn } from "./rendering.ts";
import { countOf, isTruthy, textOf } from "./values.ts";

/** Steps for one date or number that Intl formats. */
const FORMATTER_STEPS = 50;

const PLURAL_FORMS = ["zero", "one", "two", "few", "many", "other"];

const none = takes(0, 0);

export const FILTERS: ReadonlyMap<string, Filter> = new Map<string, Filter>([
  [
    "default",
    {
      fault: takes(1, 1, ["allow_false"]),
      apply: (value, [instead], { allow_false: keepsFalse }) => {
        if (typeof value === "string" || Array.isArray(value)) {
          return value.length > 0 ? value : instead;
        }
        if (value === false && isTruthy(keepsFalse)) return value;
        return isTruthy(value) ? value : instead;
      },
    },
  ],
  [
    "size",
    {
      fault: none,
      apply: (value) => (typeof value === "string" || Array.isArray(value) ? value.length : 0),
    },
  ],
  ["join", { fault: takes(0, 1), apply: (value, [by], _, use) => joined(value, by, use) }],
  ["first", { fault: none, apply: (value) => endOf(value, 0) }],
  ["last", { fault: none, apply: (value) => endOf(value, -1) }],
  [
    "truncate",
    {
      fault: ({ arguments: given }) => {
        const [length] = given;
        const isNumber = length?.kind !== "literal" || typeof length.value === "number";
        return (
          takes(0, 2)({ arguments: given, keywords: [] }) ??
          (isNumber ? undefined : "the length must be a number, such as truncate: 20")
        );
      },
      apply: (value, [length, ending], _, use) => truncated(value, length, ending, use),
    },
  ],
  ["upcase", onText((text, { rendering }) => upperCase(text, rendering))],
  ["downcase", onText((text, { rendering }) => lowerCase(text, rendering))],
  [
    "capitalize",
    onText((text, { rendering }) => {
      const end = codePointEnd(text);
      return titleCase(text.slice(0, end), rendering) + lowerCase(text.slice(end), rendering);
    }),
  ],
  ["escape", onText((text, { escapes }) => (escapes ? text : escaped(text)))],
  ["url_encode", onText((text) => encodeURIComponent(text.toWellFormed()).replaceAll("%20", "+"))],
  [
    "date",
    {
      fault: (call) => takes(0, 2)(call) ?? dateFault(call),
      apply: (value, [style, timeStyle], _, use, name) => {
        const format = (text: string) => dateText(text, style, timeStyle, use.rendering);
        return formatted(value, use, format, `${name} as a date`);
      },
    },
  ],
  [
    "number",
    {
      fault: (call) => takes(0, 1)(call) ?? digitsFault(call),
      apply: (value, [digits], _, use, name) => {
        const count = digits as number | undefined;
        const format = (text: string) => numberText(text, count, use.rendering);
        return formatted(value, use, format, `${name} as a number`);
      },
    },
  ],
  [
    "money",
    {
      fault: (call) => takes(1, 1)(call) ?? currencyFault(call),
      apply: (value, [given], _, use, name) => {
        const currency = readCurrency(given);
        if (currency === undefined) {
          return formatted(value, use, () => undefined, `the currency of ${name}`);
        }
        const format = (text: string) => moneyText(text, currency, use.rendering);
        return formatted(value, use, format, `${name} as a number`);
      },
    },
  ],
  [
    "plural",
    {
      fault: (call) => takes(0, 0, PLURAL_FORMS)(call) ?? pluralFault(call),
      apply: (value, _, forms, { rendering }, name) => {
        spend(rendering, FORMATTER_STEPS);
        const text = textOf(value, rendering);
        const form = pluralForm(text, rendering);
        if (form === undefined && text !== "") {
          warn(rendering, `cannot read ${name} as a number: used the form "other"`);
        }
        if (form === undefined) return forms.other;
        return Object.hasOwn(forms, form) ? forms[form] : forms.other;
      },
    },
  ],
]);

/** Checks the number of arguments, and the names of keyword arguments. */
function takes(least: number, most: number, keywords: readonly string[] = []): Filter["fault"] {
  return (call) => {
    const given = call.arguments.length;
    if (given < least) return `it takes ${counted(least)}`;
    if (given > most)
      return most === 0 ? "it takes no argument" : `it takes at most ${counted(most)}`;
    const unknown = call.keywords.find(([name]) => !keywords.includes(name));
    if (unknown === undefined) return undefined;
    return keywords.length === 0
      ? `it takes no ${unknown[0]}:`
      : `it takes no ${unknown[0]}: but ${keywords.join(", ")}`;
  };
}

function counted(count: number): string {
  return count === 1 ? "one argument" : `${count} arguments`;
}

function onText(write: (text: string, use: FilterUse) => string): Filter {
  return {
    fault: none,
    apply: (value, _values, _keywords, use) => {
      const text = textOf(value, use.rendering);
      spendCharacters(use.rendering, text.length);
      return write(text, use);
    },
  };
}

function joined(value: unknown, by: unknown, { rendering }: FilterUse): string {
  if (value === undefined || value === null) return "";
  if (!Array.isArray(value)) return textOf(value, rendering);
  const between = by === undefined || by === null ? " " : textOf(by, rendering);
  let text = "";
  for (let at = 0; at < value.length; at++) {
    const part = textOf(value[at], rendering);
    // One more, so that empty items count too.
    spendCharacters(rendering, part.length + between.length + 1);
    text += at === 0 ? part : between + part;
  }
  return text;
}

/** The first or last item of a list, or grapheme of a text. */
function endOf(value: unknown, index: 0 | -1): unknown {
  if (Array.isArray(value)) return value.at(index);
  if (typeof value !== "string" || value === "") return "";
  const near = index === 0 ? value.slice(0, NEAR_UNITS) : value.slice(-NEAR_UNITS);
  return graphemes.segment(near).containing(index === 0 ? 0 : near.length - 1)?.segment ?? "";
}

/** Cuts a text to a number of graphemes, its ending included. */
function truncated(value: unknown, length: unknown, ending: unknown, use: FilterUse): unknown {
  const { rendering } = use;
  const text = textOf(value, rendering);
  const end = ending === undefined || ending === null ? "..." : textOf(ending, rendering);
  spendCharacters(rendering, text.length + end.length);
  const most = length === undefined || length === null ? 50 : countOf(length, rendering);
  if (text.length <= most || graphemesIn(text, most, rendering).end >= text.length) return value;
  const room = most - graphemesIn(end, most, rendering).count;
  return text.slice(0, graphemesIn(text, room, rendering).end) + end;
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
/** `first` and `last` search this many code units for a grapheme. */
const NEAR_UNITS = 64;
/** Steps for one grapheme. Measured: Intl takes 0.5 to 1.2 µs. */
const GRAPHEME_STEPS = 4;
/** Texts in which each code unit is one grapheme. */
const PLAIN_UNITS = /^[\u0000-\u000c\u000e-\u02ff]*$/;

/** Counts at most `most` graphemes. `end` is the offset behind them. */
function graphemesIn(
  text: string,
  most: number,
  rendering: Rendering,
): { count: number; end: number } {
  const plain = Math.min(text.length, Math.max(Math.ceil(most), 0));
  // A combining mark may follow the last one.
  if (PLAIN_UNITS.test(text.slice(0, plain + 1))) return { count: plain, end: plain };
  spendCharacters(rendering, text.length);
  let count = 0;
  let end = 0;
  for (const { index, segment } of graphemes.segment(text)) {
    if (count >= most) break;
    spend(rendering, GRAPHEME_STEPS);
    count++;
    end = index + segment.length;
  }
  return { count, end };
}

/** The end of the first code point. */
function codePointEnd(text: string): number {
  return (text.codePointAt(0) ?? 0) > 0xffff ? 2 : 1;
}

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&#34;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}

/**
 * Formats a value by Intl. If the filter cannot read the value, returns it unchanged, with a warning about `subject`: the
 * value's name and what it should be.
 */
function formatted(
  value: unknown,
  { rendering, plainBlanks }: FilterUse,
  format: (text: string) => string | undefined,
  subject: string,
): unknown {
  spend(rendering, FORMATTER_STEPS);
  // An empty value stays empty, and missing values have their own warning.
  if (value === undefined || value === null || value === "") return value;
  const isRead = typeof value !== "object" || JSON.isRawJSON(value);
  const text = isRead ? format(textOf(value, rendering)) : undefined;
  if (text === undefined) {
    warn(rendering, `cannot read ${subject}: inserted unchanged`);
    return value;
  }
  return plainBlanks ? text.replace(/\p{Zs}/gu, " ") : text;
}

function literal(operand: Operand | undefined): unknown {
  return operand?.kind === "literal" ? operand.value : undefined;
}

function dateFault({ arguments: given }: Call): string | undefined {
  const styles = given.map((operand) => literal(operand));
  if (styles.every((style, index) => isDateStyle(style, index === 0 && given.length === 1))) {
    return undefined;
  }
  return 'it takes "short", "medium", "long" or "full", a second one of them for the time, or "time" alone; patterns such as "%d.%m.%Y" are not supported, because each language writes dates in its own way';
}

function digitsFault({ arguments: [digits] }: Call): string | undefined {
  if (digits === undefined) return undefined;
  const count = literal(digits);
  const isCount = typeof count === "number" && Number.isInteger(count) && count >= 0 && count <= 20;
  return isCount
    ? undefined
    : "it takes the number of digits after the decimal point, from 0 to 20";
}

function currencyFault({ arguments: [currency] }: Call): string | undefined {
  if (currency?.kind !== "literal" || isCurrency(currency.value)) return undefined;
  return 'it takes a currency code, such as money: "EUR", or a variable that contains one';
}

function pluralFault({ keywords }: Call): string | undefined {
  return keywords.some(([name]) => name === "other")
    ? undefined
    : 'it takes the forms of a word, such as plural: one: "item", other: "items"; the form other is required';
}
