/** Finds the writing direction of a mail's language, and lays MJML out in this direction. */

import { type AttributeValue, type ElementEvent, readHtml } from "./html/html-places.ts";

export type Direction = "ltr" | "rtl";

/** The ISO 15924 codes of the scripts that are written from right to left. */
const RIGHT_TO_LEFT = new Set(
  "Adlm Arab Aran Armi Avst Chrs Cprt Elym Gara Hatr Hebr Hung Khar Lydi Mand Mani Mend Merc Mero Narb Nbat Nkoo Orkh Ougr Palm Phli Phlp Phnx Prti Rohg Samr Sarb Sogd Sogo Syrc Syre Syrj Syrn Thaa Yezi".split(
    " ",
  ),
);

/**
 * Returns the direction of the language's script, or of the script that the tag names: `ar` is right-to-left, `ar-Latn`
 * is not.
 */
export function directionOf(language: string): Direction {
  try {
    return RIGHT_TO_LEFT.has(new Intl.Locale(language).maximize().script ?? "") ? "rtl" : "ltr";
  } catch {
    return "ltr";
  }
}

/** Returns the physical side of a logical side. */
export function sideOf(side: "start" | "end", direction: Direction): "left" | "right" {
  return (side === "start") === (direction === "ltr") ? "left" : "right";
}

/** Returns a CSS shorthand for sides in logical order: top, end, bottom, start. */
export function box(
  [top, end, bottom, start]: readonly [string, string, string, string],
  direction: Direction,
): string {
  return direction === "ltr"
    ? `${top} ${end} ${bottom} ${start}`
    : `${top} ${start} ${bottom} ${end}`;
}

/** Elements that MJML lays out from left to right by default. */
const DIRECTED = ["mj-section", "mj-wrapper", "mj-group", "mj-column"];
const ALIGNED = ["mj-text", "mj-table"];
const ALIGNMENTS = new Set(["align", "text-align"]);

export interface DirectedMjml {
  mjml: string;
  direction: Direction;
}

/**
 * Adds a language to MJML, lays it out in that language's direction, and replaces `start` and `end` of `align` and
 * `text-align` by left and right. The source's own `lang` and `dir` win, but not in a layout, because it serves mails
 * in several languages. The line numbers stay the same.
 */
export function directMjml(
  source: string,
  language: string | undefined,
  isLayout: boolean,
): DirectedMjml {
  const { spans, elements } = readHtml(source);
  const values = spans.filter((span) => span.kind === "attribute");
  const own = (name: string) =>
    values.find(({ element, attribute }) => element === "mjml" && attribute === name);
  const [ownLang, ownDir] = [own("lang"), own("dir")];
  const keepsOwn = !isLayout || language === undefined;
  const lang = keepsOwn && ownLang ? textOf(source, ownLang) : language;
  const dir = keepsOwn && ownDir ? textOf(source, ownDir) : lang && directionOf(lang);
  const direction = dir === "rtl" ? "rtl" : "ltr";
  const edits = alignmentEdits(source, values, direction);
  const root = elements.find(({ element, kind }) => element === "mjml" && kind === "open");
  if (root !== undefined && lang !== undefined && dir !== undefined) {
    const at = root.start + "<mjml".length;
    for (const [name, existing, value] of [
      ["lang", ownLang, lang],
      ["dir", ownDir, dir],
    ] as const) {
      if (existing === undefined) edits.push({ start: at, end: at, text: ` ${name}="${value}"` });
      else edits.push({ start: existing.start, end: existing.end, text: value });
    }
    if (direction === "rtl") edits.push(headEdit(source, elements, values, root));
  }
  return { mjml: edited(source, edits), direction };
}

/**
 * Aligns content without its own alignment to the right in a right-to-left mail. MJML aligns the content of columns to
 * the left in both directions.
 */
export function directHtml(html: string, direction: Direction): string {
  return direction === "ltr"
    ? html
    : html.replaceAll("text-align:left;direction:rtl;", "text-align:right;direction:rtl;");
}

interface Edit {
  start: number;
  end: number;
  text: string;
}

function textOf(source: string, { start, end }: AttributeValue): string {
  return source.slice(start, end);
}

function alignmentEdits(
  source: string,
  values: readonly AttributeValue[],
  direction: Direction,
): Edit[] {
  return values.flatMap((value) => {
    const { element, attribute, start, end } = value;
    if (!element.startsWith("mj-") || !ALIGNMENTS.has(attribute)) return [];
    const side = textOf(source, value);
    return side === "start" || side === "end"
      ? [{ start, end, text: sideOf(side, direction) }]
      : [];
  });
}

/** Returns the edit that inserts default attributes before the source's own defaults, which override them. */
function headEdit(
  source: string,
  elements: readonly ElementEvent[],
  values: readonly AttributeValue[],
  root: ElementEvent,
): Edit {
  const isSet = (name: string) =>
    values.some(({ element, attribute }) => element === "mj-all" && attribute === name);
  const defaults = [
    ...(isSet("direction") ? [] : DIRECTED.map((element) => `<${element} direction="rtl" />`)),
    ...(isSet("align") ? [] : ALIGNED.map((element) => `<${element} align="right" />`)),
  ];
  const attributes = `<mj-attributes>${defaults.join("")}</mj-attributes>`;
  const head = elements.find(({ element, kind }) => element === "mj-head" && kind !== "close");
  if (head?.kind === "open") {
    const at = source.indexOf(">", head.start) + 1;
    return { start: at, end: at, text: attributes };
  }
  const text = `<mj-head>${attributes}</mj-head>`;
  if (head !== undefined) {
    return { start: head.start, end: source.indexOf(">", head.start) + 1, text };
  }
  // An attribute's value may contain ">", so the search begins after the last value.
  const last = values.findLast(({ element }) => element === "mjml");
  const at = source.indexOf(">", Math.max(root.start, last?.end ?? 0)) + 1;
  return { start: at, end: at, text };
}

function edited(source: string, edits: readonly Edit[]): string {
  let text = "";
  let at = 0;
  for (const edit of edits.toSorted((one, other) => one.start - other.start)) {
    text += source.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return text + source.slice(at);
}
