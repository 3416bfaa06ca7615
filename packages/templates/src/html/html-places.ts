/**
 * Finds attribute values, comments and other places in a document in HTML or MJML, which have the same syntax. It
 * follows the tokenizer of the HTML standard as far as the places of tags depend on it, and reads Outlook's conditional
 * comments like Outlook. It takes linear time: no pattern can match a text in two ways, and each begins where the last
 * one ended.
 */

import type { Range } from "../language/tags.ts";

export interface AttributeValue extends Range {
  kind: "attribute";
  element: string;
  attribute: string;
  quoted: boolean;
}

export type Span =
  | AttributeValue
  | ({ kind: "element name" | "attribute name" | "comment" } & Range)
  | ({ kind: "raw text"; element: string } & Range);

export interface ElementEvent {
  kind: "open" | "close" | "void";
  /** The element's name in lower case; `CONDITIONAL` for a condition of Outlook. */
  element: string;
  start: number;
}

/** The element name for Outlook's conditions, from `<!--[if …]>` or `<![if …]>` to `<![endif]`. */
export const CONDITIONAL = "[if]";

export interface HtmlPlaces {
  /** Everything but plain text, in order. */
  spans: Span[];
  elements: ElementEvent[];
  /** The texts of elements such as title, in which markup is text. */
  titles: Range[];
  /** The contents of conditional comments: markup for Outlook, a comment for other clients. */
  conditionals: Range[];
  /**
   * Whether SVG or MathML may have begun. In these, raw text is markup, and CDATA is text. If that makes a difference,
   * all tags in the rest of the document are refused.
   */
  foreign: boolean;
}

const TAG = /<(\/?)([A-Za-z][^\t\n\f\r />]*)/y;
/** Matches a name, which may begin with "=", and a value with or without quotes. The closing quote may be missing. */
const ATTRIBUTE =
  /[\t\n\f\r /]*([^\t\n\f\r />][^\t\n\f\r />=]*)(?:[\t\n\f\r ]*=[\t\n\f\r ]*("[^"]*"?|'[^']*'?|[^\t\n\f\r >]*))?/y;
const TAG_END = /[\t\n\f\r /]*>/y;
const COMMENT = /<!--(?:-?>|([\s\S]*?)(?:--!?>|$))|<[!?/][^>]*>?/y;
const SCRIPT_SIGN = /<!--|-->|<(\/?)script(?=[\t\n\f\r />])/gi;
const CONDITION = /<!--\[if[^\]>]*\]>/y;
const CONDITIONAL_SIGN = /<!(?:--[\t\n\f\r ]*<!)?\[(if|endif)(?=[\t\n\f\r \]])/iy;

/** The ends of elements whose content is not markup. */
const RAW_TEXT = endTags("script style xmp iframe noembed noframes mj-style");
RAW_TEXT.set("plaintext", /$/g);
/** The ends of elements whose content is text with character references, and no elements. */
const ESCAPABLE_RAW_TEXT = endTags("title textarea");

function endTags(elements: string): Map<string, RegExp> {
  const entries = elements.split(" ").map((element): [string, RegExp] => {
    return [element, new RegExp(`</${element}(?=[\\t\\n\\f\\r />])`, "gi")];
  });
  return new Map(entries);
}

/**
 * Returns the places of a document. Its tags must have been replaced by as many letters (`maskTags`).
 */
export function readHtml(html: string): HtmlPlaces {
  const places: HtmlPlaces = {
    spans: [],
    elements: [],
    titles: [],
    conditionals: [],
    foreign: false,
  };
  readMarkup(html, 0, places);
  return places;
}

function readMarkup(html: string, from: number, places: HtmlPlaces): void {
  for (let at = html.indexOf("<", from); at !== -1; at = html.indexOf("<", at)) {
    at = readTag(html, at, places) ?? readComment(html, at, places) ?? at + 1;
  }
}

/** Reads an HTML tag and the raw text after it. Returns the end offset, or undefined if there is no tag. */
function readTag(html: string, start: number, places: HtmlPlaces): number | undefined {
  const { spans, elements } = places;
  const [tag, slash, name] = matchAt(TAG, html, start) ?? [];
  if (tag === undefined || name === undefined) return undefined;
  const element = name.toLowerCase();
  let at = start + tag.length;
  spans.push({ kind: "element name", start: at - name.length, end: at });
  for (;;) {
    const [text, attribute, value] = matchAt(ATTRIBUTE, html, at) ?? [];
    if (text === undefined || attribute === undefined) break;
    const end = at + text.length;
    const valueStart = end - (value?.length ?? 0);
    spans.push({ kind: "attribute name", start: at, end: valueStart });
    if (value) spans.push(attributeValue(element, attribute.toLowerCase(), value, valueStart));
    at = end;
  }
  const [end] = matchAt(TAG_END, html, at) ?? [];
  if (end === undefined) return html.length;
  at += end.length;
  const isEmpty = end.endsWith("/>");
  elements.push({ kind: slash ? "close" : isEmpty ? "void" : "open", element, start });
  if (slash || (isEmpty && element.startsWith("mj-"))) return at;
  places.foreign ||= element === "svg" || element === "math";
  let textEnd = rawTextEnd(element, html, at);
  if (ESCAPABLE_RAW_TEXT.has(element)) places.titles.push({ start: at, end: textEnd });
  const text = html.slice(at, textEnd);
  if (places.foreign && /<(?!!\[CDATA\[[^<]*\]\]>)/.test(text)) textEnd = html.length;
  if (RAW_TEXT.has(element) || text.includes("<")) {
    spans.push({ kind: "raw text", element, start: at, end: textEnd });
  }
  return textEnd;
}

function attributeValue(
  element: string,
  attribute: string,
  value: string,
  start: number,
): AttributeValue {
  // A value without a closing quote has no end, so it counts as unquoted.
  const quoted = /^["']/.test(value) && value.endsWith(value.charAt(0));
  const quote = quoted ? 1 : 0;
  const end = start + value.length - quote;
  return { kind: "attribute", element, attribute, quoted, start: start + quote, end };
}

function rawTextEnd(element: string, html: string, from: number): number {
  if (element === "script") return scriptEnd(html, from);
  const ending = RAW_TEXT.get(element) ?? ESCAPABLE_RAW_TEXT.get(element);
  if (ending === undefined) return from;
  ending.lastIndex = from;
  return ending.exec(html)?.index ?? html.length;
}

/** Returns the end of a script. After `<!--`, a script tag begins an inner script, which has its own end tag. */
function scriptEnd(html: string, from: number): number {
  let isEscaped = false;
  let isInner = false;
  SCRIPT_SIGN.lastIndex = from;
  for (let sign = SCRIPT_SIGN.exec(html); sign !== null; sign = SCRIPT_SIGN.exec(html)) {
    const [text, slash] = sign;
    if (text === "<!--") {
      isEscaped = true;
      // The hyphens may also be those of `-->`, so they are read again.
      SCRIPT_SIGN.lastIndex -= 2;
    } else if (text === "-->") {
      isEscaped = isInner = false;
    } else if (slash === "") {
      isInner = isEscaped;
    } else if (isInner) {
      isInner = false;
    } else {
      return sign.index;
    }
  }
  return html.length;
}

/** Reads a comment, or what browsers treat as one. Returns the end offset, or undefined if there is none. */
function readComment(html: string, start: number, places: HtmlPlaces): number | undefined {
  const { spans, conditionals, elements } = places;
  const [condition] = matchAt(CONDITION, html, start) ?? [];
  const inside = start + (condition?.length ?? 0);
  if (condition !== undefined) {
    spans.push({ kind: "comment", start, end: inside });
    elements.push({ kind: "open", element: CONDITIONAL, start });
  }
  // A conditional comment inside another one ends with it, so both are read as one.
  if (condition !== undefined && start < (conditionals.at(-1)?.end ?? 0)) return inside;
  const [comment, content = ""] = matchAt(COMMENT, html, start) ?? [];
  if (comment === undefined) return undefined;
  let end = start + comment.length;
  if (condition === undefined) {
    const isCdata = places.foreign && comment.startsWith("<![CDATA[");
    if (isCdata && !comment.endsWith("]]>")) end = html.length;
    spans.push({ kind: "comment", start, end });
    const sign = matchAt(CONDITIONAL_SIGN, html, start)?.[1]?.toLowerCase();
    if (sign === "if") elements.push({ kind: "open", element: CONDITIONAL, start });
    else if (sign === "endif") elements.push({ kind: "close", element: CONDITIONAL, start });
  } else {
    conditionals.push({ start: inside, end });
    readMarkup(html.slice(0, start + "<!--".length + content.length), inside, places);
  }
  return end;
}

/** Returns the match of a sticky pattern at an offset. */
function matchAt(pattern: RegExp, html: string, offset: number): RegExpExecArray | null {
  pattern.lastIndex = offset;
  return pattern.exec(html);
}

const BLOCK_IN_TAG = {
  "element name": "a block cannot be part of an element's name: put it around the whole element",
  "attribute name":
    "a block cannot stand among an element's attributes: put it around the whole element, or between the quotes of one value",
};

/** Returns why a tag is not allowed in a span, or undefined if the span alone does not forbid it. */
export function spanFault(span: Span, tag: "variable" | "block" = "variable"): string | undefined {
  switch (span.kind) {
    case "comment":
      return `a ${tag} cannot stand in a comment`;
    case "raw text":
      return `a ${tag} cannot stand inside <${span.element}>`;
    case "attribute":
      return span.quoted
        ? undefined
        : `the value of the attribute ${span.attribute} needs quotes around the ${tag}`;
    default:
      return tag === "variable"
        ? `a variable cannot be part of an ${span.kind}`
        : BLOCK_IN_TAG[span.kind];
  }
}
