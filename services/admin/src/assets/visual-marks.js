/** Writes words with their marks as Markdown, and reads the result to check that the words and marks are the same. */

import {
  ASCII_PUNCTUATION,
  flanking,
  isAutoLink,
  isEntity,
  isSpace,
  PUNCTUATION,
  RUNS,
  readWords,
  SIGNS,
  splitTags,
  TAG_LETTER,
  tagEnds,
} from "./visual-words.js";

/** Writes the words of a text as Markdown, line by line. `isLabel` is set if they are in the `[]` of a button. */
export function writeWords(content, isLabel = false) {
  const atoms = atomsOf(content);
  const written = markdownOf(atoms, isLabel);
  if (reads(written, atoms)) return written;
  // Markdown cannot express these marks, for example on half a word with its punctuation. Only links are kept.
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

/**
 * Returns each character, tag and line end with its marks. A tag that was typed among words counts as a tag, as when it
 * is read. Blanks at the beginning of a line are left out.
 */
function atomsOf(nodes) {
  const atoms = [];
  nodes.forEach((node) => {
    const parts = node.isText
      ? splitTags(node.text)
      : [{ text: node.type.spec.leafText(node), isTag: node.type.name === "tag" }];
    for (const { text: own, isTag } of parts) {
      for (const text of isTag ? [own] : own) {
        const isAtStart = atoms.length === 0 || atoms.at(-1).text === "\n";
        if (isAtStart && /^[ \t]$/.test(text)) continue;
        atoms.push({ text, isTag, marks: [...node.marks] });
      }
    }
  });
  return atoms;
}

function markdownOf(atoms, isLabel) {
  const marked = withTightMarks(atoms);
  const line = marked.map(({ text, isTag }) => (isTag ? TAG_LETTER : text)).join("");
  const tags = tagEnds(line);
  /** The current run of one repeated sign. It is computed once for all signs in it. */
  let run = { to: -1 };
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
      // Code cannot contain other marks, so it is the innermost.
      if (mark.type.name === "code") return -1;
      let end = index + 1;
      while (end < marked.length && mark.isInSet(marked[end].marks)) end += 1;
      return end;
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
    if (text in RUNS && index > run.to) run = runAt(marked, index, { line, at, tags });
    const isPlain = isTag || isCode || text === "\n";
    written += isPlain ? text : escaped(text, { line, at, index, marked, isLabel, run });
    at += isTag ? TAG_LETTER.length : text.length;
  });
  close(0);
  return written;
}

/** Removes marks from blanks at their ends, and from punctuation there with which Markdown would not read the marks. */
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

/** Returns the run of one sign that begins at an atom. `isMixed` is true if marks begin or end in it or beside it. */
function runAt(marked, from, { line, at, tags }) {
  let to = from;
  while (marked[to + 1]?.text === marked[from].text) to += 1;
  const around = marked.slice(Math.max(0, from - 1), to + 2);
  const isMixed = around.some(({ marks }) => !sameMarks(marks, marked[from].marks));
  return { from, to, isMixed, ...flanking(line, at, at + 1 + (to - from), tags) };
}

/** Returns a character, with a backslash if Markdown would otherwise read it as a sign. */
function escaped(character, { line, at, index, marked, isLabel, run }) {
  const next = marked[index + 1];
  const isAtEdge = (one) => one !== undefined && !sameMarks(one.marks, marked[index].marks);
  const isInLink = isLabel || marked[index].marks.some(isLink);
  const isEscaped = () => {
    if (character in RUNS) {
      if (run.isMixed) return true;
      if (character === "~" && run.from === run.to) return marked[index].marks.length > 0;
      return !(run.isFree || (character === "_" && run.isInWord));
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
