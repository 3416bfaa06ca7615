/** The words that stand for tags in a Markdown text: to markup-words.ts they are those of values. */

import { createHash } from "node:crypto";
import { type Tag, tagExtents } from "../language/tags.ts";

export interface MarkdownWords {
  /** The text with its tags replaced, and the blanks that values trim; a block's tag takes none with it. */
  content: string;
  wordStart: string;
  /** The offset in the source of an offset in `content`, which is not inside a word. */
  offsetOf(offset: number): number;
  /** The offset in `content` at which a line begins; lines begin at 1. */
  lineStart(line: number): number;
  /** A message with its tags as they are written, and the first of them. */
  read(message: string): { message: string; tag: number | undefined };
}

export function markdownWords(source: string, tags: readonly Tag[]): MarkdownWords {
  // No text can hold the hash of itself, so no word of its own looks like one of these.
  const hash = createHash("sha256").update(source).digest("hex").slice(0, 12);
  const wordStart = `bf${hash}x`;
  const ends: { inContent: number; inSource: number }[] = [];
  let content = "";
  let at = 0;
  const extents = tagExtents(source, tags);
  tags.forEach((tag, index) => {
    const { start, end } = (tag.kind === "value" && extents[index]) || tag;
    content += `${source.slice(at, start)}${wordStart}${index}x`;
    at = end;
    ends.push({ inContent: content.length, inSource: end });
  });
  content += source.slice(at);
  return {
    content,
    wordStart,
    offsetOf: (offset) => {
      const end = ends.findLast(({ inContent }) => inContent <= offset);
      return end === undefined ? offset : offset - end.inContent + end.inSource;
    },
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
  /** The word of a tag. */
  of(tag: number): string;
  /** The tags in a text, in order. */
  tagsIn(text: string): number[];
  /** The tags of a text that has nothing but blanks and tags of blocks; undefined for any other. */
  onlyBlockTags(text: string): number[] | undefined;
  /** A text without the opening of a block and its end, where it begins and ends with those. */
  unwrap(html: string): { before: string; html: string; behind: string };
}

/** `blocks`: the indexes of each block's tags, from its opening to its end. */
export function wordReader(wordStart: string, blocks: readonly (readonly number[])[]): WordReader {
  const word = new RegExp(`${wordStart}(\\d+)x`, "g");
  const blockTags = new Set(blocks.flat());
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
