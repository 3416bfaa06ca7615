/**
 * Writes the blocks of a Markdown text as the markup of a chat template: the few elements of HTML that
 * chat/read-chat.ts reads after the values have been inserted.
 */

import type { MarkdownBlock } from "../markdown-blocks.ts";
import { type LineForm, lineComponents } from "../markdown-components.ts";
import { type RenderState, writeChildren, writeText } from "../markdown-inline.ts";

const CELLS = " · ";

/** An image becomes a link to it. */
const CHAT_LINE: LineForm = {
  words: (html) => `<p>${html}</p>`,
  button: ({ href, words }) => `<button href="${href}">${words}</button>`,
  image: ({ src, alt, href }) => `<p><a href="${href ?? src}">${alt || src}</a></p>`,
};

/** Writes a whole text. Chats have no quotations and no tables: they become paragraphs and a list. */
export function writeChat(writing: RenderState, root: MarkdownBlock): string {
  return writeChildren(writing, root, (block) => {
    switch (block.element) {
      case "p":
        return lineComponents(writing, block, CHAT_LINE);
      case "hr":
        return "";
      case "table":
        return writeChildren(writing, block, (part) => rows(writing, part));
      case "ul":
      case "ol":
        return list(writing, block);
      case "blockquote":
        return writeChat(writing, block);
      default:
        return heading(writing, block);
    }
  });
}

function heading(writing: RenderState, block: MarkdownBlock): string {
  const level = Math.min(3, Number(block.element.slice(1)));
  const { before, html, behind } = writing.words.unwrap(writeText(writing, block));
  return `${before}<h${level}>${html}</h${level}>${behind}`;
}

function rows(writing: RenderState, part: MarkdownBlock): string {
  const written = writeChildren(writing, part, (row) => {
    const last = row.children.length - 1;
    const cells = writeChildren(writing, row, (cell, at) => {
      return writeText(writing, cell) + (at === last ? "" : CELLS);
    });
    return part.element === "thead" ? `<p><strong>${cells}</strong></p>` : `<li>${cells}</li>`;
  });
  return part.element === "thead" ? written : `<ul>${written}</ul>`;
}

function list(writing: RenderState, block: MarkdownBlock): string {
  const start = block.element === "ol" ? ` start="${block.token?.attrGet("start") ?? 1}"` : "";
  const items = writeChildren(writing, block, (item) => `<li>${inItem(writing, item)}</li>`);
  return `<${block.element}${start}>${items}</${block.element}>`;
}

/** Writes what stands in an item: its texts, each on its own line, and its lists. */
function inItem(writing: RenderState, block: MarkdownBlock): string {
  return writeChildren(writing, block, (child, at) => {
    if (child.element === "ul" || child.element === "ol") return list(writing, child);
    const lineEnd = at === 0 ? "" : "<br />";
    if (child.inline === undefined) return lineEnd + inItem(writing, child);
    const text = writeText(writing, child);
    return lineEnd + (child.element === "p" ? text : `<strong>${text}</strong>`);
  });
}
