import { schema } from "./visual-schema.js";

/**
 * The words of one text, read from Markdown and written as Markdown. Only what has one meaning is read, and what is
 * written is read once more: so what one sees is what the server makes of it.
 */

/** What cannot be shown, and why; `line` of the text, from 1. */
export class Unshown extends Error {
  constructor(message, line) {
    super(message);
    this.line = line;
  }
}

const SIGNS = { strong: "**", em: "*", strike: "~~" };
/** Signs that mark words in runs, and what a run begins. */
const RUNS = { "*": true, _: true, "~": true };
const BEGINS = { "*": ["em"], "**": ["strong"], "***": ["strong", "em"], "~~": ["strike"] };
/** What stands for a tag while one looks at the characters beside it: the server has a word there, too. */
const TAG_LETTER = "a";
const TAG = /\{\{.*?\}\}|\{%.*?%\}/y;
const ASCII_PUNCTUATION = /[!-/:-@[-`{-~]/;
const PUNCTUATION = /[\p{P}\p{S}]/u;
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

const isAutoLink = (text, at) => text[at] === "<" && AUTO_LINK.test(text.slice(at, at + 2000));
const isEntity = (text, at) => text[at] === "&" && ENTITY.test(text.slice(at, at + 40));
const isSpace = (character) => /^\s*$/.test(character);

/** Where a run of signs stands: whether it may begin words, whether it may end them, or neither. */
function flanking(text, from, to) {
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

/** Writes the words of a text as Markdown; a line for each line. `isLabel`: they stand in the `[]` of a button. */
export function writeWords(content, isLabel = false) {
  const atoms = atomsOf(content);
  const written = markdownOf(atoms, isLabel);
  if (reads(written, atoms)) return written;
  // Marks that Markdown has no way to write, as of half a word with its punctuation.
  const bare = atoms.map((atom) => ({ ...atom, marks: atom.marks.filter(isLink) }));
  return markdownOf(bare, isLabel);
}

function reads(written, atoms) {
  try {
    const read = atomsOf(readWords(written, 1));
    return (
      read.length === atoms.length &&
      read.every(({ text, marks }, at) => {
        const wanted = atoms[at];
        return text === wanted.text && (isSpace(text) || sameMarks(marks, wanted.marks));
      })
    );
  } catch {
    return false;
  }
}

const isLink = ({ type }) => type.name === "link";
const sameMarks = (one, other) =>
  one.length === other.length && one.every((mark) => mark.isInSet(other));

/** Each character, tag and line end with its marks. A line begins and a text ends with no blank. */
function atomsOf(nodes) {
  const atoms = [];
  nodes.forEach((node) => {
    const texts = node.isText ? [...node.text] : [node.type.spec.leafText(node)];
    for (const text of texts) {
      const isAtStart = atoms.length === 0 || atoms.at(-1).text === "\n";
      if (isAtStart && /^[ \t]$/.test(text)) continue;
      atoms.push({ text, isTag: node.type.name === "tag", marks: [...node.marks] });
    }
  });
  return atoms;
}

function markdownOf(atoms, isLabel) {
  const marked = withTightMarks(atoms);
  const line = marked.map(({ text, isTag }) => (isTag ? TAG_LETTER : text)).join("");
  let written = "";
  let at = 0;
  /** The marks that are open, the outermost first. */
  const open = [];
  const close = (kept) => {
    while (open.length > kept) {
      const { type, attrs } = open.pop();
      const title = attrs.title ? ` "${attrs.title}"` : "";
      written += type.name === "link" ? `](${attrs.href}${title})` : (SIGNS[type.name] ?? "`");
    }
  };
  marked.forEach((atom, index) => {
    const kept = open.findIndex((mark) => !mark.isInSet(atom.marks));
    close(kept === -1 ? open.length : kept);
    const begun = atom.marks.filter((mark) => !mark.isInSet(open));
    const extent = (mark) => {
      const end = marked.findIndex((one, other) => other > index && !mark.isInSet(one.marks));
      // Nothing stands inside code.
      return mark.type.name === "code" ? -1 : end === -1 ? marked.length : end;
    };
    const ordered = begun
      .map((mark) => [extent(mark), mark])
      .sort(([one], [other]) => other - one)
      .map(([, mark]) => mark);
    for (const mark of ordered) {
      written += mark.type.name === "link" ? "[" : (SIGNS[mark.type.name] ?? "`");
      open.push(mark);
    }
    const { text, isTag, marks } = atom;
    const isCode = marks.some(({ type }) => type.name === "code");
    const isPlain = isTag || isCode || text === "\n";
    written += isPlain ? text : escaped(text, { line, at, index, marked, isLabel });
    at += isTag ? TAG_LETTER.length : text.length;
  });
  close(0);
  return written;
}

/** Takes marks away from blanks at their ends, and from punctuation there which would keep them from being read. */
function withTightMarks(atoms) {
  const tight = atoms.map((atom) => ({ ...atom, marks: [...atom.marks] }));
  const has = (atom, name) => atom?.marks.some(({ type }) => type.name === name) === true;
  const drop = (atom, name) => {
    atom.marks = atom.marks.filter(({ type }) => type.name !== name);
  };
  for (const name of Object.keys(SIGNS)) {
    for (const step of [1, -1]) {
      const start = step === 1 ? 0 : tight.length - 1;
      for (let at = start; tight[at] !== undefined; at += step) {
        const [outside, atom] = [tight[at - step], tight[at]];
        if (!has(atom, name) || has(outside, name)) continue;
        const isWord = outside !== undefined && !isSpace(outside.text) && !isSign(outside);
        if (isSpace(atom.text) || (isSign(atom) && isWord)) drop(atom, name);
      }
    }
  }
  return tight;
}

const isSign = ({ text, isTag }) => !isTag && PUNCTUATION.test(text);

/** A character as it is written so that it stands for itself. */
function escaped(character, { line, at, index, marked, isLabel }) {
  const next = marked[index + 1];
  const isAtEdge = (one) => one !== undefined && !sameMarks(one.marks, marked[index].marks);
  const isInLink = isLabel || marked[index].marks.some(isLink);
  const isEscaped = () => {
    if (character in RUNS) {
      let [from, to] = [index, index];
      while (marked[from - 1]?.text === character) from -= 1;
      while (marked[to + 1]?.text === character) to += 1;
      const { isFree, isInWord } = flanking(line, at - (index - from), at + 1 + (to - index));
      if (marked.slice(Math.max(0, from - 1), to + 2).some(isAtEdge)) return true;
      if (character === "~" && from === to) return marked[index].marks.length > 0;
      return !(isFree || (character === "_" && isInWord));
    }
    if (character === "`") return true;
    if (character === "\\") {
      if (next === undefined || next.text === "\n" || isAtEdge(next)) return true;
      return !next.isTag && ASCII_PUNCTUATION.test(next.text);
    }
    if (character === "[") return isInLink;
    if (character === "]") return isInLink || next?.text === "(";
    if (character === "!") return !isInLink && next !== undefined && next.marks.some(isLink);
    return isAutoLink(line, at) || isEntity(line, at);
  };
  return isEscaped() ? `\\${character}` : character;
}
