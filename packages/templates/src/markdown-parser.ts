/** The Markdown of mails: what CommonMark and its tables have, without what surprises people. */

import MarkdownIt, { type StateBlock, type Token } from "markdown-it";
import cjkFriendly from "markdown-it-cjk-friendly";
import { countWhile } from "./language/tags.ts";

export type { Token } from "markdown-it";

/**
 * A removed block tag between two lines ends a paragraph, a quotation, and a table that no row follows. It ends a list
 * only as `list`; at `item` the list continues.
 */
export type Interruption = "item" | "list";

/** A token of what looks like a link and is none: from its `]` up to its address, as far as that is written in one. */
export const UNREAD_LINK = "unread_link";
const BRACKET = "]".charCodeAt(0);
/** An address behind `](`: with a scheme, a domain that begins with www, or a word that stands for a tag. */
const UNREAD_LINK_END = /\]\([ \t]*<?(?:[a-z][a-z0-9+.-]*:|www\.|bf[0-9a-f]{12}x\d+x)[^\s<>()]*/iy;

const parser = new MarkdownIt({ html: false, breaks: true });
// CommonMark takes `**` between full-width punctuation and a letter for no end: `**注意：**请` has stars.
parser.use(cjkFriendly);
// A text over a `---` stays a text. Four blanks before a line mean nothing. Code and links that are
// defined elsewhere are for programmers.
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

const readList = parser.block.ruler.getRules("paragraph").find(({ name }) => name === "list");
if (readList === undefined) throw new Error("markdown-it reads no lists");
parser.block.ruler.at(
  "list",
  // Called a second time for a line that ends a paragraph.
  (state, line, end, silent) =>
    (silent || !isNumberInText(state, line, end)) && readList(state, line, end, silent),
  { alt: ["paragraph", "reference", "blockquote"] },
);
// Reads the rest of a link that was not parsed, where `]` is text.
parser.inline.ruler.before("newline", UNREAD_LINK, (state, silent) => {
  if (silent || state.src.charCodeAt(state.pos) !== BRACKET) return false;
  UNREAD_LINK_END.lastIndex = state.pos;
  const [content] = UNREAD_LINK_END.exec(state.src) ?? [];
  if (content === undefined) return false;
  state.push(UNREAD_LINK, "", 0).content = content;
  state.pos += content.length;
  return true;
});

/** A number with more digits than one begins a list only beside its neighbours. */
const MAX_LONE_NUMBER = 9;
/** How far above and below an item its neighbours are looked for. */
const MAX_ITEM_LINES = 50;

/**
 * Whether a line begins with a number that is no item's: above 9, with neither the number before it above
 * nor the next one below. So a year or a day of the month begins a text: `2026. A good year.`
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
  const text = state.src.slice(start, Math.min(state.eMarks[line] ?? 0, start + 11));
  const [, number, sign = ""] = /^(\d{1,9})([.)])(?=[ \t]|$)/.exec(text) ?? [];
  return number === undefined ? undefined : { number: Number(number), sign };
}

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
  /** Interruptions by the line that follows them; lines count from 0. */
  interruptions: ReadonlyMap<number, Interruption>;
  /** Lines with an interruption before them, in order. */
  lines: readonly number[];
}

/** The first of some lines behind a line, by halving. */
function firstBehind(lines: readonly number[], line: number): number {
  const count = countWhile(lines.length, (at) => (lines[at] ?? 0) <= line);
  return lines[count] ?? Number.POSITIVE_INFINITY;
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
