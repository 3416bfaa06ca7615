/** Makes the text part of a mail from its HTML. */

import { convert, type Node } from "html-to-text";
import { holdsBlockWord } from "../language/tag-words.ts";
import { CELL, markedLink } from "./text-part.ts";

const HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"];
/** Elements that begin a new line, like in a browser, in addition to those that html-to-text knows. */
const BLOCKS =
  "caption dl dt dd figure figcaption address center details summary fieldset legend".split(" ");

/**
 * Converts HTML to text: each table row is a line, links show their address, images their alternative text, and hidden
 * elements nothing. The addresses have the marks of text-part.ts.
 */
export function htmlText(html: string, linkSchemes?: readonly string[]): string {
  const text = convert(html, {
    wordwrap: false,
    formatters: {
      alternativeText: (element, _walk, builder) => builder.addInline(element.attribs?.alt ?? ""),
      row: (element, walk, builder) => {
        // html-to-text separates a table by two line ends, so its first row must also begin with two.
        builder.openBlock({ leadingLineBreaks: beginsTable(element) ? 2 : 1 });
        walk(element.children, builder);
        builder.closeBlock({ trailingLineBreaks: 1 });
      },
      cell: (element, walk, builder) => {
        if (followsCell(element) || followsBlockTag(element))
          builder.addInline(CELL, { noWordTransform: true });
        walk(element.children, builder);
      },
      // A template block may repeat or omit a list item. So a list that contains block tags gets bullets instead of
      // numbers.
      numbered: (element, walk, builder, options) => {
        const { orderedList, unorderedList } = builder.options.formatters;
        const list = element.children.some(hasBlockTag) ? unorderedList : orderedList;
        list?.(element, walk, builder, options);
      },
      link: (element, walk, builder) => {
        let hasWords = false;
        builder.pushWordTransform((word) => {
          hasWords = true;
          return word;
        });
        walk(element.children, builder);
        builder.popWordTransform();
        const link = markedLink(element.attribs?.href ?? "", hasWords, linkSchemes);
        builder.addInline(link, { noWordTransform: true });
      },
    },
    selectors: [
      // Upper case would change the names of variables, and does not exist in most scripts.
      ...HEADINGS.map((selector) => ({ selector, options: { uppercase: false } })),
      ...BLOCKS.map((selector) => ({
        selector,
        format: "block",
        options: { leadingLineBreaks: 1, trailingLineBreaks: 1 },
      })),
      { selector: "tr", format: "row" },
      { selector: "td", format: "cell" },
      { selector: "th", format: "cell" },
      { selector: "ol", format: "numbered" },
      { selector: "a", format: "link" },
      { selector: "img", format: "alternativeText" },
      { selector: "title", format: "skip" },
      { selector: '[style*="display:none"]', format: "skip" },
      { selector: '[style*="display: none"]', format: "skip" },
    ],
  });
  const lines = text.split("\n").flatMap(separateCells);
  return lines
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

function followsCell(cell: Node): boolean {
  const name = elementBefore(cell)?.name;
  return name === "td" || name === "th";
}

function beginsTable(row: Node): boolean {
  const { parent } = row;
  if (elementBefore(row) !== null || followsBlockTag(row)) return false;
  return parent === null || parent.name === "table" || elementBefore(parent) === null;
}

function elementBefore({ prev }: Node): Node | null {
  let node = prev;
  while (node !== null && node.type !== "tag") node = node.prev;
  return node;
}

/** Whether the text between the previous element and this one contains a template block tag. */
function followsBlockTag({ prev }: Node): boolean {
  let node = prev;
  while (node !== null && node.type !== "tag" && !hasBlockTag(node)) node = node.prev;
  return node !== null && hasBlockTag(node);
}

function hasBlockTag({ type, data }: Node): boolean {
  return type === "text" && holdsBlockWord(data ?? "");
}

/** Separates the cells of a line by two blanks. Drops a line that has only empty cells. */
function separateCells(line: string): string[] {
  if (!line.includes(CELL)) return [line.trimEnd()];
  const words = line
    .split(CELL)
    .map((cell) => cell.trim())
    .filter((cell) => cell !== "");
  return words.length === 0 ? [] : [words.join("  ")];
}
