/** Lines of a plain text that hold nothing but blocks' tags: they are written as nothing, their ends too. */

import { type Tag, tagExtents } from "../language/tags.ts";
import { tagText } from "../mail/markup-words.ts";
import type { Range } from "./ranges.ts";

/**
 * The text without the ends and blanks of such lines, and without the blanks that tags trim. Its tags
 * stand as in a compiled text.
 */
export function withoutTagLines(text: string, tags: readonly Tag[]): string {
  const extents = tagExtents(text, tags);
  for (let first = 0; first < tags.length; first++) {
    let last = first;
    while (areOfOneLine(text, tags[last], tags[last + 1])) last++;
    const line = lineOf(text, tags, first, last);
    for (let index = first; line !== undefined && index <= last; index++) {
      const extent = extents[index];
      if (extent === undefined) continue;
      if (index === first) extent.start = Math.min(extent.start, line.start);
      extent.end = Math.max(extent.end, index === last ? line.end : (tags[index + 1]?.start ?? 0));
    }
    first = last;
  }
  let result = "";
  let at = 0;
  tags.forEach((tag, index) => {
    const { start, end } = extents[index] ?? tag;
    const before = text.slice(at, start);
    // What it trimmed may have kept another brace from this one.
    result += before + (before.endsWith("{") ? " " : "") + tagText(tag);
    at = Math.max(at, end);
  });
  return result + text.slice(at);
}

function areOfOneLine(text: string, tag: Tag | undefined, next: Tag | undefined): boolean {
  if (tag?.kind !== "block" || next?.kind !== "block") return false;
  return /^[ \t]*$/.test(text.slice(tag.end, next.start));
}

/** The line that some tags fill, with its end. Undefined where the line holds anything else. */
function lineOf(
  text: string,
  tags: readonly Tag[],
  first: number,
  last: number,
): Range | undefined {
  if (tags[first]?.kind !== "block") return undefined;
  const begins = tags[first - 1]?.end ?? 0;
  const ends = tags[last + 1]?.start ?? text.length;
  let start = tags[first]?.start ?? 0;
  while (start > begins && isBlank(text.charAt(start - 1))) start--;
  let end = tags[last]?.end ?? 0;
  while (end < ends && isBlank(text.charAt(end))) end++;
  if (start > 0 && text.charAt(start - 1) !== "\n") return undefined;
  if (end === text.length) return { start, end };
  const lineEnd = /\r?\n/y;
  lineEnd.lastIndex = end;
  return lineEnd.test(text) ? { start, end: lineEnd.lastIndex } : undefined;
}

function isBlank(character: string): boolean {
  return character === " " || character === "\t";
}
