/**
 * Helps to make the text part of a mail: marks its addresses and blanks, and decides how its tags are written.
 */

import { MAX_URL_CHARACTERS } from "../language/bounds.ts";
import type { Slot } from "../language/rendering.ts";
import { beginsWithWord } from "../language/tag-words.ts";
import { rangeFinder, type Tag } from "../language/tags.ts";
import {
  isParameter,
  ownAddress,
  parameterValue,
  schemeIsSettled,
  urlRest,
  urlStart,
} from "./url-value.ts";

/** Writes a value that begins an address. A value that becomes "#" in the HTML is left out of the text. */
const BEGINNING: Slot = {
  write: (value, { settings }) => {
    const address = urlStart(value, settings?.linkSchemes);
    return address === "#" ? "" : address;
  },
  longest: MAX_URL_CHARACTERS,
};
const INSIDE: Slot = { write: urlRest, longest: MAX_URL_CHARACTERS };
const PARAMETER: Slot = {
  write: (value) => parameterValue(urlRest(value)),
  longest: MAX_URL_CHARACTERS,
};

/** Returns the slots of tags inside addresses, by the rules of the HTML part. Other tags have none. */
export function textSlots(
  text: string,
  tags: readonly Tag[],
  links: readonly TextLink[],
): (Slot | undefined)[] {
  const linkAt = rangeFinder(links);
  let begun: TextLink | undefined;
  return tags.map((tag) => {
    const link = linkAt(tag.start);
    if (link === undefined) return undefined;
    if (link.settled || begun === link) return isParameter(text, tag) ? PARAMETER : INSIDE;
    begun = link;
    return BEGINNING;
  });
}

// Marks begin with NUL, which no document can contain: a source with a NUL is refused, and `&#0;` is another character.

/** The mark between the cells of a row. */
export const CELL = "\0c";

const BEGINS_WITH_VALUE = "\0v";
const SETTLED = "\0s";
const END = "\0e";

/** Returns an address with its marks. Empty if the address has no use in a plain text. */
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

/** Removes the marks of addresses from a text, and returns the addresses that contain tags. */
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

/** An address in the text part of a mail, with its brackets and the blank before them. */
export interface TextLink {
  start: number;
  end: number;
  /** Whether the template's own text has the scheme. Otherwise a tag begins the address. */
  settled: boolean;
}

/*
 * A block may write nothing, or the same line many times. So adjacent runs of blanks and line ends beside blocks
 * collapse to the largest run, like CSS margins, and a line with only block tags writes no empty line. While a text is
 * written, each of these blanks is a Unicode noncharacter. A noncharacter in a value becomes a blank.
 */

/** The marks: for the first of several adjacent line ends, for each further one, and the same two for blanks. */
const [LINES, LINE, BLANKS, BLANK] = ["\ufdd0", "\ufdd1", "\ufdd2", "\ufdd3"] as const;

/** Replaces each blank around a block's tags by one mark. */
export function markGaps(text: string, tags: readonly Tag[]): string {
  let marked = "";
  let at = 0;
  let behindBlock = false;
  for (const { kind, start, end } of tags) {
    marked += markedBetween(text.slice(at, start), behindBlock, kind === "block");
    marked += text.slice(start, end);
    at = end;
    behindBlock = kind === "block";
  }
  return marked + markedBetween(text.slice(at), behindBlock, false);
}

/** Replaces each run of marks in a rendered text by its largest gap, and removes those at either end. */
export function collapseGaps(text: string): string {
  return text.replace(/[\ufdd0-\ufdd3]+/g, (row, offset: number) =>
    offset === 0 || offset + row.length === text.length ? "" : longest(row),
  );
}

function markedBetween(text: string, atStart: boolean, atEnd: boolean): string {
  let start = 0;
  let end = text.length;
  if (atStart) {
    while (start < end && isBlank(text.charAt(start))) start++;
    // The indent of a line stays with its text.
    const lineEnd = text.lastIndexOf("\n", start);
    if (start < end && lineEnd !== -1 && lineEnd < start) start = lineEnd + 1;
  }
  if (atEnd) while (end > start && isBlank(text.charAt(end - 1))) end--;
  return mark(text.slice(0, start)) + text.slice(start, end) + mark(text.slice(end));
}

function isBlank(character: string): boolean {
  return character === " " || character === "\n";
}

/** Returns the marks for a run of blanks and line ends: as many as it has characters, line ends first. */
function mark(blanks: string): string {
  if (blanks === "") return "";
  const lines = blanks.split("\n").length - 1;
  if (lines === 0) return BLANKS + BLANK.repeat(blanks.length - 1);
  return LINES + LINE.repeat(lines - 1) + BLANK.repeat(blanks.length - lines);
}

function longest(row: string): string {
  let most = { lines: 0, blanks: 0 };
  let lines = 0;
  let blanks = 0;
  for (const sign of row) {
    if (sign === LINES || sign === BLANKS) lines = blanks = 0;
    if (sign === LINES || sign === LINE) lines++;
    else blanks++;
    most = { lines: Math.max(most.lines, lines), blanks: Math.max(most.blanks, blanks) };
  }
  return most.lines > 0 ? "\n".repeat(most.lines) : " ".repeat(most.blanks);
}
