/**
 * Marks in the text part of a mail while it is made. Each begins with NUL, which no document can hold:
 * a source with one is refused, and `&#0;` is another character.
 */

import type { TextLink } from "../compiled-template.ts";
import { beginsWithWord } from "../mail/markup-words.ts";
import { ownAddress, schemeIsSettled } from "./url-value.ts";

/** Between the cells of a row. */
export const CELL = "\0c";

const BEGINS_WITH_VALUE = "\0v";
const SETTLED = "\0s";
const END = "\0e";

/** An address as it stands behind its words, or alone. Empty where it leads nowhere from a text. */
export function markedLink(
  href: string,
  hasWords: boolean,
  linkSchemes?: readonly string[],
): string {
  const url = ownAddress(href);
  const begins = beginsWithWord(url) ? BEGINS_WITH_VALUE : SETTLED;
  if (begins === SETTLED && (url.startsWith("#") || !schemeIsSettled(url, linkSchemes))) return "";
  const address = url.replace(/^mailto:/i, "");
  if (address === "") return "";
  return hasWords ? ` ${begins}[${address}]${END}` : `${begins}${address}${END}`;
}

/** Takes the marks of addresses out of a text, and says where those stand that hold tags. */
export function takeLinks(marked: string): { text: string; links: TextLink[] } {
  const [first = "", ...parts] = marked.split("\0");
  const texts = [first];
  const links: TextLink[] = [];
  let before = first;
  let start = first.length;
  for (const part of parts) {
    const text = part.slice(1);
    const end = start + text.length;
    if (!part.startsWith(END.slice(1)) && text.includes("{{")) {
      const settled = part.startsWith(SETTLED.slice(1));
      links.push({ start: before.endsWith(" ") ? start - 1 : start, end, settled });
    }
    texts.push(text);
    before = text;
    start = end;
  }
  return { text: texts.join(""), links };
}
