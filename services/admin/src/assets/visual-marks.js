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
  TAG_LETTER,
} from "./visual-words.js";

/** Writes words with their marks as Markdown, and reads them once more, so that they come back as they are. */

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
