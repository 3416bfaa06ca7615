/**
 * Blanks and line ends beside the blocks of a mail's text part. A block may write nothing, or the same
 * line many times: what stands between two words is then the longest of the distances that meet there,
 * as a page has it, and not their sum. So a line of nothing but blocks' tags leaves none.
 *
 * While a text is written these blanks are characters that no text needs: Unicode keeps them for a
 * program's own use. One in a value is no more than a blank.
 */

import type { Tag } from "../language/tags.ts";

/** The first of some line ends together, each further one, and the same for blanks. */
const [LINES, LINE, BLANKS, BLANK] = ["\ufdd0", "\ufdd1", "\ufdd2", "\ufdd3"] as const;

/** The text with the blanks around each block's tag marked, each by one character. */
export function markBlanks(text: string, tags: readonly Tag[]): string {
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

/** A rendered text with each row of marked blanks as the longest distance in it. None begins or ends it. */
export function joinBlanks(text: string): string {
  return text.replace(/[\ufdd0-\ufdd3]+/g, (row, offset: number) =>
    offset === 0 || offset + row.length === text.length ? "" : longest(row),
  );
}

function markedBetween(text: string, atStart: boolean, atEnd: boolean): string {
  let start = 0;
  let end = text.length;
  if (atStart) {
    while (start < end && isBlank(text.charAt(start))) start++;
    // A line's own indent stays with its words.
    const lineEnd = text.lastIndexOf("\n", start);
    if (start < end && lineEnd !== -1 && lineEnd < start) start = lineEnd + 1;
  }
  if (atEnd) while (end > start && isBlank(text.charAt(end - 1))) end--;
  return mark(text.slice(0, start)) + text.slice(start, end) + mark(text.slice(end));
}

function isBlank(character: string): boolean {
  return character === " " || character === "\n";
}

/** As many marks as blanks. A blank beside line ends is not counted. */
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
