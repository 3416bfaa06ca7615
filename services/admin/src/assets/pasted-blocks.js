/** Makes a mail's paragraphs, lists, quotations and tables from parts of pasted HTML (pasted-html.js). */

import { Fragment } from "prosemirror-model";
import { writeWords } from "./visual-marks.js";
import { schema } from "./visual-schema.js";
import { splitTags } from "./visual-words.js";

const { nodes, marks } = schema;
export const BREAK = "\n";
const MAX_COLUMNS = 60;
const MAX_SPAN = 1000;

/**
 * Splits runs `{text, look}` into paragraphs of runs, and removes superfluous blanks. Two line breaks end a paragraph.
 * A run that is a line break has no other text.
 */
export function paragraphsOf(runs) {
  const paragraphs = [[]];
  let breaks = 0;
  let endsBlank = true;
  for (const { text, look } of runs) {
    if (text === BREAK) {
      breaks += 1;
      endsBlank = true;
      continue;
    }
    const own = text.replace(/[\s\u00a0]+/g, (blanks) => (blanks === "\u00a0" ? blanks : " "));
    const tight = endsBlank ? own.replace(/^[ \u00a0]/, "") : own;
    if (tight === "") continue;
    if (breaks > 1) paragraphs.push([]);
    else if (breaks === 1 && paragraphs.at(-1).length > 0) {
      paragraphs.at(-1).push({ text: BREAK, look: {} });
    }
    breaks = 0;
    endsBlank = /[ \u00a0]$/.test(tight);
    paragraphs.at(-1).push({ text: tight, look });
  }
  return paragraphs.map(withoutEndBlanks).filter((pieces) => pieces.length > 0);
}

/** Removes the blank before each line break and at the end. `paragraphsOf` leaves at most one in each place. */
function withoutEndBlanks(pieces) {
  return pieces
    .map(({ text, look }, at) => {
      const isAtEnd = at === pieces.length - 1 || pieces[at + 1].text === BREAK;
      return { text: isAtEnd && text !== BREAK ? text.replace(/[ \u00a0]$/, "") : text, look };
    })
    .filter(({ text }) => text !== "");
}

/** Returns a run for a heading, which is one line and bold by itself. */
export function asTitle({ text, look }) {
  return { text: text === BREAK ? " " : text, look: { ...look, strong: false } };
}

/** Converts runs to nodes. A tag becomes one node, even if the other program has split it into several runs. */
export function inlineOf(pieces) {
  const found = [];
  // The position in the joined text, and the end and the index of the run at this position.
  let [at, end, index] = [0, 0, -1];
  for (const part of splitTags(pieces.map(({ text }) => text).join(""))) {
    const partEnd = at + part.text.length;
    for (let from = 0; at < partEnd; ) {
      while (end <= at) {
        index += 1;
        end += pieces[index].text.length;
      }
      const own = part.isTag ? part.text : part.text.slice(from, from + end - at);
      found.push(nodeOf(own, part.isTag).mark(marksOf(pieces[index].look)));
      from += own.length;
      at += own.length;
    }
  }
  return found;
}

function nodeOf(text, isTag) {
  if (isTag) return nodes.tag.create({ code: text });
  return text === BREAK ? nodes.hard_break.create() : schema.text(text);
}

function marksOf(look) {
  return Object.keys(schema.marks).flatMap((name) => {
    if (!look[name]) return [];
    return [marks[name].create(name === "link" ? { href: look.link } : {})];
  });
}

/** Reads the number or the bullet that Word writes before an item. */
export function markerOf(text) {
  const [, number] = /^\s*\(?(\d{1,9}|[a-z]{1,4})[.)]/i.exec(text) ?? [];
  return { isOrdered: number !== undefined, number: numberOf(number) };
}

/** Returns the whole number in an attribute's text; undefined for any other text. */
export function numberOf(text) {
  return /^\d{1,9}$/.test(text ?? "") ? Number(text) : undefined;
}

/** Replaces the items `{level, isOrdered, number, words}` among blocks by lists. */
export function withLists(blocks) {
  const found = [];
  for (let at = 0; at < blocks.length; ) {
    if (blocks[at].words === undefined) {
      found.push(blocks[at]);
      at += 1;
    } else {
      const { list, end } = listAt(blocks, at);
      found.push(list);
      at = end;
    }
  }
  return found;
}

/** Returns the list that begins with an item. An item of a higher level, of another kind or out of order ends it. */
function listAt(blocks, from) {
  const { level, isOrdered, number: start = 1 } = blocks[from];
  const items = [];
  let at = from;
  while (blocks[at]?.words !== undefined && blocks[at].level >= level) {
    const own = blocks[at];
    if (own.level > level) {
      const { list, end } = listAt(blocks, at);
      const { nested } = items.at(-1);
      if (nested.length === 0) items.at(-1).type = list.type;
      if (nested.length === 0) items.at(-1).attrs = list.attrs;
      for (const item of list.children) nested.push(item);
      at = end;
      continue;
    }
    const next = start + items.length;
    if (own.isOrdered !== isOrdered || (isOrdered && (own.number ?? next) !== next)) break;
    items.push({ words: own.words, nested: [] });
    at += 1;
  }
  const content = items.map(({ words, nested, type, attrs }) =>
    nodes.list_item.create({}, [
      nodes.paragraph.create({}, words),
      ...(nested.length > 0 ? [type.create(attrs, nested)] : []),
    ]),
  );
  const list = isOrdered
    ? nodes.ordered_list.create({ start }, content)
    : nodes.bullet_list.create({}, content);
  return { list, end: at };
}

/** Puts paragraphs into quotations. Blocks that a quotation cannot contain stay between the quotations. */
export function quoted(blocks) {
  const found = [];
  let own = [];
  const end = () => {
    if (own.length > 0) found.push(nodes.quote.create({}, own));
    own = [];
  };
  for (const block of blocks) {
    if (block.isTextblock) own.push(nodes.paragraph.create({}, block.content));
    else if (block.type === nodes.quote) for (const inner of block.children) own.push(inner);
    else {
      end();
      found.push(block);
    }
  }
  end();
  return found;
}

/** Returns how many columns or rows a cell spans. */
export function spanOf(text) {
  return Math.min(MAX_SPAN, Math.max(1, numberOf(text) ?? 1));
}

/**
 * Writes rows of cells `{blocks, isRight, width, height}` as a Markdown table; returns "" for less than two columns.
 * `spend` is called with the cost of a cell, and returns false when the limit is reached.
 */
export function tableText(rows, spend) {
  /** For each column, how many more rows the cell above spans. */
  const taken = [];
  const lines = rows.map((cells, index) => {
    const line = [];
    const skipTaken = () => {
      for (; taken[line.length] > 0; line.push(undefined)) taken[line.length] -= 1;
    };
    for (const cell of cells) {
      skipTaken();
      for (let column = 0; column < cell.width && line.length < MAX_COLUMNS; column += 1) {
        if (!spend(4)) break;
        taken[line.length] = cell.height - 1;
        line.push(column === 0 ? { ...cell, text: cellText(cell.blocks, index === 0) } : undefined);
      }
    }
    skipTaken();
    return line;
  });
  const textAt = (line, column) => line[column]?.text ?? "";
  let width = Math.max(0, ...lines.map((line) => line.length));
  while (width > 0 && lines.every((line) => textAt(line, width - 1) === "")) width -= 1;
  if (width < 2) return "";
  const columns = Array.from({ length: width }, (_, column) => column);
  const rulers = columns.map((column) => {
    const filled = lines.slice(1).filter((line) => textAt(line, column) !== "");
    const isRight = filled.length > 0 && filled.every((line) => line[column].isRight);
    return isRight ? "---:" : "---";
  });
  const written = lines
    .map((line) => columns.map((column) => textAt(line, column)))
    .filter((texts, index) => index === 0 || texts.some((text) => text !== ""));
  return [written[0], rulers, ...written.slice(1)]
    .map((texts) => `| ${texts.join(" | ")} |`)
    .join("\n");
}

function cellText(blocks, isHeader) {
  const words = [];
  const addWords = (node) => {
    if (words.length > 0) words.push(schema.text(" "));
    node.forEach((own) => {
      const bare = isHeader ? own.mark(marks.strong.removeFromSet(own.marks)) : own;
      words.push(own.type === nodes.hard_break ? schema.text(" ") : bare);
    });
  };
  for (const block of withLists(blocks)) {
    if (block.isTextblock) addWords(block);
    else block.descendants((node) => node.isTextblock && addWords(node));
  }
  return splitTags(writeWords(Fragment.from(words)))
    .map(({ text, isTag }) => (isTag ? text : text.replaceAll("|", "\\|")))
    .join("");
}
