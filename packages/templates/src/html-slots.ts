/** What each tag of an HTML document may become there, or why it may not stand there. */

import { MAX_URL_CHARACTERS } from "./bounds.ts";
import { escapeHtml } from "./escape-html.ts";
import { readHtml, type Span } from "./html-places.ts";
import { styleValue } from "./style-value.ts";
import type { Tag } from "./tags.ts";
import {
  schemeIsSettled,
  styleUrlRest,
  styleUrlStart,
  urlListRest,
  urlListStart,
  urlRest,
  urlStart,
} from "./url-value.ts";

/** Makes of a variable's text what stands in the document. */
export type SlotWriter = (value: string) => string;
export type HtmlSlot = { write: SlotWriter } | { refused: string };

const URL_ATTRIBUTES = new Set(
  "href src action formaction background poster cite longdesc data xlink:href ping manifest icon profile codebase classid usemap dynsrc lowsrc".split(
    " ",
  ),
);
const URL_LIST_ATTRIBUTES = new Set(["srcset", "imagesrcset"]);

/** Elements that load, run or redirect by their attributes. */
const ACTIVE_ELEMENTS = new Set(
  "script style base object embed applet param frame iframe link meta set animate animatemotion animatetransform".split(
    " ",
  ),
);

/** The slots of a document's tags, in the order of the tags. */
export function htmlSlots(html: string, tags: readonly Tag[]): HtmlSlot[] {
  const { spans, conditionals } = readHtml(maskTags(html, tags));
  let nextSpan = 0;
  let nextConditional = 0;
  return tags.map((tag, index) => {
    while ((spans[nextSpan]?.end ?? tag.end) <= tag.start) nextSpan++;
    while ((conditionals[nextConditional]?.end ?? tag.end) <= tag.start) nextConditional++;
    const slot = slotIn(spans[nextSpan], html, tags, index);
    const conditional = conditionals[nextConditional];
    return conditional && conditional.start <= tag.start ? insideComment(slot) : slot;
  });
}

function slotIn(
  span: Span | undefined,
  html: string,
  tags: readonly Tag[],
  index: number,
): HtmlSlot {
  if (span === undefined || span.start > (tags[index]?.start ?? 0)) return written(escapeHtml);
  if (span.kind !== "attribute") return { refused: placeFault(span) };
  return attributeSlot(span, html, tags, index);
}

/**
 * A value has no `>` of its own left, but a `--` of it could end the comment together with a `>` of
 * the template. So hyphens that could meet another or a `>` are written as references.
 */
function insideComment(slot: HtmlSlot): HtmlSlot {
  if ("refused" in slot) return slot;
  return { write: (value) => slot.write(value).replace(/^-|-(?=-|!?$)|(?<=-)-/g, "&#45;") };
}

/** The document with every tag replaced by as many letters, so that offsets stay. */
export function maskTags(html: string, tags: readonly Tag[]): string {
  let masked = "";
  let at = 0;
  for (const tag of tags) {
    masked += html.slice(at, tag.start) + "v".repeat(tag.end - tag.start);
    at = tag.end;
  }
  return masked + html.slice(at);
}

function written(encode: SlotWriter): HtmlSlot {
  return { write: encode === escapeHtml ? escapeHtml : (value) => escapeHtml(encode(value)) };
}

function placeFault(span: Exclude<Span, { kind: "attribute" }>): string {
  if (span.kind === "comment") return "a variable cannot stand in a comment";
  if (span.kind === "raw text") return `a variable cannot stand inside <${span.element}>`;
  return `a variable cannot be part of an ${span.kind}`;
}

type AttributeSpan = Extract<Span, { kind: "attribute" }>;

function attributeSlot(
  span: AttributeSpan,
  html: string,
  tags: readonly Tag[],
  index: number,
): HtmlSlot {
  const { element, attribute } = span;
  if (!span.quoted) {
    return { refused: `the value of the attribute ${attribute} needs quotes around the variable` };
  }
  if (attribute.startsWith("on") || attribute === "srcdoc") {
    return { refused: `a variable cannot stand in the attribute ${attribute}` };
  }
  if (ACTIVE_ELEMENTS.has(element)) {
    return { refused: `a variable cannot stand in an attribute of <${element}>` };
  }
  const isStyle = attribute === "style";
  const isList = URL_LIST_ATTRIBUTES.has(attribute);
  if (!isStyle && !isList && !URL_ATTRIBUTES.has(attribute)) return written(escapeHtml);
  const before = html.slice(span.start, tags[index]?.start);
  if (before.length > MAX_URL_CHARACTERS) {
    return { refused: `the attribute ${attribute} is too long before the variable` };
  }
  const place = { attribute, html, tags, index };
  if (isStyle) return styleSlot(place, span.start, before);
  if (isList) {
    const start = span.start + before.lastIndexOf(",") + 1;
    return urlSlot(place, start, urlListStart, urlListRest);
  }
  return urlSlot(place, span.start, urlStart, urlRest);
}

interface AttributePlace {
  attribute: string;
  html: string;
  tags: readonly Tag[];
  index: number;
}

function urlSlot(
  { attribute, html, tags, index }: AttributePlace,
  start: number,
  first: SlotWriter,
  rest: SlotWriter,
): HtmlSlot {
  let leading = index;
  while ((tags[leading - 1]?.start ?? -1) >= start) leading--;
  const prefix = html.slice(start, tags[leading]?.start);
  // Behind a value that began the address everything is settled: it kept its scheme or became "#".
  if (prefix.trim() === "") return written(leading === index ? first : rest);
  if (schemeIsSettled(prefix)) return written(rest);
  return {
    refused: `in ${attribute} a variable must begin the address or follow http:, https:, mailto:, tel: or a path`,
  };
}

function styleSlot(place: AttributePlace, valueStart: number, before: string): HtmlSlot {
  const declaration = before.slice(before.lastIndexOf(";") + 1);
  if (/expression|behaviou?r|binding|\\|\/\*/i.test(declaration)) {
    return { refused: "a variable cannot stand in this property of the attribute style" };
  }
  const address = /url\(\s*(?:['"]|&quot;|&#39;|&apos;)?([^()]*)$/i.exec(before)?.[1];
  if (address !== undefined) {
    const start = valueStart + before.length - address.length;
    return urlSlot(place, start, styleUrlStart, styleUrlRest);
  }
  if (!declaration.includes(":")) {
    return { refused: "in the attribute style a variable can only be a property's value" };
  }
  return written(styleValue);
}
