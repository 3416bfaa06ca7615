import { schema } from "./visual-schema.js";

/**
 * Parses inline Markdown. Accepts only text that the server reads in the same way, and throws `Unshown` for any other.
 */

/** Thrown if a text cannot be shown in the visual editor: the reason, with its `line`, from 1. */
export class Unshown extends Error {
  constructor(message, line) {
    super(message);
    this.line = line;
  }
}

export const SIGNS = { strong: "**", em: "*", strike: "~~" };
/** The signs whose runs begin and end marks, and the marks that each run begins. */
export const RUNS = { "*": true, _: true, "~": true };
const BEGINS = { "*": ["em"], "**": ["strong"], "***": ["strong", "em"], "~~": ["strike"] };
/** The letter that stands for a tag while the characters beside the tag are examined. The server does the same. */
export const TAG_LETTER = "a";
const LINE_END = /[\n\r\u2028\u2029]/;
export const ASCII_PUNCTUATION = /[!-/:-@[-\x60{-~]/;
export const PUNCTUATION = /[\p{P}\p{S}]/u;
const AUTO_LINK = /^<(?:[a-z][a-z0-9+.-]{1,31}:[^<>\s]*|[\w.!#$%&'*+/=?^\x60{|}~-]+@[\w.-]+)>/i;
const ENTITY = /^&(?:#x[0-9a-f]{1,6}|#\d{1,7}|[a-z][a-z0-9]{1,31});/i;
/** Matches a character that an address cannot contain outside of its tags. */
const NO_ADDRESS = /[\s()<>\\]|\{[{%]|&#?\w+;/y;
const ADDRESS_END = /(?: "([^"\\&{]*)")?\)/y;

/** Returns a map from the place where a tag begins to the place behind its end. Tags end on their line. */
export function tagEnds(text) {
  const ends = new Map();
  // The loop runs backwards and remembers the next `}}` and `%}`. A search from each `{{` would be quadratic.
  let next = {};
  for (let at = text.length - 4; at >= 0; at -= 1) {
    const behind = at + 2;
    if (LINE_END.test(text[behind])) next = {};
    else if (text[behind + 1] === "}") {
      if (text[behind] === "}") next["{"] = behind + 2;
      else if (text[behind] === "%") next["%"] = behind + 2;
    }
    const end = text[at] === "{" ? next[text[at + 1]] : undefined;
    if (end !== undefined) ends.set(at, end);
  }
  return ends;
}

/** Splits a text into its tags and the texts between them: `{text, isTag}`. */
export function splitTags(text) {
  const ends = tagEnds(text);
  const parts = [];
  let from = 0;
  const endText = (at) => {
    if (at > from) parts.push({ text: text.slice(from, at), isTag: false });
  };
  for (let at = text.indexOf("{"); at !== -1; at = text.indexOf("{", at)) {
    const end = ends.get(at);
    if (end === undefined) {
      at += 1;
      continue;
    }
    endText(at);
    parts.push({ text: text.slice(at, end), isTag: true });
    from = end;
    at = end;
  }
  endText(text.length);
  return parts;
}

/** Returns the address and title after a label, written as `(address "title")`; undefined if there are none. */
export function behindLabel(text, at, tags) {
  if (text[at] !== "(") return undefined;
  let end = at + 1;
  while (end < text.length) {
    const tag = text[end + 1] === "{" ? tags.get(end) : undefined;
    NO_ADDRESS.lastIndex = end;
    if (tag === undefined && NO_ADDRESS.test(text)) break;
    end = tag ?? end + 1;
  }
  ADDRESS_END.lastIndex = end;
  const [rest, title = null] = ADDRESS_END.exec(text) ?? [];
  const isRead = end > at + 1 && rest !== undefined;
  return isRead ? { href: text.slice(at + 1, end), title, end: end + rest.length } : undefined;
}

/** Returns the place of the `]` that ends a label which begins at `from`; -1 if there is none. */
export function labelEnd(text, from, tags) {
  for (let at = from; at < text.length; at += 1) {
    const tag = tags.get(at);
    if (tag !== undefined) at = tag - 1;
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

/** Returns whether a run of signs may begin a mark (`opens`) and may end one (`closes`). */
export function flanking(text, from, to, tags) {
  const endsWithTag = /[}%]\}$/.test(text.slice(Math.max(0, from - 2), from));
  const before = endsWithTag
    ? TAG_LETTER
    : ([...text.slice(Math.max(0, from - 2), from)].at(-1) ?? "");
  const behind = tags.has(to) ? TAG_LETTER : ([...text.slice(to, to + 2)][0] ?? "");
  const [space, spaceBehind] = [isSpace(before), isSpace(behind)];
  const [sign, signBehind] = [PUNCTUATION.test(before), PUNCTUATION.test(behind)];
  return {
    opens: !spaceBehind && (!signBehind || space || sign),
    closes: !space && (!sign || spaceBehind || signBehind),
    isFree: space && spaceBehind,
    isInWord: !space && !spaceBehind && !sign && !signBehind,
  };
}

/** Returns text and its tags as nodes. Signs are not read as marks: the server does not read them here, either. */
export function readPlain(text) {
  return splitTags(text).map(({ text: own, isTag }) =>
    isTag ? schema.node("tag", { code: own }) : schema.text(own),
  );
}

/** Reads the words of a paragraph, a heading or a button as nodes. Throws `Unshown`. */
export function readWords(text, firstLine, marks = []) {
  const nodes = [];
  const tags = tagEnds(text);
  let line = firstLine;
  /** The marks that have begun but not ended: `{name, line}`. */
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
  const fail = (message, from = line) => {
    throw new Unshown(message, from);
  };

  /** Reads the run of one sign at `at`, and begins or ends its marks. Returns the place behind the run. */
  const readSign = (at) => {
    const character = text[at];
    let end = at;
    while (text[end] === character) end += 1;
    const run = text.slice(at, end);
    const { opens, closes, isFree, isInWord } = flanking(text, at, end, tags);
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
    // After the ends, nothing may be left of the run; otherwise the whole run must begin marks. All else is ambiguous.
    if (!opens || left < run.length || names.length === 0 || isTwice) fail(stray(run));
    for (const name of names) open.push({ name, line });
    return end;
  };
  const readCode = (at) => {
    const end = text.indexOf("`", at + 1);
    const code = text.slice(at + 1, end);
    const isOdd = code === "" || code.trim() !== code || code.includes("\n");
    if (end === -1 || isOdd || text[end + 1] === "`") fail(stray("`"));
    const set = schema.marks.code.create().addToSet(current());
    for (const node of readPlain(code)) push(node, set);
    return end + 1;
  };
  const readLink = (at) => {
    const from = at + (text[at] === "!" ? 2 : 1);
    const end = labelEnd(text, from, tags);
    if (end === -1 || text[end + 1] !== "(") {
      plain += text.slice(at, from);
      return from;
    }
    if (text[at] === "!") fail("an image among words");
    const link = behindLabel(text, end + 1, tags);
    if (link === undefined || end === from) fail(UNREAD_LINK);
    endText();
    const { href, title } = link;
    const set = schema.marks.link.create({ href, title }).addToSet(current());
    for (const node of readWords(text.slice(from, end), line, set)) nodes.push(node);
    return link.end;
  };

  for (let at = 0; at < text.length; ) {
    const character = text[at];
    const tagEnd = tags.get(at);
    if (tagEnd !== undefined) {
      const code = text.slice(at, tagEnd);
      if (/^\{\{-/.test(code) || code.endsWith("-}}"))
        fail("a variable that takes away the blanks beside it");
      push(schema.node("tag", { code }));
      at = tagEnd;
    } else if (/^\{[{%]/.test(text.slice(at, at + 2))) {
      fail("a tag that does not end on its line");
    } else if (character === "\n") {
      push(schema.node("hard_break"));
      at += 1;
      line += 1;
      if (/[ \t]/.test(text[at] ?? "")) fail("a line that begins with blanks");
    } else if (character === "\\") {
      const next = text[at + 1] ?? "";
      if (next === "\n" || next === "") fail("a backslash at the end of a line");
      const isEscape = ASCII_PUNCTUATION.test(next) && !tags.has(at + 1);
      plain += isEscape ? next : "\\";
      at += isEscape ? 2 : 1;
    } else if (character in RUNS) {
      at = readSign(at);
    } else if (character === "`") {
      at = readCode(at);
    } else if (character === "[" || text.startsWith("![", at)) {
      at = readLink(at);
    } else {
      if (text.startsWith("](", at)) fail(UNREAD_LINK);
      if (isAutoLink(text, at)) fail("an address between < and >");
      if (isEntity(text, at)) fail("a character that is written by its name");
      plain += character;
      at += 1;
    }
  }
  endText();
  if (open.length > 0) fail(stray(SIGNS[open.at(-1).name]), open.at(-1).line);
  return nodes;
}

const UNREAD_LINK = "a link that cannot be read";
const stray = (run) => `the sign ${run}, which marks no words here`;
