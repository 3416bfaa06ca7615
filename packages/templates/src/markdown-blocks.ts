/**
 * Finds the block tags of a Markdown text. Tags that are alone on a line are removed before parsing, so that a list or a
 * table continues around them. Afterwards they are inserted between its paragraphs, items or rows.
 */

import { countWhile } from "./language/tags.ts";
import { type Interruption, parseMarkdown, type Token } from "./markdown-parser.ts";

/** A block tag that stands on a line of nothing but block tags. */
export interface TagLine {
  /** The line that it stood before, of those that are left. */
  line: number;
  /** The tag's index. */
  tag: number;
}

/** Tags to insert before the child with that number of a container, in order. */
export type Insertions = Map<MarkdownBlock, Map<number, number[]>>;

export interface ReadBlocks {
  root: MarkdownBlock;
  insertions: Insertions;
  /** The blocks whose tags stand alone on lines. */
  onLines: ReadonlySet<readonly number[]>;
  faults: { tag: number; message: string }[];
  /** The line that stands too deep in lists and quotations. */
  tooDeep: number | undefined;
}

/**
 * Reads the lines that are left when `tagLines` are taken out.
 * `blocks`: the tags of each block, from its opening to its end.
 */
export function readBlocks(
  lines: readonly string[],
  tagLines: readonly TagLine[],
  blocks: readonly (readonly number[])[],
): ReadBlocks {
  const text = lines.join("\n");
  const lineOf = new Map(tagLines.map(({ tag, line }) => [tag, line]));
  const onLines = new Set(blocks.filter((tags) => tags.every((tag) => lineOf.has(tag))));
  const behind = linesBehindBlanks(lines);
  const interruptions = new Map<number, Interruption>();
  for (const { line } of tagLines) interruptions.set(behind[line] ?? line, "item");
  // A list goes on around the tags of its items. Where a block cannot be set that way, it ends there.
  for (const isLast of [false, true]) {
    const { root, tooDeep } = markdownTree(parseMarkdown(text, interruptions));
    const insertions: Insertions = new Map();
    const faults: ReadBlocks["faults"] = [];
    for (const tags of blocks) {
      const own = tags.filter((tag) => lineOf.has(tag));
      if (own.length === 0) continue;
      const places = placesOf(
        own.map((tag) => lineOf.get(tag) ?? 0),
        root,
      );
      if (places === undefined || !onLines.has(tags)) {
        faults.push({ tag: tags[0] ?? 0, message: onLines.has(tags) ? ACROSS : MIXED });
        for (const tag of own) interruptions.set(behind[lineOf.get(tag) ?? 0] ?? 0, "list");
        continue;
      }
      own.forEach((tag, at) => {
        insert(insertions, places.container, places.gaps[at] ?? 0, tag);
      });
    }
    if (faults.length === 0 || isLast) {
      for (const gaps of insertions.values()) {
        for (const tags of gaps.values()) tags.sort((one, other) => one - other);
      }
      return { root, insertions, onLines, faults, tooDeep };
    }
  }
  throw new Error("unreachable");
}

/** Returns, for each line, itself or the next one that is not blank. A blank line alone ends nothing. */
function linesBehindBlanks(lines: readonly string[]): number[] {
  const behind: number[] = [];
  for (let line = lines.length - 1; line >= 0; line--) {
    behind[line] = lines[line]?.trim() === "" ? (behind[line + 1] ?? line) : line;
  }
  return behind;
}

const ACROSS =
  "begins and ends at different places: its tags stand around whole paragraphs, items of one list or rows of one table";
const MIXED = "has tags on lines of their own and tags within text: write all of them the same way";

function insert(insertions: Insertions, container: MarkdownBlock, gap: number, tag: number): void {
  const gaps = insertions.get(container) ?? new Map<number, number[]>();
  insertions.set(container, gaps);
  const tags = gaps.get(gap) ?? [];
  gaps.set(gap, tags);
  tags.push(tag);
}

interface Places {
  container: MarkdownBlock;
  /** The number of the container's child that each of the tags stands before. */
  gaps: number[];
}

/** The innermost block that has all of a block's tags between its children. */
function placesOf(lines: readonly number[], root: MarkdownBlock): Places | undefined {
  let containers: Map<MarkdownBlock, number[]> | undefined;
  for (const line of lines) {
    const found = new Map<MarkdownBlock, number[]>();
    for (const [container, gap] of containersAt(line, root)) {
      const before = containers === undefined ? [] : containers.get(container);
      if (before !== undefined) found.set(container, [...before, gap]);
    }
    containers = found;
  }
  let innermost: Places | undefined;
  for (const [container, gaps] of containers ?? []) {
    const isInner = innermost === undefined || container.depth > innermost.container.depth;
    if (isInner) innermost = { container, gaps };
  }
  return innermost;
}

/** The blocks between whose children a line begins, each with the number of the child behind it. */
function containersAt(line: number, root: MarkdownBlock): [MarkdownBlock, number][] {
  const found: [MarkdownBlock, number][] = [];
  const inside = (block: MarkdownBlock): void => {
    const gap = childrenBefore(block, line);
    const next = block.children[gap];
    if (next !== undefined && next.begin < line) {
      inside(next);
      return;
    }
    if (TAKES_TAGS.has(block.element)) found.push([block, gap]);
    const last = block.children[gap - 1];
    if (last !== undefined) atEnd(last);
    if (next !== undefined && (next.element === "ul" || next.element === "ol"))
      found.push([next, 0]);
    if (next?.element === "tbody" && next.begin === line) found.push([next, 0]);
  };
  const atEnd = (block: MarkdownBlock): void => {
    if (TAKES_TAGS.has(block.element)) found.push([block, block.children.length]);
    const last = block.children.at(-1);
    if (last !== undefined && block.element !== "tr") atEnd(last);
  };
  inside(root);
  return found;
}

/** The text itself, and the blocks that hold whole others. */
const TAKES_TAGS = new Set(["", "ul", "ol", "li", "tbody"]);

/** How many of a block's children end at or before a line, by halving. */
function childrenBefore({ children }: MarkdownBlock, line: number): number {
  return countWhile(children.length, (at) => (children[at]?.end ?? 0) <= line);
}

export interface MarkdownBlock {
  /** The name of its element, as `p`, `ul` or `tr`; the text's own is empty. */
  element: string;
  /** The token that opens it. */
  token: Token | undefined;
  /** The marks and words of a paragraph, a heading or a cell. */
  inline: Token | undefined;
  children: MarkdownBlock[];
  depth: number;
  /** Its first line, counted from 0, and the line behind its last one that is not blank. */
  begin: number;
  end: number;
}

/** Deeper than this nobody means a list or a quotation. */
export const MAX_MARKDOWN_DEPTH = 20;

/** Builds the tree of a text. Leaves out parts deeper than `MAX_MARKDOWN_DEPTH` and reports their lines. */
export function markdownTree(tokens: readonly Token[]): {
  root: MarkdownBlock;
  tooDeep: number | undefined;
} {
  const root: MarkdownBlock = {
    element: "",
    token: undefined,
    inline: undefined,
    children: [],
    depth: 0,
    begin: 0,
    end: Number.POSITIVE_INFINITY,
  };
  const open = [root];
  let tooDeep: number | undefined;
  for (const token of tokens) {
    const parent = open.at(-1) ?? root;
    if (token.level > MAX_MARKDOWN_DEPTH * 2) {
      tooDeep ??= token.map?.[0] ?? parent.begin;
    } else if (token.nesting === -1) {
      const last = parent.children.at(-1);
      if (last !== undefined) parent.end = last.end;
      open.pop();
    } else if (token.type === "inline") {
      parent.inline = token;
    } else {
      const block = blockOf(token, parent);
      parent.children.push(block);
      if (token.nesting === 1) open.push(block);
    }
  }
  return { root, tooDeep };
}

function blockOf(token: Token, parent: MarkdownBlock): MarkdownBlock {
  // A cell has the lines of its row.
  const [begin, end] = token.map ?? [parent.begin, parent.end];
  const depth = parent.depth + 1;
  return { element: token.tag, token, inline: undefined, children: [], depth, begin, end };
}
