/** Where a push and its buttons lead: https, or a path of the site that shows it. */

import { MAX_PUSH_ADDRESS_CHARACTERS, MAX_URL_CHARACTERS } from "./bounds.ts";
import { isParameter, parameterValue, urlRest, withoutInvisible } from "./html/url-value.ts";
import type { Slot } from "./language/slot.ts";
import type { Tag, TagFault } from "./language/tags.ts";

/** `//host` and `/\\host` are another site to a browser. */
const ALLOWED = /^(?:https:\/\/|\/(?![/\\]))/i;
/** What a browser reads a backslash in as a slash. */
const HEAD = /^(?:https:\/\/[^/?#]*|\/)/i;
const NO_ADDRESS_CHARACTER = /[\p{Cc}\p{Z}"<>\\^`|]/u;

const BEGINNING: Slot = {
  write: (value) => encoded(withoutInvisible(value)),
  longest: MAX_URL_CHARACTERS,
};
const INSIDE: Slot = { write: encoded, longest: MAX_URL_CHARACTERS };
const PARAMETER: Slot = {
  write: (value) => parameterValue(encoded(value)),
  longest: MAX_URL_CHARACTERS,
};

export function addressSlots(text: string, tags: readonly Tag[]): Slot[] {
  return tags.map((tag, index) => {
    if (index === 0 && text.startsWith("{{")) return BEGINNING;
    return isParameter(text, tag) ? PARAMETER : INSIDE;
  });
}

/** Why a template's own text can never make an address. */
export function addressFault(text: string, tags: readonly Tag[]): TagFault | undefined {
  const first = tags[0]?.start ?? text.length;
  if (first > 0 && !ALLOWED.test(text.slice(0, first))) {
    const ways = "https://, one / (a path of the page's own site) or a variable";
    return { offset: 0, message: `an address begins with ${ways}` };
  }
  let at = 0;
  for (const part of [...tags, { start: text.length, end: text.length }]) {
    const character = NO_ADDRESS_CHARACTER.exec(text.slice(at, part.start));
    if (character !== null) {
      const message = "spaces, quotes, backslashes and brackets < > cannot stand in an address";
      return { offset: at + character.index, message };
    }
    at = part.end;
  }
  const address = tags.length === 0 ? pushAddress(text) : text;
  if (typeof address === "string") return undefined;
  return { offset: 0, message: address === TOO_LONG ? TOO_LONG.fault : "this is no address" };
}

/** A rendered address as it is published, or why it is none. */
export function pushAddress(rendered: string): string | { fault: string } {
  const head = HEAD.exec(rendered)?.[0];
  if (head === undefined || head.includes("\\") || !ALLOWED.test(rendered)) return NEITHER;
  // All of ASCII: as long in bytes as in characters, whoever carries it on.
  const address = urlRest(rendered).replace(/[^\u0021-\u007e]+/g, encodeURIComponent);
  if (address.length > MAX_PUSH_ADDRESS_CHARACTERS) return TOO_LONG;
  return address.startsWith("/") || URL.canParse(address) ? address : NEITHER;
}

const NEITHER = { fault: "neither https nor a path" };
export const TOO_LONG = { fault: `longer than ${MAX_PUSH_ADDRESS_CHARACTERS} characters` };

/** But for backslashes: whoever judges the whole has to see them. */
function encoded(value: string): string {
  return value.split("\\").map(urlRest).join("\\");
}
