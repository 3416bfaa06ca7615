/** Values inside addresses: `href`, `src` and the like, and `url(…)` of a style. */

import { MAX_URL_CHARACTERS } from "../bounds.ts";

/** The schemes that survive from a value that begins an address. */
const VALUE_SCHEMES = /^(?:https?|mailto|tel):/i;
const IMAGE_SCHEMES = /^https?:/i;

/** The schemes behind which a template may place a value. */
const TEMPLATE_SCHEMES = /^(?:https?|mailto|tel|sms|cid):/i;

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
export function schemeIsSettled(prefix: string): boolean {
  const text = prefix.replace(/[\u0000-\u0020]/g, "");
  return TEMPLATE_SCHEMES.test(text) || /^[^:&]*[/?#]/.test(text);
}

/**
 * A value that begins an address: kept when its scheme is http, https, mailto or tel, otherwise `#`,
 * behind which whatever follows in the template is only a fragment.
 */
export function urlStart(value: string): string {
  const url = withoutInvisible(value);
  return VALUE_SCHEMES.test(url) ? encoded(url) : "#";
}

/**
 * A value further inside an address: what no address can hold is percent-encoded; `/`, `?`, `&`, `=`,
 * `#` and `%` stay, as templates place paths and finished query strings as well as words.
 */
export function urlRest(value: string): string {
  return value.length > MAX_URL_CHARACTERS ? "" : encoded(value);
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
  return IMAGE_SCHEMES.test(url) ? styleEncoded(url) : "";
}

export function styleUrlRest(value: string): string {
  return value.length > MAX_URL_CHARACTERS ? "" : styleEncoded(value);
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
