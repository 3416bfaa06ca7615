/** Scans a text for tags: `{{ name }}`, with or without filters, and `{% if … %}`. */

import { MAX_TAGS } from "./bounds.ts";
import { characterName } from "./characters.ts";

export interface Tag {
  kind: "value" | "block";
  /**
   * A value's name is the variable: the text before the first `|`, or empty for a quoted text.
   * A block's name is its keyword, such as `if` or `endfor`.
   */
  name: string;
  /** The trimmed text between the braces. In a block, it includes the `-` that trims the blanks around the tag. */
  code: string;
  /** The side on which a value trims blanks: `{{- name }}`, `{{ name -}}` or both. */
  trims?: "before" | "behind" | "both";
  /** Offset of the first opening brace. */
  start: number;
  /** Offset after the last closing brace. */
  end: number;
}

export interface TagFault {
  offset: number;
  message: string;
}

// Combining marks belong to letters: words of many scripts cannot be written without them.
const NAME_CHARACTER = /[\p{L}\p{M}\p{Nd}_\-.$: ]/u;

/**
 * Finds all tags of a text, and the faults of single tags: unclosed, empty, or a name with a forbidden character.
 * Filters and the code of blocks are parsed later (parse-template.ts).
 */
export function scanTags(text: string): { tags: Tag[]; faults: TagFault[] } {
  const tags: Tag[] = [];
  const faults: TagFault[] = [];
  const values = finder(text, "{{");
  const blocks = finder(text, "{%");
  let at = 0;
  for (;;) {
    const block = blocks(at);
    const start = Math.min(values(at), block);
    if (start === Number.POSITIVE_INFINITY) break;
    if (tags.length === MAX_TAGS) {
      faults.push({ offset: start, message: `more than ${MAX_TAGS} tags` });
      break;
    }
    const kind = start === block ? "block" : "value";
    const closing = kind === "block" ? "%}" : "}}";
    const close = text.indexOf(closing, start + 2);
    if (close === -1) {
      faults.push({ offset: start, message: `this tag is not closed: ${closing} is missing` });
      break;
    }
    const trims = kind === "value" ? trimsOf(text, start + 2, close) : undefined;
    const inside = start + 2 + (trims === "before" || trims === "both" ? 1 : 0);
    const end = beforeBlanks(
      text,
      inside,
      close - (trims === "behind" || trims === "both" ? 1 : 0),
    );
    const begin = afterBlanks(text, inside, end);
    const code = text.slice(begin, end);
    const name = kind === "block" ? blockWord(code) : valueName(code);
    const fault = kind === "block" ? wordFault(name) : nameFault(name, code);
    const tag: Tag = { kind, name, code, start, end: close + 2 };
    if (fault === undefined) tags.push(trims === undefined ? tag : { ...tag, trims });
    else faults.push({ offset: begin + fault.offset, message: fault.message });
    at = close + 2;
  }
  return { tags, faults };
}

/** Only a `-` next to the braces trims. After a blank, it belongs to the name. */
function trimsOf(text: string, from: number, to: number): Tag["trims"] {
  const before = from < to && text.charAt(from) === "-";
  const behind = to - from > 1 && text.charAt(to - 1) === "-";
  return before && behind ? "both" : before ? "before" : behind ? "behind" : undefined;
}

/** Returns a function that finds the next occurrence of a sign. Call it with growing offsets: the text is read once. */
function finder(text: string, sign: string): (from: number) => number {
  let found = -1;
  return (from) => {
    if (found < from) found = text.indexOf(sign, from);
    if (found === -1) found = Number.POSITIVE_INFINITY;
    return found;
  };
}

/** Returns the first word of a block's code; empty if there is none. */
function blockWord(code: string): string {
  return /^-?[\t\n\r ]*([A-Za-z_]*)/.exec(code)?.[1] ?? "";
}

function wordFault(word: string): TagFault | undefined {
  return word === ""
    ? { offset: 0, message: "this tag has no word, as if, for or else" }
    : undefined;
}

function valueName(code: string): string {
  if (isQuoted(code)) return "";
  const pipe = code.indexOf("|");
  return pipe === -1 ? code : code.slice(0, beforeBlanks(code, 0, pipe));
}

function isQuoted(code: string): boolean {
  return code.startsWith('"') || code.startsWith("'");
}

/** Whether a value's line ends become `<br>`, which is allowed only in the text of an HTML document. */
export function breaksLines({ kind, code }: Tag): boolean {
  return kind === "value" && /\|\s*newline_to_br\s*$/.test(code);
}

/** Replaces every tag, and the blanks that it trims, by as many letters, so that offsets stay the same. */
export function maskTags(text: string, tags: readonly Tag[]): string {
  let masked = "";
  let at = 0;
  for (const { start, end } of tagExtents(text, tags)) {
    masked += text.slice(at, start) + "v".repeat(end - Math.max(at, start));
    at = end;
  }
  return masked + text.slice(at);
}

/**
 * Returns the range that each tag replaces: the tag, and the blanks and line ends around it that its `-` trims. The
 * ranges are in order; two of them may share the blanks between their tags.
 */
export function tagExtents(text: string, tags: readonly Tag[]): { start: number; end: number }[] {
  return tags.map((tag, index) => {
    let { start, end } = tag;
    const before = tags[index - 1]?.end ?? 0;
    const behind = tags[index + 1]?.start ?? text.length;
    if (trimsBefore(tag)) while (start > before && isSpace(text.charAt(start - 1))) start--;
    if (trimsBehind(tag)) while (end < behind && isSpace(text.charAt(end))) end++;
    return { start, end };
  });
}

function trimsBefore({ kind, code, trims }: Tag): boolean {
  return kind === "block" ? code.startsWith("-") : trims === "before" || trims === "both";
}

function trimsBehind({ kind, code, trims }: Tag): boolean {
  return kind === "block" ? code.endsWith("-") : trims === "behind" || trims === "both";
}

/** Returns a tag as it is written in a template, with its trimming hyphens. */
export function writtenTag(tag: Tag): string {
  if (tag.kind === "block") return `{%${tag.code}%}`;
  return `{{${trimsBefore(tag) ? "-" : ""}${tag.code}${trimsBehind(tag) ? "-" : ""}}}`;
}

function isSpace(character: string): boolean {
  return /\s/.test(character);
}

function afterBlanks(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && isBlank(text.charCodeAt(at))) at++;
  return at;
}

function beforeBlanks(text: string, from: number, to: number): number {
  let at = to;
  while (at > from && isBlank(text.charCodeAt(at - 1))) at--;
  return at;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

function nameFault(name: string, code: string): TagFault | undefined {
  if (isQuoted(code)) return undefined;
  if (name === "") return { offset: 0, message: "this tag has no name" };
  let offset = 0;
  let previous = "";
  for (const character of name) {
    if (!NAME_CHARACTER.test(character)) {
      return { offset, message: `${shown(character)} is not allowed in a tag: ${ALLOWED}` };
    }
    if (character === " " && previous === " ") {
      return { offset, message: `two spaces in a row are not allowed in a tag: ${ALLOWED}` };
    }
    previous = character;
    offset += character.length;
  }
  return undefined;
}

const ALLOWED = "a name is made of letters, digits, _ - . $ : and single spaces";

function shown(character: string): string {
  return /[\p{C}\p{Z}]/u.test(character) ? characterName(character) : `"${character}"`;
}

/** Returns how many of `count` items pass a test. A binary search: all items after the first failing one must fail. */
export function countWhile(count: number, passes: (index: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (passes(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the offset of each line's first character. */
export function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

export interface Range {
  start: number;
  /** The offset after the last character. */
  end: number;
}

/**
 * Returns a function that finds the range around an offset. The ranges must be in order and must not overlap. Call the
 * function with growing offsets, so that the ranges are read only once.
 */
export function rangeFinder<R extends Range>(
  ranges: readonly R[],
): (offset: number) => R | undefined {
  let next = 0;
  return (offset) => {
    let range = ranges[next];
    while (range !== undefined && range.end <= offset) range = ranges[++next];
    return range !== undefined && range.start <= offset ? range : undefined;
  };
}
