import { schema } from "./visual-schema.js";

/** Reads the words of one text from Markdown. Only what has one meaning is read: it is what the server makes of it. */

/** What cannot be shown, and why; `line` of the text, from 1. */
export class Unshown extends Error {
  constructor(message, line) {
    super(message);
    this.line = line;
  }
}

export const SIGNS = { strong: "**", em: "*", strike: "~~" };
/** Signs that mark words in runs, and what a run begins. */
export const RUNS = { "*": true, _: true, "~": true };
const BEGINS = { "*": ["em"], "**": ["strong"], "***": ["strong", "em"], "~~": ["strike"] };
/** What stands for a tag while one looks at the characters beside it: the server has a word there, too. */
export const TAG_LETTER = "a";
const TAG = /\{\{.*?\}\}|\{%.*?%\}/y;
export const ASCII_PUNCTUATION = /[!-/:-@[-`{-~]/;
export const PUNCTUATION = /[\p{P}\p{S}]/u;
const AUTO_LINK = /^<(?:[a-z][a-z0-9+.-]{1,31}:[^<>\s]*|[\w.!#$%&'*+/=?^`{|}~-]+@[\w.-]+)>/i;
const ENTITY = /^&(?:#x[0-9a-f]{1,6}|#\d{1,7}|[a-z][a-z0-9]{1,31});/i;
/** An address may hold tags, and they anything. */
const ADDRESS = String.raw`(?:\{\{.*?\}\}|(?!\{\{|\{%|&#?\w+;)[^\s()<>\\])+`;
const BEHIND_LABEL = new RegExp(String.raw`\((${ADDRESS})(?: "([^"\\&{]*)")?\)`, "y");

/** The tag that begins at a place of a text, as it is written. */
export function tagAt(text, at) {
  TAG.lastIndex = at;
  return TAG.exec(text)?.[0];
}

/** The address and the title behind a label, where the whole is written as `(address "title")`. */
export function behindLabel(text, at) {
  BEHIND_LABEL.lastIndex = at;
  const [whole, href, title = null] = BEHIND_LABEL.exec(text) ?? [];
  return whole === undefined ? undefined : { href, title, end: at + whole.length };
}

/** The place of the `]` that ends a label which begins at `from`; -1 where it is none. */
export function labelEnd(text, from) {
  for (let at = from; at < text.length; at += 1) {
    const tag = text[at] === "{" ? tagAt(text, at) : undefined;
    if (tag !== undefined) at += tag.length - 1;
    else if (text[at] === "\\") at += 1;
    else if (text[at] === "]") return at;
    else if (text[at] === "[" || text[at] === "`" || text[at] === "\n") return -1;
  }
  return -1;
}

export const isAutoLink = (text, at) =>
  text[at] === "<" && AUTO_LINK.test(text.slice(at, at + 2000));
export const isEntity = (text, at) => text[at] === "&" && ENTITY.test(text.slice(at, at + 40));
export const isSpace = (character) => /^\s*$/.test(character);

/** Where a run of signs stands: whether it may begin words, whether it may end them, or neither. */
export function flanking(text, from, to) {
  const endsWithTag = /[}%]\}$/.test(text.slice(Math.max(0, from - 2), from));
  const before = endsWithTag
    ? TAG_LETTER
    : ([...text.slice(Math.max(0, from - 2), from)].at(-1) ?? "");
  const behind = tagAt(text, to) ? TAG_LETTER : ([...text.slice(to, to + 2)][0] ?? "");
  const [space, spaceBehind] = [isSpace(before), isSpace(behind)];
  const [sign, signBehind] = [PUNCTUATION.test(before), PUNCTUATION.test(behind)];
  return {
    opens: !spaceBehind && (!signBehind || space || sign),
    closes: !space && (!sign || spaceBehind || signBehind),
    isFree: space && spaceBehind,
    isInWord: !space && !spaceBehind && !sign && !signBehind,
  };
}

/** Reads words without marks: what the server takes as they are. */
export function readPlain(text) {
  const nodes = [];
  let plain = "";
  const endText = () => {
    if (plain !== "") nodes.push(schema.text(plain));
    plain = "";
  };
  for (let at = 0; at < text.length; ) {
    const code = tagAt(text, at);
    if (code === undefined) {
      plain += text[at];
      at += 1;
      continue;
    }
    endText();
    nodes.push(schema.node("tag", { code }));
    at += code.length;
  }
  endText();
  return nodes;
}

/** Reads the words of a paragraph, a heading or a button as nodes. Throws `Unshown`. */
export function readWords(text, line, marks = []) {
  const nodes = [];
  /** What has begun and not ended: `{name, at}`. */
  const open = [];
  let plain = "";
  const current = () =>
    open.reduce((set, { name }) => schema.marks[name].create().addToSet(set), marks);
  const endText = () => {
    if (plain !== "") nodes.push(schema.text(plain, current()));
    plain = "";
  };
  const push = (node, set = current()) => {
    endText();
    nodes.push(node.mark(set));
  };
  const lineOf = (at) => line + (text.slice(0, at).match(/\n/g)?.length ?? 0);
  const fail = (message, at) => {
    throw new Unshown(message, lineOf(at));
  };

  /** Begins or ends what a run of one sign stands for; returns the place behind it. */
  const readSign = (at) => {
    const character = text[at];
    let end = at;
    while (text[end] === character) end += 1;
    const run = text.slice(at, end);
    const { opens, closes, isFree, isInWord } = flanking(text, at, end);
    if (isFree || run === "~" || (character === "_" && isInWord)) {
      plain += run;
      return end;
    }
    endText();
    let left = run.length;
    while (closes && SIGNS[open.at(-1)?.name]?.[0] === character) {
      const size = SIGNS[open.at(-1).name].length;
      if (size > left) break;
      open.pop();
      left -= size;
    }
    if (left === 0) return end;
    const names = BEGINS[run] ?? [];
    const isTwice = open.some(({ name }) => names.includes(name));
    if (!opens || left < run.length || names.length === 0 || isTwice) fail(stray(run), at);
    for (const name of names) open.push({ name, at });
    return end;
  };
  const readCode = (at) => {
    const end = text.indexOf("`", at + 1);
    const code = text.slice(at + 1, end);
    const isOdd = code === "" || code.trim() !== code || code.includes("\n");
    if (end === -1 || isOdd || text[end + 1] === "`") fail(stray("`"), at);
    const set = schema.marks.code.create().addToSet(current());
    for (const node of readPlain(code)) push(node, set);
    return end + 1;
  };
  const readLink = (at) => {
    const from = at + (text[at] === "!" ? 2 : 1);
    const end = labelEnd(text, from);
    if (end === -1 || text[end + 1] !== "(") {
      plain += text.slice(at, from);
      return from;
    }
    if (text[at] === "!") fail("an image among words", at);
    const link = behindLabel(text, end + 1);
    if (link === undefined || end === from) fail(UNREAD_LINK, at);
    endText();
    const { href, title } = link;
    const set = schema.marks.link.create({ href, title }).addToSet(current());
    nodes.push(...readWords(text.slice(from, end), lineOf(at), set));
    return link.end;
  };

  for (let at = 0; at < text.length; ) {
    const character = text[at];
    const tag = tagAt(text, at);
    if (tag !== undefined) {
      if (/^\{\{-|-\}\}$/.test(tag)) fail("a variable that takes away the blanks beside it", at);
      push(schema.node("tag", { code: tag }));
      at += tag.length;
    } else if (/^\{[{%]/.test(text.slice(at, at + 2))) {
      fail("a tag that does not end on its line", at);
    } else if (character === "\n") {
      push(schema.node("hard_break"));
      at += 1;
      if (/[ \t]/.test(text[at] ?? "")) fail("a line that begins with blanks", at);
    } else if (character === "\\") {
      const next = text[at + 1] ?? "";
      if (next === "\n" || next === "") fail("a \\ at the end of a line", at);
      const isEscape = ASCII_PUNCTUATION.test(next) && tagAt(text, at + 1) === undefined;
      plain += isEscape ? next : "\\";
      at += isEscape ? 2 : 1;
    } else if (character in RUNS) {
      at = readSign(at);
    } else if (character === "`") {
      at = readCode(at);
    } else if (character === "[" || text.startsWith("![", at)) {
      at = readLink(at);
    } else {
      if (text.startsWith("](", at)) fail(UNREAD_LINK, at);
      if (isAutoLink(text, at)) fail("an address between < and >", at);
      if (isEntity(text, at)) fail("a character that is written by its name", at);
      plain += character;
      at += 1;
    }
  }
  endText();
  if (open.length > 0) fail(stray(SIGNS[open.at(-1).name]), open.at(-1).at);
  return nodes;
}

const UNREAD_LINK = "a link that cannot be read";
const stray = (run) => `the sign ${run}, which marks no words here`;
