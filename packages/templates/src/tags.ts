/** The scanner of `{{ name }}` tags: the whole syntax of the template language. */

import { MAX_TAGS } from "./bounds.ts";

export interface Tag {
  /** The trimmed text between the braces. */
  name: string;
  /** Offset of the first opening brace. */
  start: number;
  /** Offset behind the last closing brace. */
  end: number;
}

export interface TagFault {
  offset: number;
  message: string;
}

// Letters take their combining marks along: words of many scripts cannot be written without.
const NAME_CHARACTER = /[\p{L}\p{M}\p{Nd}_\-.$: ]/u;

/** Finds every tag of a text, and every fault: an unclosed tag, an empty one, a forbidden character. */
export function scanTags(text: string): { tags: Tag[]; faults: TagFault[] } {
  const tags: Tag[] = [];
  const faults: TagFault[] = [];
  let start = text.indexOf("{{");
  while (start !== -1) {
    if (tags.length === MAX_TAGS) {
      faults.push({ offset: start, message: `more than ${MAX_TAGS} tags` });
      break;
    }
    const close = text.indexOf("}}", start + 2);
    if (close === -1) {
      faults.push({ offset: start, message: "this tag is not closed: }} is missing" });
      break;
    }
    const nameEnd = beforeBlanks(text, start + 2, close);
    const nameStart = afterBlanks(text, start + 2, nameEnd);
    const name = text.slice(nameStart, nameEnd);
    const fault = nameFault(name);
    if (fault === undefined) tags.push({ name, start, end: close + 2 });
    else faults.push({ offset: nameStart + fault.offset, message: fault.message });
    start = text.indexOf("{{", close + 2);
  }
  return { tags, faults };
}

/** The text with every tag replaced by as many letters, so that offsets stay. */
export function maskTags(text: string, tags: readonly Tag[]): string {
  let masked = "";
  let at = 0;
  for (const tag of tags) {
    masked += text.slice(at, tag.start) + "v".repeat(tag.end - tag.start);
    at = tag.end;
  }
  return masked + text.slice(at);
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

function nameFault(name: string): TagFault | undefined {
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
  if (/[\p{C}\p{Z}]/u.test(character)) {
    return `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}`;
  }
  return `"${character}"`;
}
