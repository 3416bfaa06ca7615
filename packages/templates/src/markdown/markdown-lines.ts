/** A paragraph of a mail: its words, and the buttons and images that stand alone on their lines. */

import {
  attribute,
  type InlineFault,
  imageAddress,
  linkAddress,
  plainHtml,
} from "./markdown-inline.ts";
import type { Token } from "./markdown-parser.ts";
import type { MarkdownBlock } from "./markdown-tree.ts";
import { asOneText, type Writing, writeInline } from "./markdown-writing.ts";

/** Writes a paragraph that stands in the mail itself, not in a list or a quotation. */
export function lineComponents(writing: Writing, block: MarkdownBlock): string {
  let mjml = "";
  let words: Token[] = [];
  const endWords = (): void => {
    const text = asOneText(writing, writeInline(writing, words, block));
    words = [];
    const { before, html, behind } = writing.words.unwrap(text);
    if (html !== "")
      mjml += `${before}<mj-text><p style="margin:0">${html}</p></mj-text>\n${behind}`;
  };
  for (const { line, end } of linesOf(block.inline?.children ?? [])) {
    const alone = aloneOnLine(writing, line, block);
    if (alone === undefined) {
      for (const token of line) words.push(token);
      if (end !== undefined) words.push(end);
    } else {
      if (words.at(-1)?.type.endsWith("break")) words.pop();
      endWords();
      mjml += asOneText(writing, alone);
    }
  }
  endWords();
  return mjml;
}

/** The lines of a paragraph, but for ends of lines inside marks. */
function linesOf(tokens: readonly Token[]): { line: Token[]; end: Token | undefined }[] {
  const lines: { line: Token[]; end: Token | undefined }[] = [{ line: [], end: undefined }];
  for (const token of tokens) {
    const last = lines.at(-1);
    if (token.level === 0 && token.type.endsWith("break")) {
      if (last !== undefined) last.end = token;
      lines.push({ line: [], end: undefined });
    } else {
      last?.line.push(token);
    }
  }
  return lines;
}

/** Links and images that have nothing but block tags beside them on their line, as components. */
function aloneOnLine(writing: Writing, line: readonly Token[], block: MarkdownBlock) {
  const found: InlineFault[] = [];
  let mjml = "";
  // Two links on a line are words, unless block tags choose one of them.
  let isFree = true;
  let count = 0;
  for (let at = 0; at < line.length; at++) {
    const token = line[at];
    if (token?.type === "text") {
      const tags = writing.words.onlyBlockTags(token.content);
      if (tags === undefined) return undefined;
      mjml += tags.map((tag) => writing.words.of(tag)).join("");
      isFree ||= tags.length > 0;
      continue;
    }
    if (token === undefined || !isFree) return undefined;
    if (token.type === "image") {
      mjml += imageComponent(writing, token, undefined, found);
    } else if (token.type === "link_open" && token.info !== "auto") {
      const inside: Token[] = [];
      // No link stands in another one.
      for (at++; line[at] !== undefined && line[at]?.type !== "link_close"; at++) {
        inside.push(line[at] as Token);
      }
      mjml += linkComponent(writing, token, inside, block, found);
    } else {
      return undefined;
    }
    isFree = false;
    count++;
  }
  if (count === 0) return undefined;
  for (const fault of found) writing.faults.push({ line: block.begin, ...fault });
  return mjml;
}

function linkComponent(
  writing: Writing,
  link: Token,
  inside: readonly Token[],
  block: MarkdownBlock,
  faults: InlineFault[],
): string {
  const [first] = inside;
  if (inside.length === 1 && first?.type === "image")
    return imageComponent(writing, first, link, faults);
  const href = plainHtml(linkAddress(link, writing.links, faults));
  const words = writeInline(writing, inside, block);
  return `<mj-button mj-class="button" css-class="button" href="${href}"${titleOf(link)}>${words}</mj-button>\n`;
}

function imageComponent(
  writing: Writing,
  image: Token,
  link: Token | undefined,
  faults: InlineFault[],
): string {
  const src = plainHtml(imageAddress(image, faults));
  const href =
    link === undefined ? "" : ` href="${plainHtml(linkAddress(link, writing.links, faults))}"`;
  const alt = plainHtml(altOf(image));
  return `<mj-image mj-class="image" src="${src}" alt="${alt}"${widthOf(image)}${href} />\n`;
}

function titleOf(token: Token): string {
  const title = attribute(token, "title");
  return title === "" ? "" : ` title="${plainHtml(title)}"`;
}

/** The title of an image may say how many pixels wide it is; without that it is as wide as the mail. */
function widthOf(image: Token): string {
  const [, width] = /^([1-9]\d{0,2})(?:px)?$/.exec(attribute(image, "title")) ?? [];
  return width === undefined ? titleOf(image) : ` width="${width}px"`;
}

/** What an image says, without marks. */
function altOf({ children }: Token): string {
  let text = "";
  for (const token of children ?? []) text += token.type.endsWith("break") ? " " : token.content;
  return text;
}
