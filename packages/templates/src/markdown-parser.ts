/** Parses the Markdown of mails: CommonMark and tables, without the features that surprise people. */

import MarkdownIt, { type StateBlock, type Token } from "markdown-it";
import cjkFriendly from "markdown-it-cjk-friendly";
import { countWhile } from "./language/tags.ts";

export type { Token } from "markdown-it";

/**
 * The effect of a removed block tag between two lines. It always ends a paragraph, a quotation, and a table that no row
 * follows. `list` also ends a list; with `item`, the list continues.
 */
export type Interruption = "item" | "list";

/** The token for a link that could not be parsed: from its `]` to the first blank or bracket of its address. */
export const UNREAD_LINK = "unread_link";
const BRACKET = "]".charCodeAt(0);
/** Matches `](` and an address: it begins with a scheme, with `www.` or with a word that replaces a tag. */
const UNREAD_LINK_END = /\]\([ \t]*<?(?:[a-z][a-z0-9+.-]*:|www\.|bf[0-9a-f]{12}x\d+x)[^\s<>()]*/iy;

const parser = new MarkdownIt({ html: false, breaks: true });
// In CommonMark, `**` between full-width punctuation and a letter does not end bold text: `**注意：**请` shows the stars.
parser.use(cjkFriendly);
// A text above `---` does not become a heading (lheading). Four blanks before a line mean nothing (code). Blocks of
// code (fence) and links that are defined elsewhere (reference) are for programmers.
parser.disable(["code", "fence", "lheading", "reference", "html_block"]);
// Addresses are checked later, with better error messages.
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
  // "blockquote" includes tables: markdown-it ends both by the same rules.
  { alt: ["paragraph", "list", "blockquote"] },
);
const readQuotation = parser.block.ruler
  .getRules("paragraph")
  .find(({ name }) => name === "blockquote");
if (readQuotation === undefined) throw new Error("markdown-it reads no quotations");
// A quotation ends at the next removed block tag.
parser.block.ruler.at(
  "blockquote",
  (state, line, end, silent) => {
    const next = firstBehind((state.env as unknown as Environment).lines, line);
    return readQuotation(state, line, Math.min(end, next), silent);
  },
  { alt: ["paragraph", "reference", "blockquote", "list"] },
);

const readList = parser.block.ruler.getRules("paragraph").find(({ name }) => name === "list");
if (readList === undefined) throw new Error("markdown-it reads no lists");
parser.block.ruler.at(
  "list",
  // With `silent`, it only tests whether a line ends a paragraph. It is called again, without `silent`, for such a
  // line.
  (state, line, end, silent) =>
    (silent || !isNumberInText(state, line, end)) && readList(state, line, end, silent),
  { alt: ["paragraph", "reference", "blockquote"] },
);
// Reads the rest of a link that could not be parsed. Only then does this rule get a `]`.
parser.inline.ruler.before("newline", UNREAD_LINK, (state, silent) => {
  if (silent || state.src.charCodeAt(state.pos) !== BRACKET) return false;
  UNREAD_LINK_END.lastIndex = state.pos;
  const [content] = UNREAD_LINK_END.exec(state.src) ?? [];
  if (content === undefined) return false;
  state.push(UNREAD_LINK, "", 0).content = content;
  state.pos += content.length;
  return true;
});

/** A number above this begins a list item only if the number before it or the next number is near it. */
const MAX_LONE_NUMBER = 9;
/** How many lines above and below an item are searched for these numbers. */
const MAX_ITEM_LINES = 50;

/**
 * Whether the number at the beginning of a line is text and not a list item's: it is above 9, no line above has the
 * number before it, and no line below has the next one. Thus a text may begin with a year: `2026. A good year.`
 */
function isNumberInText(state: StateBlock, line: number, end: number): boolean {
  const { number = 0, sign } = itemNumber(state, line) ?? {};
  if (number <= MAX_LONE_NUMBER) return false;
  const last = Math.min(end - 1, line + MAX_ITEM_LINES);
  for (let other = Math.max(0, line - MAX_ITEM_LINES); other <= last; other++) {
    const item = other === line ? undefined : itemNumber(state, other);
    const wanted = other < line ? number - 1 : number + 1;
    if (item?.number === wanted && item.sign === sign) return false;
  }
  return true;
}

function itemNumber(state: StateBlock, line: number): { number: number; sign: string } | undefined {
  const start = (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0);
  // At most nine digits, a sign and a blank.
  const text = state.src.slice(start, Math.min(state.eMarks[line] ?? 0, start + 11));
  const [, number, sign = ""] = /^(\d{1,9})([.)])(?=[ \t]|$)/.exec(text) ?? [];
  return number === undefined ? undefined : { number: Number(number), sign };
}

function isRow(state: StateBlock, line: number): boolean {
  return lineText(state, line).includes("|");
}

/** Whether a line is the delimiter row below a table's header. */
function isRuler(state: StateBlock, line: number): boolean {
  return /^[ \t]*[|:-][ \t|:-]*$/.test(lineText(state, line));
}

function lineText({ src, bMarks, eMarks }: StateBlock, line: number): string {
  return src.slice(bMarks[line], eMarks[line]);
}

interface Environment {
  /** Interruptions by the line that follows them; lines count from 0. */
  interruptions: ReadonlyMap<number, Interruption>;
  /** Lines with an interruption before them, in order. */
  lines: readonly number[];
}

/** Returns the first of `lines` after a line, by binary search; infinity if there is none. */
function firstBehind(lines: readonly number[], line: number): number {
  const count = countWhile(lines.length, (at) => (lines[at] ?? 0) <= line);
  return lines[count] ?? Number.POSITIVE_INFINITY;
}

/** Parses a text. It ignores content that is nested in more than 100 blocks or marks (markdown-it's `maxNesting`). */
export function parseMarkdown(
  text: string,
  interruptions: ReadonlyMap<number, Interruption> = new Map(),
): Token[] {
  const lines = [...interruptions.keys()].sort((one, other) => one - other);
  return parser.parse(text, { interruptions, lines } satisfies Environment);
}

/** Parses a text of one paragraph; lists, headings and other blocks are not recognized. */
export function parseInline(text: string): Token[] {
  return parser.parseInline(text, {});
}
