import { writeWords } from "./visual-marks.js";
import { behindLabel, labelEnd, readPlain, splitTags, tagEnds } from "./visual-words.js";

/** Converts the document of a simple mail to its text. */

export const RULER = /^[ \t]*[|:-][ \t|:-]*$/;
export const DIVIDER = "---";
/** Matches the beginning of a line that Markdown reads as a heading, a quotation, a list or a ruler. */
export const BEGINS_OTHER = /^(?:#{1,6}(?:\s|$)|>|([-_*])[ \t]*(?:\1[ \t]*){2,}$|[-+*](?:\s|$))/;
export const PREHEADER = /^(\s*preheader:[ \t]*)(.*)$/i;
export const isBlank = (line) => line.trim() === "";

/** Whether a line is only block tags, or block tags and one link or image. The server makes such a link a button. */
export function isAloneBesideTags(line) {
  const parts = splitTags(line).filter(({ text, isTag }) => !(isTag && text.startsWith("{%")));
  const rest = parts
    .map(({ text }) => text)
    .join("")
    .trim();
  if (rest === "") return true;
  const from = /^!?\[/.exec(rest)?.[0].length ?? rest.length;
  const tags = tagEnds(rest);
  const close = labelEnd(rest, from, tags);
  return close !== -1 && behindLabel(rest, close + 1, tags)?.end === rest.length;
}

/** The least blank lines between two blocks. Without them the second would be read as part of the first. */
const LEAST_BLANKS = {
  paragraph: { paragraph: 1, table: 1, ordered_list: 1 },
  button: { ordered_list: 1 },
  image: { ordered_list: 1 },
  bullet_list: { paragraph: 1, button: 1, image: 1, table: 1, bullet_list: 1, ordered_list: 1 },
  quote: { paragraph: 1, button: 1, image: 1, table: 1, quote: 1 },
};
LEAST_BLANKS.ordered_list = LEAST_BLANKS.bullet_list;

function leastBlanks(previous, node) {
  if (previous === undefined) return 0;
  if (previous.type.name === "table") return 1;
  if (node.type.name === "ordered_list" && node.attrs.start === 1 && previous.isTextblock) return 0;
  return LEAST_BLANKS[previous.type.name]?.[node.type.name] ?? 0;
}

/** Returns a document as text. `places` has each block's first line, from 1, and its position in the document. */
export function writeDocument(doc) {
  const lines = [];
  const places = [];
  const gap = (count) => {
    for (let blank = 0; blank < count; blank += 1) lines.push("");
  };
  const writeBox = (box, position) => {
    let last;
    // A table would continue after the tag if no blank line ended it.
    const gapBehind = (blank) => gap(blank ?? (last?.type.name === "table" ? 1 : 0));
    box.forEach((branch, offset, index) => {
      if (index > 0) gapBehind(branch.attrs.blank);
      lines.push(branch.attrs.tag);
      writeAll(branch, position + offset + 2, ({ attrs }) => attrs.blank ?? 0);
      last = branch.lastChild;
    });
    gapBehind(box.attrs.endBlank);
    lines.push(box.attrs.end);
  };
  const writeAll = (parent, position, firstBlank) => {
    let previous;
    parent.forEach((node, offset) => {
      const own = node.type.name === "box" ? undefined : linesOf(node, previous);
      if (own?.length === 0) return;
      const wanted = previous === undefined ? firstBlank(node) : (node.attrs.blank ?? 1);
      gap(Math.max(wanted, leastBlanks(previous, node)));
      places.push({ line: lines.length + 1, position: position + offset });
      if (own === undefined) writeBox(node, position + offset);
      else for (const line of own) lines.push(line);
      previous = node;
    });
  };
  writeAll(doc, 0, () => 0);
  // A first line that only looks like a preheader is escaped.
  if (doc.firstChild.type.name !== "preheader") {
    const first = lines.findIndex((line) => !isBlank(line));
    if (PREHEADER.exec(lines[first] ?? "")?.[2]) lines[first] = lines[first].replace(":", "\\:");
  }
  return { text: lines.length === 0 ? "" : lines.join("\n") + doc.attrs.end, places };
}

/** Returns the lines of a block; none if it is empty. */
function linesOf(node, previous) {
  const { attrs } = node;
  const title = attrs.title ? ` "${attrs.title}"` : "";
  switch (node.type.name) {
    case "preheader": {
      const words = node.textContent;
      return isBlank(words) ? [] : [attrs.prefix + words];
    }
    case "heading": {
      const [words] = wordLines(node);
      if (isBlank(words)) return [];
      return [`${"#".repeat(attrs.level)} ${words.replace(/(^|\s)(#+\s*)$/, "$1\\$2")}`];
    }
    case "button": {
      const words = writeWords(node.content, true);
      return isBlank(words) ? [] : [`[${words}](${attrs.href}${title})`];
    }
    case "image":
      return [`![${writeWords(readPlain(attrs.alt), true)}](${attrs.src}${title})`];
    case "divider":
      return [DIVIDER];
    case "table":
      return attrs.text.split("\n");
    case "quote":
      return quoteLines(node);
    case "bullet_list":
    case "ordered_list":
      return listItemLines(node, previous);
    default: {
      const own = paragraphLines(node);
      return own.every(isBlank) ? [] : own;
    }
  }
}

function wordLines(node) {
  return writeWords(node.content).split("\n");
}

/** Returns the lines of a paragraph, escaped where the server would read a list, a heading or another block. */
function paragraphLines(node) {
  return wordLines(node)
    .filter((line) => !isBlank(line))
    .map((line, index) => {
      if (isAloneBesideTags(line)) return line.trim();
      const number = /^(\d{1,9})([.)])(?=\s|$)/.exec(line);
      const isList = number !== null && (index === 0 ? Number(number[1]) <= 9 : number[1] === "1");
      if (isList) return line.replace(/[.)]/, "\\$&");
      const isOther = BEGINS_OTHER.test(line) || (index > 0 && RULER.test(line));
      return isOther ? line.replace(/^(?:[*_]+|.)/, (run) => run.replace(/./g, "\\$&")) : line;
    });
}

function quoteLines(quote) {
  const own = [];
  quote.forEach((node) => {
    const lines = paragraphLines(node);
    if (lines.length === 0) return;
    if (own.length > 0) for (let left = node.attrs.blank ?? 1; left > 0; left -= 1) own.push(">");
    for (const line of lines) own.push(`> ${line}`);
  });
  return own;
}

/**
 * Returns the lines of a list. It gets another sign than a list directly before it, or both would be read as one list.
 */
function listItemLines(list, previous) {
  const { sign, start } = list.attrs;
  const isOrdered = list.type.name === "ordered_list";
  const isSame = previous?.type === list.type && previous.attrs.sign === sign;
  const own = isSame ? { "-": "*", "*": "-", "+": "-", ".": ")", ")": "." }[sign] : sign;
  const lines = [];
  let number = start;
  list.forEach((item) => {
    const [words, nested] = [paragraphLines(item.firstChild), item.child(item.childCount - 1)];
    if (words.length === 0) return;
    const begin = isOrdered ? `${number}${own} ` : `${own} `;
    number += 1;
    if (lines.length > 0)
      for (let left = item.attrs.blank ?? 0; left > 0; left -= 1) lines.push("");
    const rest = item.childCount > 1 ? listItemLines(nested) : [];
    [...words, ...rest].forEach((line, index) => {
      lines.push((index === 0 ? begin : " ".repeat(begin.length)) + line);
    });
  });
  return lines;
}
