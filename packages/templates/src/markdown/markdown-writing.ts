/** What writing the blocks of one Markdown text keeps. */

import type { Direction } from "../mail/text-direction.ts";
import type { Insertions } from "./markdown-blocks.ts";
import { type InlineFault, type InlineStyle, inlineHtml } from "./markdown-inline.ts";
import type { Token } from "./markdown-parser.ts";
import type { MarkdownBlock } from "./markdown-tree.ts";
import type { WordReader } from "./markdown-words.ts";

export interface Writing {
  words: WordReader;
  links: InlineStyle;
  direction: Direction;
  insertions: Insertions;
  /** `line` as the blocks count it. */
  faults: (InlineFault & { line: number })[];
  /** The texts that were written, each with a number; by the tags that stand in them. */
  textOf: Map<number, number>;
  texts: number;
}

/** Writes words with their marks. */
export function writeInline(
  { links, faults }: Writing,
  tokens: readonly Token[],
  { begin }: MarkdownBlock,
): string {
  const found: InlineFault[] = [];
  const html = inlineHtml(tokens, links, found);
  for (const fault of found) faults.push({ line: begin, ...fault });
  return html;
}

/** Notes that what is written is one text, which a block may begin and end in. */
export function asOneText(writing: Writing, html: string): string {
  writing.texts++;
  for (const tag of writing.words.tagsIn(html)) writing.textOf.set(tag, writing.texts);
  return html;
}

/** Writes the words of a paragraph, a heading or a cell. */
export function writeText(writing: Writing, block: MarkdownBlock): string {
  return asOneText(writing, writeInline(writing, block.inline?.children ?? [], block));
}

/** Writes a block's children, and the block tags that stand between them. */
export function writeChildren(
  { insertions, words }: Writing,
  block: MarkdownBlock,
  write: (child: MarkdownBlock, at: number) => string,
): string {
  const gaps = insertions.get(block);
  const tagsAt = (gap: number): string =>
    (gaps?.get(gap) ?? []).map((tag) => words.of(tag)).join("");
  const parts = block.children.map((child, at) => tagsAt(at) + write(child, at));
  return parts.join("") + tagsAt(block.children.length);
}

/** The first tags of blocks that stand within text, but not in one and the same. */
export function scatteredBlocks({ textOf }: Writing, blocks: Iterable<readonly number[]>) {
  return [...blocks]
    .filter((tags) => new Set(tags.map((tag) => textOf.get(tag))).size > 1)
    .map(([first = 0]) => first);
}
