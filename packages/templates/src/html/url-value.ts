/** Writes values inside addresses: in `href`, `src` and similar attributes, and in `url(…)` of a style. */

import { MAX_URL_CHARACTERS } from "../language/bounds.ts";
import type { Tag } from "../language/tags.ts";

/** The schemes that a value at the beginning of an address may have. */
const VALUE_SCHEMES = ["http", "https", "mailto", "tel", "sms"];
const IMAGE_SCHEMES = ["http", "https"];

/** The schemes after which a template may have a value. */
const TEMPLATE_SCHEMES = [...VALUE_SCHEMES, "cid"];

/** Matches most addresses: those in which nothing is removed and, outside of a style, nothing is encoded. */
const PLAIN = /^[\w!#$%&'()*+,./:;=?@[\]~-]*$/;

const ENCODED: Record<string, string> = Object.fromEntries(
  Array.from(' "<>\\^`{|}', (character) => [character, encodeURIComponent(character)]),
);

/**
 * Whether the template's text before a tag settles the scheme of an address: it has an allowed scheme, or a path, query
 * or fragment has begun. Otherwise a value could complete `java` to `javascript:`.
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

/** Whether a link has an allowed scheme. `linkSchemes`: further schemes that the tenant allows. */
export function hasLinkScheme(url: string, linkSchemes: readonly string[] = []): boolean {
  return hasScheme(url, VALUE_SCHEMES) || hasScheme(url, linkSchemes);
}

/**
 * Writes a value that begins an address. The value is kept if its scheme is http, https, mailto, tel, sms or one that
 * the tenant allows. Otherwise it becomes `#`, so that the template's text after it is only a fragment.
 */
export function urlStart(value: string, linkSchemes?: readonly string[]): string {
  const url = withoutInvisible(value);
  return hasLinkScheme(url, linkSchemes) ? encoded(url) : "#";
}

/**
 * Writes a value inside an address, after its beginning. Characters that no address can contain are percent-encoded;
 * `/`, `?`, `&`, `=`, `#` and `%` stay, because templates also insert paths and whole query strings.
 */
export function urlRest(value: string): string {
  return value.length > MAX_URL_CHARACTERS ? "" : encoded(value);
}

/** The number of characters before a tag in which its parameter's name is searched. */
const MAX_BEFORE = 300;
/** Matches the text before a tag: a parameter's name, `=`, and then words and other values. */
const PARAMETER_BEGUN = /[?&][^?&#"'\s=<>{}]*=(?:[^?&#"'\s<>{}]|\{\{[^{}]{0,100}\}\})*$/;

/**
 * Whether a tag is in the value of a parameter, as in `?email={{ name }}@{{ domain }}`. Not for `url_encode`, whose
 * result is already encoded: its `+` is a blank.
 */
export function isParameter(text: string, tag: Tag): boolean {
  if (tag.code.includes("url_encode")) return false;
  if (text[tag.start - 1] === "=") return true;
  return PARAMETER_BEGUN.test(text.slice(Math.max(0, tag.start - MAX_BEFORE), tag.start));
}

/** Encodes the characters that would end a parameter's value or be read as a blank. */
export function parameterValue(written: string): string {
  return written.replace(/[+&#]/g, encodeURIComponent);
}

/** Does the same as `urlStart` for a list (`srcset`), in which a comma separates addresses. */
export function urlListStart(value: string): string {
  return urlStart(value).replaceAll(",", "%2C");
}

export function urlListRest(value: string): string {
  return urlRest(value).replaceAll(",", "%2C");
}

/** Does the same as `urlStart` in `url(…)` of a style: only http and https, without signs that end the string or call. */
export function styleUrlStart(value: string): string {
  const url = withoutInvisible(value);
  return hasScheme(url, IMAGE_SCHEMES) ? styleEncoded(url) : "";
}

export function styleUrlRest(value: string): string {
  return value.length > MAX_URL_CHARACTERS ? "" : styleEncoded(value);
}

/** How addresses are written in one kind of place. */
export interface AddressKind {
  /** Writes a value that begins an address. */
  start: (value: string, linkSchemes: readonly string[]) => string;
  /** Writes a value inside an address, after its beginning. */
  rest: (value: string) => string;
  /** The text that `start` writes in place of a refused value. */
  leftOut: string;
  /** The schemes that a value at the beginning may have. */
  schemes: readonly string[];
  /** Set if the schemes that the tenant allows are possible, too. */
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

/** Returns why a value was left out of an address, for the event's timeline. It never quotes the value. */
export function leftOutReason(value: string, schemes: readonly string[]): string {
  if (value.length > MAX_URL_CHARACTERS) return `longer than ${MAX_URL_CHARACTERS} characters`;
  if (value.trim() === "") return "empty";
  return `begins with none of ${schemes.map((scheme) => `${scheme}:`).join(", ")}`;
}

/** Returns the template's own address for the text part. Empty if it is too long. */
export function ownAddress(href: string): string {
  return encoded(withoutInvisible(href));
}

/** Removes characters that browsers ignore when they read the scheme: `java\tscript:` is `javascript:`. */
export function withoutInvisible(value: string): string {
  if (value.length > MAX_URL_CHARACTERS) return "";
  if (PLAIN.test(value)) return value;
  const begun = value
    .replace(/[\t\n\r]/g, "")
    .replace(/^[\u0000-\u0020\u007f-\u00a0\u200b-\u200f\ufeff]+/, "");
  // A loop, because a regular expression would search for the end from each inner blank.
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
