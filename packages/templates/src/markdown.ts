/**
 * Compiles Markdown to MJML components, which are inserted into a column of the layout. Words replace the tags in the
 * Markdown (tag-words.ts), so that no value is read as Markdown.
 */

import { writeChat } from "./chat/write-chat.ts";
import { MAX_FAULTS } from "./language/bounds.ts";
import { wordReader } from "./language/tag-words.ts";
import { readBlocks, type TagLine } from "./markdown-blocks.ts";
import { writeComponents } from "./markdown-components.ts";
import {
  type InlineFault,
  type InlineStyle,
  inlineHtml,
  type RenderState,
  scatteredBlocks,
} from "./markdown-inline.ts";
import { parseInline } from "./markdown-parser.ts";
import type { Direction } from "./text-direction.ts";

export interface MarkdownSource {
  /** Markdown in which each tag is replaced by a word: `wordStart`, the tag's index and an `x`. */
  content: string;
  wordStart: string;
  /** The indexes of each block's tags, from the opening tag to the end tag. */
  blocks: readonly (readonly number[])[];
  links: InlineStyle;
  /** The writing direction of the mail's language. */
  direction: Direction;
}

export type MarkdownResult = { ok: true; html: string } | { ok: false; errors: MarkupFault[] };

/** Parses a text and returns its components, as `write` writes them: those of MJML, or the markup of a chat. */
function markdownToMarkup(
  { content, wordStart, blocks, links, direction }: MarkdownSource,
  write: typeof writeComponents,
): MarkdownResult {
  const words = wordReader(wordStart, blocks);
  const { lines, numbers, tagLines } = withoutTagLines(content, (line) =>
    words.onlyBlockTags(line),
  );
  const read = readBlocks(lines, tagLines, blocks);
  const { root, insertions, onLines, tooDeep } = read;
  const state = { insertions, faults: [], runOfTag: new Map(), runs: 0 };
  const writing: RenderState = { words, links, direction, ...state };
  const markup = write(writing, root);
  const lineOf = (line: number): number => numbers[line] ?? numbers.at(-1) ?? 1;
  const about = (tag: number, message: string): MarkupFault => ({
    line: 1,
    message: `${words.of(tag)} ${message}`,
  });
  const inText = blocks.filter((tags) => !onLines.has(tags));
  const misplaced = new Set(read.faults.map(({ tag }) => tag));
  const scattered = scatteredBlocks(writing, inText).filter((tag) => !misplaced.has(tag));
  const faults = [
    ...(tooDeep === undefined ? [] : [{ line: lineOf(tooDeep), message: TOO_DEEP }]),
    ...read.faults.map(({ tag, message }) => about(tag, message)),
    ...scattered.map((tag) => about(tag, SCATTERED)),
    ...writing.faults.map(({ line, ...fault }) => ({ line: lineOf(line), ...fault })),
  ];
  if (faults.length > 0) return { ok: false, errors: faults.slice(0, MAX_FAULTS) };
  if (markup === "") return { ok: false, errors: [{ line: 1, message: "content is empty" }] };
  return { ok: true, html: markup };
}

export function markdownToMjml(source: MarkdownSource): MarkdownResult {
  return markdownToMarkup(source, writeComponents);
}

export function markdownToChat(source: MarkdownSource): MarkdownResult {
  return markdownToMarkup(source, writeChat);
}

const TOO_DEEP = "lists and quotations stand too deep in one another";
const SCATTERED =
  "begins in one text and ends in another: write each of the block's tags alone on a line of its own";

/** Removes the lines that contain only block tags. `numbers` has the line numbers of the remaining lines, from 1. */
function withoutTagLines(content: string, tagsOf: (line: string) => number[] | undefined) {
  const lines: string[] = [];
  const numbers: number[] = [];
  const tagLines: TagLine[] = [];
  content.split(/\r\n?|\n/).forEach((line, at) => {
    const tags = tagsOf(line) ?? [];
    for (const tag of tags) tagLines.push({ line: lines.length, tag });
    if (tags.length > 0) return;
    lines.push(line);
    numbers.push(at + 1);
  });
  return { lines, numbers, tagLines };
}

/** Compiles one paragraph, without lists, headings, images and buttons, to HTML. */
export function markdownToHtml(content: string, links: InlineStyle): MarkdownResult {
  const faults: InlineFault[] = [];
  const tokens = parseInline(content)[0]?.children ?? [];
  const html = inlineHtml(tokens, links, faults);
  if (faults.length === 0) return { ok: true, html };
  return { ok: false, errors: faults.map((fault) => ({ line: 1, ...fault })) };
}

/** A fault of a markup source; `line` counts from 1. A message that contains the word of a tag is about this tag. */
export interface MarkupFault {
  line: number;
  message: string;
  /** Only in Markdown: the text to search for in this line and after it. */
  near?: string;
}
