/**
 * Finds the block tags of a Markdown text. Tags that are alone on a line are removed before parsing, so that a list or a
 * table continues around them. Afterwards they are inserted between its paragraphs, items or rows.
 */

import { countWhile } from "./language/tags.ts";
import { type Interruption, parseMarkdown, type Token } from "./markdown-parser.ts";

/** A block tag on a line that contains only block tags. The line is removed before parsing. */
export interface TagLine {
  /** The index, among the remaining lines, of the line after the tag. */
  line: number;
  /** The tag's index. */
  tag: number;
}

/** For each container and index of a child, the tags to insert before this child, in order. */
export type Insertions = Map<MarkdownBlock, Map<number, number[]>>;

export interface ReadBlocks {
  root: MarkdownBlock;
  insertions: Insertions;
  /** The blocks whose tags are all on lines without text. */
  onLines: ReadonlySet<readonly number[]>;
  faults: { tag: number; message: string }[];
  /** The first line that is too deep in lists and quotations, counted from 0; undefined if there is none. */
  tooDeep: number | undefined;
}

/**
 * Parses `lines`, from which `tagLines` have been removed, and finds the places of the removed tags. `blocks` has the
 * tags of each block, from the opening tag to the end tag.
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
  // At first, lists continue around block tags. If a block's tags then have no common container, a second run ends the
  // lists at these tags.
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

/** Returns, for each line, the first line from it on that is not blank. A blank line alone ends nothing. */
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
  /** For each tag, the index of the container's child after it. */
  gaps: number[];
}

/** Returns the innermost container between whose children all these lines are; undefined if there is none. */
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

/** Returns the containers between whose children a line begins, each with the index of the child after the line. */
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

/** Elements between whose children block tags may be. The empty name is the text itself. */
const TAKES_TAGS = new Set(["", "ul", "ol", "li", "tbody"]);

/** Returns how many of a block's children end at or before a line, by binary search. */
function childrenBefore({ children }: MarkdownBlock, line: number): number {
  return countWhile(children.length, (at) => (children[at]?.end ?? 0) <= line);
}

export interface MarkdownBlock {
  /** The name of its HTML element, such as `p`, `ul` or `tr`; empty for the text itself. */
  element: string;
  /** The token that opens the block; undefined for the text itself. */
  token: Token | undefined;
  /** The content of a paragraph, a heading or a cell; undefined for all other blocks. */
  inline: Token | undefined;
  children: MarkdownBlock[];
  depth: number;
  /** The first line, counted from 0. `end` is the line after the last one that is not blank. */
  begin: number;
  end: number;
}

/** Maximum depth of nested lists and quotations. Nobody writes deeper ones on purpose. */
export const MAX_MARKDOWN_DEPTH = 20;

/** Builds the tree of a text. Leaves out parts deeper than `MAX_MARKDOWN_DEPTH`; `tooDeep` is their first line. */
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
    // A list adds two levels: the list and its item.
    if (token.level > MAX_MARKDOWN_DEPTH * 2) {
      tooDeep ??= token.map?.[0] ?? parent.begin;
    } else if (token.nesting === -1) {
      // The parser's end of a block may include blank lines; the end of its last child does not.
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
