/**
 * Replaces tags by placeholder words while MJML, markdown-it and html-to-text process a document. CSS, MJML and Markdown
 * tables interpret braces, and a tag may contain anything; a word of letters and digits passes through unchanged.
 */

import { createHash } from "node:crypto";
import { lineStarts, type Range, type Tag, tagExtents } from "./tags.ts";

export interface MarkupWords {
  /** The document with its tags replaced by placeholder words. */
  content: string;
  /** Puts the tags back, as `{{code}}` or `{%code%}`. */
  restore(text: string): string;
  /** Puts the tags back into a text in which the document's own braces may have become adjacent. */
  restoreText(text: string): string;
  /** The indexes of the tags whose words a text contains, in the order of the text. */
  indexesIn(text: string): number[];
  /** The offset in the source of a line of the content; lines count from 1. */
  lineOffset(line: number): number;
}

/** Whether a text begins with the placeholder of a value's tag, from any document. */
export function beginsWithWord(text: string): boolean {
  return /^bf[0-9a-f]{12}x\d+x/.test(text);
}

/** Whether a text contains the placeholder of a block's tag, from any document. */
export function holdsBlockWord(text: string): boolean {
  return /bf[0-9a-f]{12}z\d+x/.test(text);
}

/** Replaces the tags of a document by words. `between` has the indexes of tags that MJML keeps only inside `mj-raw`. */
export function markupWords(
  source: string,
  tags: readonly Tag[],
  between: ReadonlySet<number> = new Set(),
): MarkupWords {
  const hash = hashOf(source);
  const word = new RegExp(`bf${hash}[xz](\\d+)x`, "g");
  const written = tags.map(tagText);
  const tag = (index: string): string => written[Number(index)] ?? "";
  const { content, offsetOf } = withWords(source, tagExtents(source, tags), (index) => {
    const own = `bf${hash}${tags[index]?.kind === "block" ? "z" : "x"}${index}x`;
    return between.has(index) ? `<mj-raw>${own}</mj-raw>` : own;
  });
  return {
    content,
    restore: (text) => text.replace(word, (_, index: string) => tag(index)),
    restoreText: (text) =>
      text
        // Separate braces that would read as a new tag. Also `{%`: a subject could bring logic into the email.
        .replace(/\{(?=[{%])/g, "{ ")
        .replace(new RegExp(`\\{(?=bf${hash}[xz])`, "g"), "{ ")
        .replace(word, (_, index: string) => tag(index)),
    indexesIn: (text) => [...text.matchAll(word)].map((match) => Number(match[1])),
    lineOffset: (line) => offsetOf(lineStarts(content)[line - 1] ?? content.length),
  };
}

/** A document cannot contain its own hash, so none of its words looks like a placeholder. */
function hashOf(source: string): string {
  return createHash("sha256").update(source).digest("hex").slice(0, 12);
}

/**
 * Replaces ranges of a source by words. `offsetOf` returns the source offset for an offset of the content outside
 * words.
 */
function withWords(source: string, ranges: readonly Range[], wordOf: (index: number) => string) {
  const ends: { inContent: number; inSource: number }[] = [];
  let content = "";
  let at = 0;
  for (const [index, { start, end }] of ranges.entries()) {
    content += source.slice(at, start) + wordOf(index);
    at = end;
    ends.push({ inContent: content.length, inSource: end });
  }
  content += source.slice(at);
  const offsetOf = (offset: number): number => {
    const end = ends.findLast(({ inContent }) => inContent <= offset);
    return end === undefined ? offset : offset - end.inContent + end.inSource;
  };
  return { content, offsetOf };
}

/** Returns a tag as compiled texts contain it: without trimming hyphens, because the blanks are already trimmed. */
export function tagText({ kind, code }: Tag): string {
  return kind === "value" ? `{{${code}}}` : `{%${code.replace(/^-|-$/g, "").trim()}%}`;
}

export interface MarkdownWords {
  /** The text with its tags replaced. A value's tag also replaces the blanks that it trims; a block's tag does not. */
  content: string;
  wordStart: string;
  /** The source offset for an offset in `content` outside words. */
  offsetOf(offset: number): number;
  /** The offset in `content` at which a line begins; lines count from 1. */
  lineStart(line: number): number;
  /** Restores the written tags in a parser's message, and returns the index of the first one. */
  read(message: string): { message: string; tag: number | undefined };
}

export function markdownWords(source: string, tags: readonly Tag[]): MarkdownWords {
  const wordStart = `bf${hashOf(source)}x`;
  const extents = tagExtents(source, tags);
  const ranges = tags.map((tag, index) => (tag.kind === "value" && extents[index]) || tag);
  const { content, offsetOf } = withWords(source, ranges, (index) => `${wordStart}${index}x`);
  return {
    content,
    wordStart,
    offsetOf,
    lineStart: (line) => {
      const ends = content.matchAll(/\r\n?|\n/g);
      let start = 0;
      for (let at = 1; at < line; at++) {
        const { value } = ends.next();
        if (value !== undefined) start = value.index + value[0].length;
      }
      return start;
    },
    read: (message) => {
      let tag: number | undefined;
      const text = message.replace(new RegExp(`${wordStart}(\\d+)x`, "g"), (_, index: string) => {
        tag ??= Number(index);
        const { kind, code = "" } = tags[Number(index)] ?? {};
        return kind === "block" ? `{% ${code} %}` : `{{ ${code} }}`;
      });
      return { message: text, tag };
    },
  };
}

export interface WordReader {
  /** Returns the word of the tag with this index. */
  of(tag: number): string;
  /** Returns the indexes of the tags whose words a text contains, in order. */
  tagsIn(text: string): number[];
  /** Returns the tags of a text that consists only of blanks and block tags; undefined for any other text. */
  onlyBlockTags(text: string): number[] | undefined;
  /** Splits off the opening tag and the end tag of a block if the text begins and ends with them. */
  unwrap(html: string): { before: string; html: string; behind: string };
}

/** `blocks` has the indexes of each block's tags, from the opening tag to the end tag. */
export function wordReader(wordStart: string, blocks: readonly (readonly number[])[]): WordReader {
  const word = new RegExp(`${wordStart}(\\d+)x`, "g");
  const blockTags = new Set(blocks.flat());
  // Opening tag to end tag, for blocks without `else`.
  const ends = new Map(blocks.filter(({ length }) => length === 2).map(([from, to]) => [from, to]));
  const of = (tag: number): string => `${wordStart}${tag}x`;
  const tagsIn = (text: string): number[] =>
    [...text.matchAll(word)].map((match) => Number(match[1]));
  return {
    of,
    tagsIn,
    onlyBlockTags: (text) => {
      const tags = tagsIn(text);
      if (tags.some((tag) => !blockTags.has(tag))) return undefined;
      return text.replace(word, "").trim() === "" ? tags : undefined;
    },
    unwrap: (html) => {
      const tags = tagsIn(html);
      const [first = -1, last = -1] = [tags[0], tags.at(-1)];
      const [before, behind] = [of(first), of(last)];
      const isWrapped =
        ends.get(first) === last && html.startsWith(before) && html.endsWith(behind);
      if (!isWrapped) return { before: "", html, behind: "" };
      return { before, html: html.slice(before.length, -behind.length).trim(), behind };
    },
  };
}
