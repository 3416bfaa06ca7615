/** Values inside addresses: `href`, `src` and the like, and `url(…)` of a style. */

import { MAX_URL_CHARACTERS } from "../language/bounds.ts";
import type { Tag } from "../language/tags.ts";

/** The schemes that survive from a value that begins an address. */
const VALUE_SCHEMES = ["http", "https", "mailto", "tel", "sms"];
const IMAGE_SCHEMES = ["http", "https"];

/** The schemes behind which a template may place a value. */
const TEMPLATE_SCHEMES = [...VALUE_SCHEMES, "cid"];

/** Nothing in it is dropped, and nothing is encoded outside a style: most addresses. */
const PLAIN = /^[\w!#$%&'()*+,./:;=?@[\]~-]*$/;

const ENCODED: Record<string, string> = Object.fromEntries(
  Array.from(' "<>\\^`{|}', (character) => [character, encodeURIComponent(character)]),
);

/**
 * Whether a template's own text before a tag settles the address's scheme: an allowed one, or none
 * because a path, query or fragment has begun. Without that a value could complete `java` to
 * `javascript:`.
 */
export function schemeIsSettled(prefix: string, linkSchemes: readonly string[] = []): boolean {
  const text = prefix.replace(/[\u0000-\u0020]/g, "");
  if (hasScheme(text, TEMPLATE_SCHEMES) || hasScheme(text, linkSchemes)) return true;
  return /^[^:&]*[/?#]/.test(text);
}

function hasScheme(url: string, schemes: readonly string[]): boolean {
  const [, scheme = ""] = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(url) ?? [];
  return schemes.includes(scheme.toLowerCase());
}

/** Whether a link leads somewhere from a mail. `linkSchemes`: those that its tenant allows besides. */
export function hasLinkScheme(url: string, linkSchemes: readonly string[] = []): boolean {
  return hasScheme(url, VALUE_SCHEMES) || hasScheme(url, linkSchemes);
}

/**
 * A value that begins an address: kept when its scheme is http, https, mailto, tel or sms, or one that the
 * tenant allows, otherwise `#`, behind which whatever follows in the template is only a fragment.
 */
export function urlStart(value: string, linkSchemes?: readonly string[]): string {
  const url = withoutInvisible(value);
  return hasLinkScheme(url, linkSchemes) ? encoded(url) : "#";
}

/**
 * A value further inside an address: what no address can hold is percent-encoded; `/`, `?`, `&`, `=`,
 * `#` and `%` stay, as templates place paths and finished query strings as well as words.
 */
export function urlRest(value: string): string {
  return value.length > MAX_URL_CHARACTERS ? "" : encoded(value);
}

/** How far before a tag its parameter's name is looked for. */
const MAX_BEFORE = 300;
/** Up to a tag: a parameter's name, `=`, and words and other values behind it. */
const PARAMETER_BEGUN = /[?&][^?&#"'\s=<>{}]*=(?:[^?&#"'\s<>{}]|\{\{[^{}]{0,100}\}\})*$/;

/**
 * Whether a tag is of the value of a parameter, as in `?email={{ name }}@{{ domain }}`. What `url_encode` has made is
 * one already: its `+` is a blank.
 */
export function isParameter(text: string, tag: Tag): boolean {
  if (tag.code.includes("url_encode")) return false;
  if (text[tag.start - 1] === "=") return true;
  return PARAMETER_BEGUN.test(text.slice(Math.max(0, tag.start - MAX_BEFORE), tag.start));
}

/** Encodes in a parameter's value, which is written for its place, what would end it or be read as a blank. */
export function parameterValue(written: string): string {
  return written.replace(/[+&#]/g, encodeURIComponent);
}

/** The same for an address in a list (`srcset`), where a comma begins the next one. */
export function urlListStart(value: string): string {
  return urlStart(value).replaceAll(",", "%2C");
}

export function urlListRest(value: string): string {
  return urlRest(value).replaceAll(",", "%2C");
}

/** The same inside `url(…)` of a style: only http and https, nothing that ends the string or the function. */
export function styleUrlStart(value: string): string {
  const url = withoutInvisible(value);
  return hasScheme(url, IMAGE_SCHEMES) ? styleEncoded(url) : "";
}

export function styleUrlRest(value: string): string {
  return value.length > MAX_URL_CHARACTERS ? "" : styleEncoded(value);
}

/** How one kind of place writes addresses. */
export interface AddressKind {
  /** Writes a value that begins an address. */
  start: (value: string, linkSchemes: readonly string[]) => string;
  /** Writes a value further inside. */
  rest: (value: string) => string;
  /** What `start` writes instead of a value that may not begin an address. */
  leftOut: string;
  /** The schemes that such a value may have. */
  schemes: readonly string[];
  /** Whether it may have those that the tenant allows besides. */
  takesApps?: true;
}

export const LINK: AddressKind = {
  start: (value) => urlStart(value),
  rest: urlRest,
  leftOut: "#",
  schemes: VALUE_SCHEMES,
};
export const APP_LINK: AddressKind = { ...LINK, start: urlStart, takesApps: true };
export const LINK_LIST: AddressKind = { ...LINK, start: urlListStart, rest: urlListRest };
export const STYLE_LINK: AddressKind = {
  start: styleUrlStart,
  rest: styleUrlRest,
  leftOut: "",
  schemes: IMAGE_SCHEMES,
};

/** Why a value was left out of an address, for the event's timeline: no word of it is of the value. */
export function leftOutReason(value: string, schemes: readonly string[]): string {
  if (value.length > MAX_URL_CHARACTERS) return `longer than ${MAX_URL_CHARACTERS} characters`;
  if (value.trim() === "") return "empty";
  return `begins with none of ${schemes.map((scheme) => `${scheme}:`).join(", ")}`;
}

/** An address of the template's own, as it stands in a text. Empty where it is too long. */
export function ownAddress(href: string): string {
  return encoded(withoutInvisible(href));
}

/** What a browser drops before it reads the scheme: `java\tscript:` is `javascript:` to it. */
export function withoutInvisible(value: string): string {
  if (value.length > MAX_URL_CHARACTERS) return "";
  if (PLAIN.test(value)) return value;
  const begun = value
    .replace(/[\t\n\r]/g, "")
    .replace(/^[\u0000-\u0020\u007f-\u00a0\u200b-\u200f\ufeff]+/, "");
  // By hand: a regular expression would look for the end again from each blank inside.
  let end = begun.length;
  while (end > 0 && /[\s\u0000-\u0020]/.test(begun.charAt(end - 1))) end--;
  return begun.slice(0, end);
}

function encoded(value: string): string {
  return PLAIN.test(value)
    ? value
    : value.replace(
        /[\p{Cc}\s"<>\\^`{|}]/gu,
        (character) => ENCODED[character] ?? encodeURIComponent(character),
      );
}

function styleEncoded(value: string): string {
  return encoded(value).replace(
    /['();]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
