/** Decides how tags are written inside the value of an attribute. */

import { MAX_STYLE_VALUE_CHARACTERS, MAX_URL_CHARACTERS } from "../language/bounds.ts";
import { escapeHtml } from "../language/characters.ts";
import { escaped, type HtmlSlot, noteLeftOutLink, type Slot } from "../language/rendering.ts";
import type { Tag } from "../language/tags.ts";
import type { AttributeValue } from "./html-places.ts";
import {
  type AddressKind,
  APP_LINK,
  isParameter,
  LINK,
  LINK_LIST,
  leftOutReason,
  parameterValue,
  STYLE_LINK,
  schemeIsSettled,
} from "./url-value.ts";

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

/**
 * Returns a function that returns the slot of each tag in one attribute. Call it in the order of the tags: each call
 * continues where the last one stopped, so that the value is read once.
 */
export function attributeSlots(
  span: AttributeValue,
  html: string,
  linkSchemes?: readonly string[],
): (tag: Tag) => HtmlSlot {
  const fault = attributeFault(span, "variable");
  if (fault !== undefined) return () => ({ refused: fault });
  const read = valueReader(span, html, linkSchemes);
  if (read === undefined) return () => escaped();
  return (tag) =>
    tag.start - span.start > MAX_URL_CHARACTERS
      ? { refused: `the attribute ${span.attribute} is too long before the variable` }
      : read(tag);
}

/** Returns why a block is not allowed in an attribute's value, or undefined if it is. */
export function blockInAttributeFault(span: AttributeValue): string | undefined {
  const { attribute } = span;
  const fault = attributeFault(span, "block");
  if (fault !== undefined) return fault;
  const what = attribute === "style" ? "style" : isAddress(attribute) ? "address" : undefined;
  return what === undefined
    ? undefined
    : `a block cannot stand in ${attribute}: put it around the whole element, once with each ${what}`;
}

function isAddress(attribute: string): boolean {
  return URL_ATTRIBUTES.has(attribute) || URL_LIST_ATTRIBUTES.has(attribute);
}

function attributeFault(
  { element, attribute }: AttributeValue,
  tag: "variable" | "block",
): string | undefined {
  if (attribute.startsWith("on") || attribute === "srcdoc") {
    return `a ${tag} cannot stand in the attribute ${attribute}`;
  }
  return ACTIVE_ELEMENTS.has(element)
    ? `a ${tag} cannot stand in an attribute of <${element}>`
    : undefined;
}

function valueReader(
  span: AttributeValue,
  html: string,
  linkSchemes: readonly string[] | undefined,
): ((tag: Tag) => HtmlSlot) | undefined {
  const { attribute, start } = span;
  if (attribute === "style") return styleReader(span, html);
  if (URL_LIST_ATTRIBUTES.has(attribute)) return urlListReader(span, html);
  if (!URL_ATTRIBUTES.has(attribute)) return undefined;
  const judge =
    attribute === "href"
      ? addressJudge(attribute, html, APP_LINK, linkSchemes)
      : addressJudge(attribute, html, LINK);
  return (tag) => judge(start, tag);
}

/** Reads a list of addresses, which are separated by commas. */
function urlListReader(span: AttributeValue, html: string): (tag: Tag) => HtmlSlot {
  const judge = addressJudge(span.attribute, html, LINK_LIST);
  let start = span.start;
  let readTo = span.start;
  return (tag) => {
    const comma = html.slice(readTo, tag.start).lastIndexOf(",");
    if (comma !== -1) start = readTo + comma + 1;
    readTo = tag.start;
    return judge(start, tag);
  };
}

/** Reads a style up to each tag: whether the tag is in a declaration's value, and whether in an address. */
function styleReader(span: AttributeValue, html: string): (tag: Tag) => HtmlSlot {
  const judge = addressJudge(span.attribute, html, STYLE_LINK);
  let readTo = span.start;
  let hasActiveWord = false;
  let hasColon = false;
  let addressStart: number | undefined;
  return (tag) => {
    // Each part is read separately, because a tag's braces end any word or sign.
    const read = html.slice(readTo, tag.start);
    const semicolon = read.lastIndexOf(";");
    if (semicolon !== -1) hasActiveWord = hasColon = false;
    const declaration = read.slice(semicolon + 1);
    hasActiveWord ||= /expression|behaviou?r|binding|\\|\/\*/i.test(declaration);
    hasColon ||= declaration.includes(":");
    const bracket = Math.max(read.lastIndexOf("("), read.lastIndexOf(")"));
    if (bracket !== -1) addressStart = addressIn(read, bracket, readTo);
    readTo = tag.start;
    if (hasActiveWord) {
      return { refused: "a variable cannot stand in this property of the attribute style" };
    }
    if (addressStart !== undefined) return judge(addressStart, tag);
    if (!hasColon) {
      return { refused: "in the attribute style a variable can only be a property's value" };
    }
    return escaped(styleValue, MAX_STYLE_VALUE_CHARACTERS);
  };
}

/** Returns the offset at which the address of `url(` begins, if the last bracket of a text belongs to one. */
function addressIn(text: string, bracket: number, textStart: number): number | undefined {
  if (!/url\($/i.test(text.slice(Math.max(0, bracket - 3), bracket + 1))) return undefined;
  const behind = text.slice(bracket + 1);
  const opening = /^\s*(?:['"]|&quot;|&#39;|&apos;)?/i.exec(behind)?.[0] ?? "";
  return textStart + bracket + 1 + opening.length;
}

/** Judges tags inside addresses by the template's own text before the first tag of each address. */
function addressJudge(
  attribute: string,
  html: string,
  kind: AddressKind,
  linkSchemes?: readonly string[],
): (start: number, tag: Tag) => HtmlSlot {
  let known: { start: number; refused: string | undefined } | undefined;
  return (start, tag) => {
    if (known?.start !== start) {
      const prefix = html.slice(start, tag.start);
      const begins = prefix.trim() === "";
      const refused = `in ${attribute} a variable must begin the address or follow http:, https:, mailto:, tel:, sms: or a path`;
      // After a value that begins the address, the scheme is settled: the value keeps its scheme or becomes "#".
      known = {
        start,
        refused: begins || schemeIsSettled(prefix, linkSchemes) ? undefined : refused,
      };
      if (begins) return beginning(attribute, tag, kind);
    }
    if (known.refused !== undefined) return { refused: known.refused };
    const rest = (value: string) => parameterValue(kind.rest(value));
    return further(attribute, tag, isParameter(html, tag) ? { ...kind, rest } : kind);
  };
}

/** Writes a value that begins an address. A refused value is left out and noted for the timeline. */
function beginning(attribute: string, tag: Tag, kind: AddressKind): Slot {
  const { start, leftOut, schemes, takesApps } = kind;
  return {
    longest: MAX_URL_CHARACTERS,
    write: (value, rendering) => {
      const apps = takesApps ? (rendering.settings?.linkSchemes ?? []) : [];
      const address = start(value, apps);
      if (address === leftOut) {
        noteLeftOutLink(rendering, attribute, tag, leftOutReason(value, [...schemes, ...apps]));
      }
      return escapeHtml(address);
    },
  };
}

/** Writes a value inside an address, after its beginning. It is left out only if it is too long. */
function further(attribute: string, tag: Tag, { rest, schemes }: AddressKind): Slot {
  return {
    longest: MAX_URL_CHARACTERS,
    write: (value, rendering) => {
      if (value.length > MAX_URL_CHARACTERS) {
        noteLeftOutLink(rendering, attribute, tag, leftOutReason(value, schemes));
      }
      return escapeHtml(rest(value));
    },
  };
}

/**
 * Writes a value in a style attribute: colours, lengths, names of fonts. A value with other characters (`;`, `:`,
 * brackets, quotes, `\`) could begin a property or a function, so it is left out as a whole.
 */
export function styleValue(value: string): string {
  return value.length <= MAX_STYLE_VALUE_CHARACTERS && /^[\w #%.,+-]*$/.test(value) ? value : "";
}
