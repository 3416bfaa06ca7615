/** Writes the blocks of a Markdown text as MJML components that contain HTML. */

import type { MarkdownBlock } from "./markdown-blocks.ts";
import {
  attribute,
  type InlineFault,
  imageAddress,
  linkAddress,
  plainHtml,
  type RenderState,
  registerRun,
  writeChildren,
  writeInline,
  writeText,
} from "./markdown-inline.ts";
import type { Token } from "./markdown-parser.ts";
import { box, type Direction, sideOf } from "./text-direction.ts";

/** The font size and the line height of each heading, in pixels. */
const HEADINGS: Record<string, readonly [number, number]> = {
  h1: [26, 32],
  h2: [20, 28],
  h3: [17, 24],
};
const RULE = "border:0;border-top:1px solid #e2e5e9;margin:12px 0";

/** Writes a whole text as components, with block tags directly between them. */
export function writeComponents(writing: RenderState, root: MarkdownBlock): string {
  return writeChildren(writing, root, (block) => {
    switch (block.element) {
      case "p":
        return lineComponents(writing, block, MJML_LINE);
      case "hr":
        return '<mj-divider mj-class="divider" css-class="divider" />\n';
      case "table":
        return `<mj-table mj-class="table" css-class="table">${tableRows(writing, block)}</mj-table>\n`;
      case "ul":
      case "ol":
      case "blockquote":
        return `<mj-text>${blockHtml(writing, block)}</mj-text>\n`;
      default:
        return headingComponent(writing, block);
    }
  });
}

function headingComponent(writing: RenderState, block: MarkdownBlock): string {
  const level = HEADINGS[block.element] === undefined ? "h3" : block.element;
  const [size, line] = HEADINGS[level] ?? [17, 24];
  const style = `margin:0;font-size:${size}px;line-height:${line}px;font-weight:600`;
  const { before, html, behind } = writing.words.unwrap(writeText(writing, block));
  const heading = `<${level} style="${style}">${html}</${level}>`;
  return `${before}<mj-text mj-class="${level}">${heading}</mj-text>\n${behind}`;
}

/** Writes a list, a quotation, a table or a rule as HTML. */
function blockHtml(writing: RenderState, block: MarkdownBlock): string {
  switch (block.element) {
    case "ul":
    case "ol":
      return listHtml(writing, block);
    case "blockquote": {
      const content = writeChildren(writing, block, (child, at) => {
        const margin = at === block.children.length - 1 ? "0" : "0 0 12px";
        return innerHtml(writing, child, margin);
      });
      return `<blockquote class="quote" style="${quoteStyle(writing.direction)}">${content}</blockquote>`;
    }
    case "table":
      return `<table class="table" width="100%" cellpadding="0" cellspacing="0" border="0">${tableRows(writing, block)}</table>`;
    default:
      return `<hr style="${RULE}" />`;
  }
}

function innerHtml(writing: RenderState, block: MarkdownBlock, margin: string): string {
  if (block.inline === undefined) return blockHtml(writing, block);
  const text = writeText(writing, block);
  const words = block.element === "p" ? text : `<b>${text}</b>`;
  return `<p style="margin:${margin}">${words}</p>`;
}

function listHtml(writing: RenderState, list: MarkdownBlock): string {
  const start = list.token?.attrGet("start");
  const first = start === null || start === undefined ? "" : ` start="${start}"`;
  const items = writeChildren(writing, list, (item) => {
    const content = writeChildren(writing, item, (block, at) =>
      block.element === "p" && at === 0
        ? writeText(writing, block)
        : innerHtml(writing, block, "8px 0 0"),
    );
    return `<li style="margin:0 0 6px">${content}</li>`;
  });
  const padding = box(["0", "0", "0", "24px"], writing.direction);
  return `<${list.element}${first} style="margin:0;padding:${padding}">${items}</${list.element}>`;
}

function quoteStyle(direction: Direction): string {
  const padding = box(["2px", "0", "2px", "16px"], direction);
  const side = sideOf("start", direction);
  return `margin:0;padding:${padding};border-${side}:3px solid #d5d8dd`;
}

const HEADER =
  "border-bottom:1px solid #d5d8dd;font-size:13px;font-weight:600;vertical-align:bottom;word-break:normal";
const CELL = "border-bottom:1px solid #e9ebee;vertical-align:top";

function tableRows(writing: RenderState, table: MarkdownBlock): string {
  return writeChildren(writing, table, (part) => {
    const rows = writeChildren(writing, part, (row) => {
      const last = row.children.length - 1;
      const cells = writeChildren(writing, row, (cell, at) => {
        const text = writeText(writing, cell);
        const looks = cellLooks(cell, writing.direction, at === last);
        if (cell.element === "th") return `<th scope="col" ${looks}>${text}</th>`;
        return `<td ${looks}>${text}</td>`;
      });
      return `<tr>${cells}</tr>`;
    });
    return `<${part.element}>${rows}</${part.element}>`;
  });
}

function cellLooks(cell: MarkdownBlock, direction: Direction, isLast: boolean): string {
  const isHeader = cell.element === "th";
  const end = isLast ? "0" : "12px";
  const padding = box(isHeader ? ["0", end, "8px", "0"] : ["10px", end, "10px", "0"], direction);
  const alignment = alignmentOf(cell);
  // Numbers do not wrap. If a phone lacks room, the other columns wrap.
  const wrap = { end: ";white-space:nowrap", center: ";word-break:normal", start: "" }[alignment];
  const align = alignment === "center" ? alignment : sideOf(alignment, direction);
  const style = `padding:${padding};${isHeader ? HEADER : CELL};text-align:${align}${wrap}`;
  return `align="${align}" style="${style}"`;
}

/** Returns the alignment of a cell. `---:` is the end of a line and `:---` its start, in both writing directions. */
function alignmentOf({ token }: MarkdownBlock): "start" | "center" | "end" {
  const style = String(token?.attrGet("style") ?? "");
  return style.includes("right") ? "end" : style.includes("center") ? "center" : "start";
}

/** How the words of a paragraph, a button and an image are written. All texts are escaped for HTML. */
export interface LineForm {
  words(html: string): string;
  button(button: { href: string; title: string; words: string }): string;
  image(image: { src: string; alt: string; looks: string; href: string | undefined }): string;
}

const MJML_LINE: LineForm = {
  words: (html) => `<mj-text><p style="margin:0">${html}</p></mj-text>\n`,
  button: ({ href, title, words }) =>
    `<mj-button mj-class="button" css-class="button" href="${href}"${title}>${words}</mj-button>\n`,
  image({ src, alt, looks, href }) {
    const link = href === undefined ? "" : ` href="${href}"`;
    return `<mj-image mj-class="image" src="${src}" alt="${alt}"${looks}${link} />\n`;
  },
};

/** Writes a paragraph of the message itself. A link or an image alone on its line becomes a button or an image. */
export function lineComponents(writing: RenderState, block: MarkdownBlock, form: LineForm): string {
  let mjml = "";
  let words: Token[] = [];
  const endWords = (): void => {
    const text = registerRun(writing, writeInline(writing, words, block));
    words = [];
    const { before, html, behind } = writing.words.unwrap(text);
    if (html !== "") mjml += before + form.words(html) + behind;
  };
  for (const { line, end } of linesOf(block.inline?.children ?? [])) {
    const alone = aloneOnLine(writing, line, block, form);
    if (alone === undefined) {
      for (const token of line) words.push(token);
      if (end !== undefined) words.push(end);
    } else {
      if (words.at(-1)?.type.endsWith("break")) words.pop();
      endWords();
      mjml += registerRun(writing, alone);
    }
  }
  endWords();
  return mjml;
}

/** Splits a paragraph into lines. A line end inside marks, such as bold text, does not split. */
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

/** Writes a line of links, images and block tags as components; undefined if the line contains anything else. */
function aloneOnLine(
  writing: RenderState,
  line: readonly Token[],
  block: MarkdownBlock,
  form: LineForm,
) {
  const found: InlineFault[] = [];
  let mjml = "";
  // Two links on a line are text, unless block tags between them choose one.
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
      mjml += imageComponent(writing, form, token, undefined, found);
    } else if (token.type === "link_open" && token.info !== "auto") {
      const inside: Token[] = [];
      // Links cannot be nested, so the first `link_close` ends this one.
      for (at++; line[at] !== undefined && line[at]?.type !== "link_close"; at++) {
        inside.push(line[at] as Token);
      }
      mjml += linkComponent(writing, form, token, inside, block, found);
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
  writing: RenderState,
  form: LineForm,
  link: Token,
  inside: readonly Token[],
  block: MarkdownBlock,
  faults: InlineFault[],
): string {
  const [first] = inside;
  if (inside.length === 1 && first?.type === "image")
    return imageComponent(writing, form, first, link, faults);
  const href = plainHtml(linkAddress(link, writing.links, faults));
  const words = writeInline(writing, inside, block);
  return form.button({ href, title: titleOf(link), words });
}

function imageComponent(
  writing: RenderState,
  form: LineForm,
  image: Token,
  link: Token | undefined,
  faults: InlineFault[],
): string {
  const src = plainHtml(imageAddress(image, faults));
  const href = link && plainHtml(linkAddress(link, writing.links, faults));
  return form.image({ src, alt: plainHtml(altOf(image)), looks: widthOf(image), href });
}

function titleOf(token: Token): string {
  const title = attribute(token, "title");
  return title === "" ? "" : ` title="${plainHtml(title)}"`;
}

/** Returns the width in pixels if an image's title is one, or else the title. The default width is the mail's. */
function widthOf(image: Token): string {
  const [, width] = /^([1-9]\d{0,2})(?:px)?$/.exec(attribute(image, "title")) ?? [];
  return width === undefined ? titleOf(image) : ` width="${width}px"`;
}

/** Returns an image's alternative text without marks. */
function altOf({ children }: Token): string {
  let text = "";
  for (const token of children ?? []) text += token.type.endsWith("break") ? " " : token.content;
  return text;
}
