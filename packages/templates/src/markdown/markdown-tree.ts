/** The blocks of a Markdown text as a tree, each with the lines that it covers. */

import type { Token } from "./markdown-parser.ts";

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

/** Builds the tree of a text. What stands deeper than `MAX_MARKDOWN_DEPTH` is told by its line, and left out. */
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
