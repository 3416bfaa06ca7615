/** The Markdown of mails: what CommonMark and its tables have, without what surprises people. */

import MarkdownIt, { type StateBlock, type Token } from "markdown-it";
import cjkFriendly from "markdown-it-cjk-friendly";

export type { Token } from "markdown-it";

/**
 * Where a block tag was taken from between two lines: a paragraph and a quotation end there, and a table
 * does if no row follows. A list ends only at `list`; at `item` it goes on.
 */
export type Interruption = "item" | "list";

const parser = new MarkdownIt({ html: false, breaks: true });
// CommonMark takes `**` between full-width punctuation and a letter for no end: `**注意：**请` has stars.
parser.use(cjkFriendly);
// A text over a `---` stays a text. Four blanks before a line mean nothing. Code and links that are
// defined elsewhere are for programmers.
parser.disable(["code", "fence", "lheading", "reference", "html_block"]);
// What an address may be is judged later, with words about it.
parser.validateLink = () => true;
parser.block.ruler.before(
  "paragraph",
  "interruption",
  (state, line, _end, silent) => {
    if (!silent) return false;
    const found = (state.env as unknown as Environment).interruptions.get(line);
    if (found === undefined) return false;
    if (state.parentType === "table") return !isRow(state, line) || isRuler(state, line + 1);
    return found === "list" || state.parentType !== "list";
  },
  // A table ends where quotations do.
  { alt: ["paragraph", "list", "blockquote"] },
);
const readQuotation = parser.block.ruler
  .getRules("paragraph")
  .find(({ name }) => name === "blockquote");
if (readQuotation === undefined) throw new Error("markdown-it reads no quotations");
parser.block.ruler.at(
  "blockquote",
  (state, line, end, silent) => {
    const next = firstBehind((state.env as unknown as Environment).lines, line);
    return readQuotation(state, line, Math.min(end, next), silent);
  },
  { alt: ["paragraph", "reference", "blockquote", "list"] },
);

function isRow(state: StateBlock, line: number): boolean {
  return lineText(state, line).includes("|");
}

/** Whether a line is the one below a table's header. */
function isRuler(state: StateBlock, line: number): boolean {
  return /^[ \t]*[|:-][ \t|:-]*$/.test(lineText(state, line));
}

function lineText({ src, bMarks, eMarks }: StateBlock, line: number): string {
  return src.slice(bMarks[line], eMarks[line]);
}

interface Environment {
  /** By the line before which it is; lines begin at 0. */
  interruptions: ReadonlyMap<number, Interruption>;
  /** Those lines, in order. */
  lines: readonly number[];
}

/** The first of some lines behind a line, by halving. */
function firstBehind(lines: readonly number[], line: number): number {
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lines[middle] ?? 0) <= line) low = middle + 1;
    else high = middle;
  }
  return lines[low] ?? Number.POSITIVE_INFINITY;
}

/** Reads a text. Deeper than 100 blocks or marks in one another it reads on as if nothing were there. */
export function parseMarkdown(
  text: string,
  interruptions: ReadonlyMap<number, Interruption> = new Map(),
): Token[] {
  const lines = [...interruptions.keys()].sort((one, other) => one - other);
  return parser.parse(text, { interruptions, lines } satisfies Environment);
}

/** Reads a text of one paragraph, without lists, headings and the like. */
export function parseInline(text: string): Token[] {
  return parser.parseInline(text, {});
}
