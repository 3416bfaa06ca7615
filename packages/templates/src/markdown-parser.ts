/** The Markdown of mails: what CommonMark and its tables have, without what surprises people. */

import MarkdownIt, { type Token } from "markdown-it";

export type { Token } from "markdown-it";

/**
 * Where a block tag was taken from between two lines: a paragraph ends there. A list ends only at
 * `list`; at `item` it goes on, as a table does at both.
 */
export type Interruption = "item" | "list";

const parser = new MarkdownIt({ html: false, breaks: true });
// A text over a `---` stays a text. Four blanks before a line mean nothing. Code and links that are
// defined elsewhere are for programmers.
parser.disable(["code", "fence", "lheading", "reference", "html_block"]);
// What an address may be is judged later, with words about it.
parser.validateLink = () => true;
parser.block.ruler.before(
  "paragraph",
  "interruption",
  ({ env, parentType }, line, _end, silent) => {
    if (!silent || parentType === "table") return false;
    const { interruptions } = env as unknown as Environment;
    const found = interruptions.get(line);
    return found === "list" || (found === "item" && parentType !== "list");
  },
  { alt: ["paragraph", "blockquote", "list"] },
);

interface Environment {
  /** By the line before which it is; lines begin at 0. */
  interruptions: ReadonlyMap<number, Interruption>;
}

/** Reads a text. Deeper than 100 blocks or marks in one another it reads on as if nothing were there. */
export function parseMarkdown(
  text: string,
  interruptions: ReadonlyMap<number, Interruption> = new Map(),
): Token[] {
  return parser.parse(text, { interruptions } satisfies Environment);
}

/** Reads a text of one paragraph, without lists, headings and the like. */
export function parseInline(text: string): Token[] {
  return parser.parseInline(text, {});
}
