/**
 * Reads the text of a simple mail as a document of the visual editor. If the document cannot represent the text, or
 * would be written differently, the reader returns the reason instead.
 */

import { schema } from "./visual-schema.js";
import {
  BEGINS_OTHER,
  DIVIDER,
  isAloneBesideTags,
  isBlank,
  PREHEADER,
  RULER,
  writeDocument,
} from "./visual-text.js";
import { behindLabel, labelEnd, readPlain, readWords, tagEnds, Unshown } from "./visual-words.js";

const HEADING = /^(#{1,3}) (\S.*)$/;
const ITEM = /^(?:([-+*])|(\d{1,9})([.)])) (?=\S)/;
const NUMBER = /^(\d{1,9})[.)](?:\s|$)/;
/** Maximum depth of nested parts, the same as the server's `MAX_MARKDOWN_DEPTH`. */
const MAX_DEPTH = 20;
const ENDS = { if: "endif", unless: "endunless", for: "endfor" };

/** Returns `{doc}`, or `{reason, line}` if the text cannot be shown as a document. */
export function readDocument(text) {
  try {
    const doc = createReader(text).read();
    doc.check();
    const written = writeDocument(doc).text.split("\n");
    const other = text.split("\n").findIndex((line, index) => line !== written[index]);
    if (other !== -1)
      throw new Unshown("blanks or signs that would be written otherwise", other + 1);
    return { doc };
  } catch (error) {
    if (!(error instanceof Unshown)) throw error;
    const { line, message } = error;
    return { reason: `line ${line} has ${message}`, line };
  }
}

/** Returns the words of a block tag such as `{% if name %}` as `{word, rest}`; undefined for a variable. */
export function tagWords(code) {
  if (!code.startsWith("{%")) return undefined;
  const inside = code.replace(/^\{%-?/, "").replace(/-?%\}$/, "");
  const [, word, rest] = /^([a-z]+)\s*(.*)$/s.exec(inside.trim()) ?? [];
  return word === undefined ? undefined : { word, rest };
}

function createReader(text) {
  let length = text.length;
  while (text[length - 1] === "\n") length -= 1;
  const lines = text.slice(0, length).split("\n");
  const end = text.slice(length);
  /** The numbers at the beginning of lines, to decide whether a number is an item's (compare markdown-parser.ts). */
  const numbers = new Set(lines.map((line) => Number(NUMBER.exec(line.trim())?.[1])));
  let at = 0;
  let depth = 0;

  const fail = (message, line = at) => {
    throw new Unshown(message, line + 1);
  };
  const skipBlanks = () => {
    const from = at;
    while (at < lines.length && isBlank(lines[at])) at += 1;
    return at - from;
  };
  /** Reads the content of a block. Fails if it is nested more deeply than the server allows. */
  const deeper = (read) => {
    depth += 1;
    if (depth > MAX_DEPTH) fail("parts that stand too deep in one another");
    const found = read();
    depth -= 1;
    return found;
  };
  /** Returns the words of a line that is one block tag and nothing else; undefined for any other line. */
  const tagLine = (line) =>
    line.startsWith("{%") && tagEnds(line).get(0) === line.length ? tagWords(line) : undefined;
  const isItemNumber = (number) =>
    number <= 9 || numbers.has(number - 1) || numbers.has(number + 1);
  const isItem = (line) => {
    const [, , number] = ITEM.exec(line) ?? [];
    return ITEM.test(line) && (number === undefined || isItemNumber(Number(number)));
  };
  const isTable = (line, next = "") =>
    RULER.test(next) && next.includes("-") && (line.includes("|") || next.includes("|"));
  /** Returns the link or the image that is a whole line; undefined for any other line. */
  const alone = (line) => {
    const from = /^!?\[/.exec(line)?.[0].length;
    const tags = from === undefined ? undefined : tagEnds(line);
    const close = tags ? labelEnd(line, from, tags) : -1;
    const link = close > from ? behindLabel(line, close + 1, tags) : undefined;
    if (link?.end !== line.length) return undefined;
    return { label: line.slice(from, close), isImage: from === 2, ...link };
  };
  /** Whether a line continues the paragraph above. */
  const goesOn = (index) => {
    const line = lines[index];
    if (line === undefined || isBlank(line) || tagLine(line) || BEGINS_OTHER.test(line))
      return false;
    if (/^1[.)] \S/.test(line) || alone(line)) return false;
    if (RULER.test(line)) fail("signs that would make a table of the line above", index);
    return true;
  };

  const paragraph = (texts, line, attrs) => {
    const words = readWords(texts.join("\n"), line + 1);
    return schema.node("paragraph", attrs, words);
  };

  /** Reads a list from its lines `{text, line}`, whose texts have no indentation of the items around the list. */
  const readList = (own, attrs) => {
    const [, sign, number, mark] = ITEM.exec(own[0].text);
    const type = sign === undefined ? "ordered_list" : "bullet_list";
    const items = [];
    let next = 0;
    while (next < own.length) {
      let blank = 0;
      while (isBlank(own[next].text)) {
        blank += 1;
        next += 1;
      }
      const [begin, itemSign, , itemMark] = ITEM.exec(own[next].text) ?? [];
      if (begin === undefined || itemSign !== sign || itemMark !== mark) {
        fail("a list that goes on otherwise than it began", own[next].line);
      }
      const first = next;
      const inner = [{ text: own[next].text.slice(begin.length), line: own[next].line }];
      for (next += 1; next < own.length && own[next].text.startsWith(" "); next += 1) {
        const { text: whole, line } = own[next];
        if (isBlank(whole) || !whole.startsWith(" ".repeat(begin.length))) fail(INDENTED, line);
        inner.push({ text: whole.slice(begin.length), line });
      }
      items.push(readItem(inner, { blank: first === 0 ? null : blank }));
    }
    const start = type === "bullet_list" ? {} : { start: Number(number) };
    return schema.node(type, { ...attrs, ...start, sign: sign ?? mark }, items);
  };
  const readItem = (inner, attrs) => {
    const nested = inner.findIndex(
      ({ text: own }, index) => index > 0 && /^(?:[-+*]|1[.)]) \S/.test(own),
    );
    const words = nested === -1 ? inner : inner.slice(0, nested);
    for (const [index, { text: own, line }] of words.entries()) {
      const number = NUMBER.exec(own)?.[1];
      const isNumbered =
        index === 0 ? number !== undefined && isItemNumber(Number(number)) : number === "1";
      const isOther = BEGINS_OTHER.test(own) || isNumbered || RULER.test(own);
      if (isOther || (index > 0 && /^\s/.test(own)) || tagLine(own)) fail(INDENTED, line);
    }
    const content = [
      paragraph(
        words.map(({ text: own }) => own),
        words[0].line,
        {},
      ),
    ];
    if (nested !== -1) {
      content.push(deeper(() => readList(inner.slice(nested), { blank: 0 })));
    }
    return schema.node("list_item", attrs, content);
  };
  /** Returns the lines of a list: its items, the indented lines below them, and blank lines between these. */
  const listLines = () => {
    const own = [];
    const [, sign, , mark] = ITEM.exec(lines[at]);
    for (let index = at; index < lines.length; index += 1) {
      const line = lines[index];
      const [, itemSign, , itemMark] = ITEM.exec(line) ?? [];
      const isOwn = isItem(line) && itemSign === sign && itemMark === mark;
      if (isBlank(line)) {
        if (/^\s+\S/.test(lines[index + 1] ?? "")) fail(INDENTED, index + 1);
      } else if (!isOwn && !line.startsWith(" ")) {
        const isBehindBlank = isBlank(lines[index - 1]);
        const ends = tagLine(line) || BEGINS_OTHER.test(line) || isItem(line);
        if (!isBehindBlank && !ends) fail("a line that belongs to the item above", index);
        break;
      }
      own.push({ text: line, line: index });
    }
    while (isBlank(own.at(-1).text)) own.pop();
    at += own.length;
    return own;
  };

  const readQuote = (attrs) => {
    const paragraphs = [];
    let words = [];
    let blank = 0;
    const first = at;
    const endWords = () => {
      if (words.length === 0) return;
      const before = paragraphs.length === 0 ? null : blank;
      paragraphs.push(paragraph(words, at - words.length, { blank: before }));
      [words, blank] = [[], 0];
    };
    for (; lines[at]?.startsWith(">"); at += 1) {
      const [, own] = /^>(?: (\S.*))?$/.exec(lines[at]) ?? fail("a quotation of this form");
      if (own === undefined) {
        endWords();
        blank += 1;
        continue;
      }
      if (BEGINS_OTHER.test(own) || isItem(own) || RULER.test(own) || tagLine(own)) {
        fail("more than words in a quotation");
      }
      words.push(own);
    }
    const hasMore = words.length > 0;
    endWords();
    const next = lines[at];
    if (!hasMore || lines[first] === ">") fail("an empty line in a quotation", at - 1);
    const isOver = next === undefined || isBlank(next) || tagLine(next) || BEGINS_OTHER.test(next);
    if (!isOver && !isItem(next)) fail("a line that belongs to the quotation above");
    return schema.node("quote", attrs, paragraphs);
  };

  /** Reads a table's text, up to a blank line or a tag that ends the box around the table. */
  const readTable = (attrs) => {
    const own = [];
    let depth = 0;
    for (; at < lines.length && !isBlank(lines[at]); at += 1) {
      const { word } = tagLine(lines[at]) ?? {};
      if (word in ENDS) depth += 1;
      else if (word?.startsWith("end")) depth -= 1;
      if (depth < 0 || (depth === 0 && word?.startsWith("els"))) break;
      own.push(lines[at]);
    }
    if (depth > 0) fail("a table that ends before its condition does");
    if (!isBlank(lines[at] ?? "") && lines[at + 1]?.includes("|")) {
      fail("rows or signs that go on the table above", at + 1);
    }
    return schema.node("table", { ...attrs, text: own.join("\n") });
  };

  const readBox = (attrs) => {
    const first = at;
    const { word } = tagLine(lines[at]);
    const branches = [];
    let before = attrs.blank;
    for (;;) {
      const tag = lines[at];
      at += 1;
      const { blocks, blank } = deeper(readBlocks);
      const content = blocks.length > 0 ? blocks : [schema.node("paragraph")];
      branches.push(schema.node("branch", { tag, blank: before }, content));
      const closing = at < lines.length ? tagLine(lines[at]) : undefined;
      if (closing === undefined) fail("a condition or a loop that does not end", first);
      if (closing.word === ENDS[word]) {
        const own = { ...attrs, end: lines[at], endBlank: blank };
        at += 1;
        return schema.node("box", own, branches);
      }
      if (closing.word.startsWith("end"))
        fail(`the tag {% ${closing.word} %} where nothing of it began`);
      before = blank;
    }
  };

  const readBlock = (attrs) => {
    const line = lines[at];
    const tag = tagLine(line);
    if (tag !== undefined) {
      if (!(tag.word in ENDS)) fail(`the tag {% ${tag.word} %} where it cannot stand`);
      return readBox(attrs);
    }
    if (isTable(line, lines[at + 1])) return readTable(attrs);
    const [, signs, words] = HEADING.exec(line) ?? [];
    if (signs !== undefined) {
      at += 1;
      if (/(^|\s)#+\s*$/.test(words)) fail("signs at the end of a heading", at - 1);
      return schema.node("heading", { ...attrs, level: signs.length }, readWords(words, at));
    }
    if (line === DIVIDER) {
      at += 1;
      return schema.node("divider", attrs);
    }
    if (line.startsWith(">")) return readQuote(attrs);
    if (isItem(line)) return readList(listLines(), attrs);
    const link = alone(line);
    if (link !== undefined) {
      at += 1;
      const { label, href, title, isImage } = link;
      if (!isImage) return schema.node("button", { ...attrs, href, title }, readWords(label, at));
      const words = readWords(label, at);
      if (words.some(({ marks }) => marks.length > 0))
        fail("marks in the words of an image", at - 1);
      const alt = words.map((node) => (node.isText ? node.text : node.attrs.code)).join("");
      return schema.node("image", { ...attrs, src: href, alt, title });
    }
    if (/^\s/.test(line)) fail(INDENTED);
    if (BEGINS_OTHER.test(line)) fail("something that is not known here");
    const [, number] = NUMBER.exec(line) ?? [];
    if (number !== undefined && isItemNumber(Number(number))) fail("a list of this form");
    const from = at;
    for (at += 1; goesOn(at); ) at += 1;
    const own = lines.slice(from, at);
    own.forEach((one, index) => {
      if (isAloneBesideTags(one)) fail("tags alone on a line, or beside a button", from + index);
    });
    return paragraph(own, from, attrs);
  };

  /** Reads blocks up to the end of the text, or up to a line with a tag that ends the branch around them. */
  const readBlocks = () => {
    const blocks = [];
    for (;;) {
      const blank = skipBlanks();
      const { word = "" } = (at < lines.length && tagLine(lines[at])) || {};
      if (at >= lines.length || /^(end|els)/.test(word)) return { blocks, blank };
      blocks.push(readBlock({ blank }));
    }
  };

  return {
    read() {
      const content = [];
      const blank = skipBlanks();
      const [, prefix, words] = PREHEADER.exec(lines[at] ?? "") ?? [];
      if (words) {
        content.push(schema.node("preheader", { blank, prefix }, readPlain(words)));
        at += 1;
      } else {
        at = 0;
      }
      const { blocks } = readBlocks();
      if (at < lines.length) fail(`${lines[at]} where nothing of it began`);
      if (blocks.length === 0) blocks.push(schema.node("paragraph"));
      return schema.node("doc", { end }, [...content, ...blocks]);
    },
  };
}

const INDENTED = "an indented line of this form";
