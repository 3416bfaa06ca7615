/**
 * Reads HTML that other programs put on the clipboard. Keeps the parts that a mail can contain, and returns the names
 * of the other parts. Parses `style` attributes and `<style>` elements itself, because the page's policy forbids inline
 * styles. Pasted HTML is hostile, so it is bounded and read once; only words, marks and blocks of a mail are shown.
 */

import { Fragment, Slice } from "prosemirror-model";
import {
  asTitle,
  BREAK,
  inlineOf,
  markerOf,
  numberOf,
  paragraphsOf,
  quoted,
  spanOf,
  tableText,
  withLists,
} from "./pasted-blocks.js";
import { readDocument } from "./visual-document.js";
import { allowedAddress, schema } from "./visual-schema.js";
import { writeDocument } from "./visual-text.js";

const { nodes } = schema;
/** Maximum length of a mail's text, in characters. */
export const MAX_WORDS = 256 * 1024;
const MAX_DEPTH = 300;
const MAX_LIST_DEPTH = 9;

const namesOf = (names) => new Set(names.split(" "));
const SKIPPED = namesOf("STYLE TITLE META LINK SCRIPT NOSCRIPT TEMPLATE COL COLGROUP DATALIST XML");
const BLOCKS = namesOf(
  "ADDRESS ARTICLE ASIDE CAPTION CENTER DD DETAILS DIV DL DT FIGCAPTION FIGURE FOOTER FORM HEADER LI MAIN NAV P PRE SECTION SUMMARY TBODY TD TFOOT TH THEAD TR",
);
/** Elements that a mail's text cannot contain, each with the name that the page shows for them. */
const DROPPED = {
  IMG: "images",
  SVG: "images",
  "V:IMAGEDATA": "images",
  VIDEO: "media",
  AUDIO: "media",
  IFRAME: "media",
  OBJECT: "media",
  EMBED: "media",
  CANVAS: "media",
  INPUT: "fields",
  SELECT: "fields",
  TEXTAREA: "fields",
};
/** Elements that set a mark. */
const LOOKS = {
  B: "strong",
  STRONG: "strong",
  I: "em",
  EM: "em",
  S: "strike",
  STRIKE: "strike",
  DEL: "strike",
  CODE: "code",
  KBD: "code",
  SAMP: "code",
  TT: "code",
};
const STYLED = ["color", "background", "background-color", "font-family", "font-size"];

/** Returns `{slice, dropped}`: the content to insert, and the names of the parts that were left out. */
export function readPasted(root) {
  const reader = createReader();
  reader.walk(root, {}, 0);
  const blocks = withLists(reader.end());
  const doc = blocks.length > 1 ? nodes.doc.create({}, blocks) : undefined;
  // Written as text and read again, so that the editor shows what is stored: a link alone becomes a button.
  const shown = doc && readDocument(writeDocument(doc).text).doc;
  return { slice: Slice.maxOpen(shown?.content ?? Fragment.from(blocks)), dropped: reader.dropped };
}

function createReader() {
  const dropped = new Set();
  /** The declarations of `<style>` by class. */
  const classes = new Map();
  let left = MAX_WORDS;
  /** The nodes so far. Items of lists are still objects `{level, isOrdered, number, words}`. */
  let blocks = [];
  /** The runs `{text, look}` of the current block. */
  let runs = [];
  /** The kind of block that the runs belong to: `{type, attrs}`, or an item of a list `{level, isOrdered, number}`. */
  let place = { type: nodes.paragraph };

  const spend = (cost) => {
    left -= cost;
    if (left >= 0) return true;
    dropped.add("rest");
    return false;
  };
  const addText = (text, look) => {
    const own = text.slice(0, Math.max(0, left));
    if (spend(text.length) || own !== "") runs.push({ text: own, look });
  };
  const flush = () => {
    const paragraphs = paragraphsOf(runs);
    runs = [];
    for (const pieces of paragraphs) {
      if (place.level !== undefined) addItemWords(inlineOf(pieces));
      else if (place.type === nodes.paragraph) {
        blocks.push(nodes.paragraph.create({}, inlineOf(pieces)));
      } else blocks.push(place.type.create(place.attrs, inlineOf(pieces.map(asTitle))));
    }
  };
  const addItemWords = (words) => {
    const last = blocks.at(-1);
    if (last === undefined || last !== place.last) {
      // Words after a list inside the item become an item of their own.
      place.last = { ...place, number: place.last ? undefined : place.number, words };
      blocks.push(place.last);
      return;
    }
    last.words.push(nodes.hard_break.create());
    for (const node of words) last.words.push(node);
  };
  /** Reads into a block of another kind. `apart` reads into a separate list of blocks and returns it. */
  const within = (other, read) => {
    flush();
    const before = place;
    place = other;
    read();
    flush();
    place = before;
  };
  const apart = (read) => {
    flush();
    const before = blocks;
    blocks = [];
    within({ type: nodes.paragraph }, read);
    const own = blocks;
    blocks = before;
    return own;
  };

  const readClasses = (text) => {
    for (const [, name, own] of text.matchAll(/\.([\w-]+)\s*\{([^{}]*)\}/g)) classes.set(name, own);
  };
  const stylesOf = (element) => {
    const styles = new Map();
    const named = (element.getAttribute("class") ?? "").split(/\s+/, 20);
    const texts = [...named.map((name) => classes.get(name) ?? ""), element.getAttribute("style")];
    for (const [index, text] of texts.entries()) {
      for (const declaration of (text ?? "").split(";")) {
        const colon = declaration.indexOf(":");
        const name = declaration.slice(0, Math.max(0, colon)).trim().toLowerCase();
        styles.set(
          name,
          declaration
            .slice(colon + 1)
            .trim()
            .toLowerCase(),
        );
        if (index === texts.length - 1 && STYLED.includes(name)) dropped.add("styles");
      }
    }
    return styles;
  };
  const lookOf = (element, name, styles, outer) => {
    const look = { ...outer, ...(Object.hasOwn(LOOKS, name) && { [LOOKS[name]]: true }) };
    const weight = styles.get("font-weight") ?? "inherit";
    if (weight !== "inherit") look.strong = weight.startsWith("bold") || Number(weight) >= 600;
    const slant = styles.get("font-style") ?? "inherit";
    if (slant !== "inherit") look.em = /italic|oblique/.test(slant);
    const lines = `${styles.get("text-decoration")} ${styles.get("text-decoration-line")}`;
    if (lines.includes("line-through")) look.strike = true;
    const href = name === "A" ? element.getAttribute("href")?.trim() : undefined;
    if (href) {
      look.link = allowedAddress(href);
      if (look.link === undefined && !href.startsWith("#")) dropped.add("links");
    }
    const isUnderlined = lines.includes("underline") || name === "U" || name === "INS";
    if (isUnderlined && !look.link && !href) dropped.add("underlines");
    if (name === "SUP" || name === "SUB") dropped.add("styles");
    return look;
  };

  const walkAll = (element, look, depth) => {
    if (depth > MAX_DEPTH) dropped.add("rest");
    else for (const child of element.childNodes) walk(child, look, depth + 1);
  };
  const walk = (node, outer, depth) => {
    if (node.nodeType === 3) {
      if (!outer.isPre) addText(node.nodeValue, outer);
      else
        for (const [at, line] of node.nodeValue.split("\n").entries()) {
          if (at > 0) addText(BREAK, outer);
          addText(line, outer);
        }
      return;
    }
    if (node.nodeType !== 1) return;
    const name = node.nodeName.toUpperCase();
    if (name === "STYLE") readClasses(node.textContent);
    if (Object.hasOwn(DROPPED, name)) dropped.add(DROPPED[name]);
    if (SKIPPED.has(name) || Object.hasOwn(DROPPED, name)) return;
    const styles = stylesOf(node);
    if (styles.get("display") === "none" || styles.get("mso-hide") === "all") return;
    const look = lookOf(node, name, styles, outer);
    const inside = () => walkAll(node, look, depth);
    const wordItem = /(?:^|\s)level(\d)/.exec(styles.get("mso-list") ?? "");
    const heading = /^H([1-6])$/.exec(name);
    if (styles.get("mso-list") === "ignore") {
      // Word writes the bullet or the number of an item into the item's text.
      if (place.level !== undefined) Object.assign(place, markerOf(node.textContent));
    } else if (name === "BR") addText(BREAK, look);
    else if (name === "HR") {
      flush();
      if (spend(4)) blocks.push(nodes.divider.create());
    } else if (wordItem) within({ level: Number(wordItem[1]) }, inside);
    else if (name === "UL" || name === "OL") readList(node, name, look, depth);
    else if (name === "TABLE") readTable(node, look, depth);
    else if (name === "BLOCKQUOTE" && !/^(?:none|0)/.test(styles.get("border") ?? "")) {
      for (const block of quoted(withLists(apart(inside)))) blocks.push(block);
    } else if (heading && place.level === undefined) {
      within({ type: nodes.heading, attrs: { level: Math.min(3, heading[1]) } }, inside);
    } else if (heading || BLOCKS.has(name) || name === "BLOCKQUOTE") {
      if (name === "PRE") look.isPre = true;
      flush();
      inside();
      flush();
    } else inside();
  };

  const readList = (list, name, look, depth) => {
    const isOrdered = name === "OL";
    const inner = (place.level ?? 0) + 1;
    let number = numberOf(list.getAttribute("start")) ?? 1;
    flush();
    for (const child of list.childNodes) {
      const isItem = child.nodeName.toUpperCase() === "LI";
      if (isItem) number = numberOf(child.getAttribute("value")) ?? number;
      // Word's and Google's items have their depth in an attribute; Word's lists are not nested.
      const ownLevel = isItem ? numberOf(child.getAttribute("data-aria-level")) : undefined;
      const level = Math.min(MAX_LIST_DEPTH, Math.max(1, ownLevel ?? inner));
      within({ level, isOrdered, number }, () => walk(child, look, depth + 1));
      if (isItem) number += 1;
    }
  };

  const readTable = (table, look, depth) => {
    const role = table.getAttribute("role");
    const rows = [];
    flush();
    const rowOf = (element) => {
      const cells = [];
      for (const child of element.childNodes) {
        const name = child.nodeName.toUpperCase();
        if ((name !== "TD" && name !== "TH") || !spend(4)) continue;
        const own = apart(() => walk(child, look, depth + 2));
        const align = stylesOf(child).get("text-align") ?? child.getAttribute("align");
        cells.push({
          blocks: own,
          isRight: /^(?:right|end)/.test(align ?? ""),
          width: spanOf(child.getAttribute("colspan")),
          height: spanOf(child.getAttribute("rowspan")),
        });
      }
      return cells;
    };
    const readRows = (element) => {
      for (const child of element.childNodes) {
        const name = child.nodeName.toUpperCase();
        if (name === "TR") rows.push(rowOf(child));
        else if (/^(?:TBODY|THEAD|TFOOT)$/.test(name)) readRows(child);
        else if (name === "CAPTION") walk(child, look, depth + 1);
      }
    };
    readRows(table);
    const cells = rows.flat();
    // Mails use tables for their layout. Such a table is recognized by a table or a heading in a cell.
    const isLayout = cells.some((cell) =>
      cell.blocks.some(({ type }) => type === nodes.table || type === nodes.heading),
    );
    const text =
      isLayout || /^(?:presentation|none)$/.test(role ?? "") ? "" : tableText(rows, spend);
    if (text !== "") blocks.push(nodes.table.create({ text }));
    else for (const cell of cells) for (const block of cell.blocks) blocks.push(block);
  };

  return {
    walk: (root, look, depth) => walkAll(root, look, depth),
    end() {
      flush();
      return blocks;
    },
    dropped,
  };
}
