/**
 * Converts inline Markdown (text, emphasis, code, links) to HTML. Defines `RenderState`, the state of converting one
 * document.
 */

import { hasLinkScheme } from "./html/url-value.ts";
import { escapeHtml } from "./language/characters.ts";
import { beginsWithWord, type WordReader } from "./language/tag-words.ts";
import type { Insertions, MarkdownBlock } from "./markdown-blocks.ts";
import { type Token, UNREAD_LINK } from "./markdown-parser.ts";
import type { Direction } from "./text-direction.ts";

export interface RenderState {
  words: WordReader;
  links: InlineStyle;
  direction: Direction;
  insertions: Insertions;
  /** `line` is the line as a `MarkdownBlock` counts it: from 0, without removed lines. */
  faults: (InlineFault & { line: number })[];
  /** The number of the text run that contains each tag. A text run is a paragraph, a heading or a table cell. */
  runOfTag: Map<number, number>;
  /** The number of texts that have been written. */
  runs: number;
}

/** Writes inline tokens of a block, and adds their faults to the state. */
export function writeInline(
  { links, faults }: RenderState,
  tokens: readonly Token[],
  { begin }: MarkdownBlock,
): string {
  const found: InlineFault[] = [];
  const html = inlineHtml(tokens, links, found);
  for (const fault of found) faults.push({ line: begin, ...fault });
  return html;
}

/** Registers `html` as one text run and returns it unchanged. The tags of a template block must be in the same run. */
export function registerRun(writing: RenderState, html: string): string {
  writing.runs++;
  for (const tag of writing.words.tagsIn(html)) writing.runOfTag.set(tag, writing.runs);
  return html;
}

/** Writes the words of a paragraph, a heading or a cell. */
export function writeText(writing: RenderState, block: MarkdownBlock): string {
  return registerRun(writing, writeInline(writing, block.inline?.children ?? [], block));
}

/** Writes a block's children, and the block tags between them. */
export function writeChildren(
  { insertions, words }: RenderState,
  block: MarkdownBlock,
  write: (child: MarkdownBlock, at: number) => string,
): string {
  const gaps = insertions.get(block);
  const tagsAt = (gap: number): string =>
    (gaps?.get(gap) ?? []).map((tag) => words.of(tag)).join("");
  const parts = block.children.map((child, at) => tagsAt(at) + write(child, at));
  return parts.join("") + tagsAt(block.children.length);
}

/** Finds the template blocks whose tags are in different text runs. Returns the first tag of each. */
export function scatteredBlocks({ runOfTag }: RenderState, blocks: Iterable<readonly number[]>) {
  return [...blocks]
    .filter((tags) => new Set(tags.map((tag) => runOfTag.get(tag))).size > 1)
    .map(([first = 0]) => first);
}

/** A fault of a link or an image. `near` is a part of the source by which its place is found. */
export interface InlineFault {
  near: string;
  message: string;
}

export interface InlineStyle {
  /** The CSS of a link. */
  link: string;
  /** The class of a link. Styles for dark mode use it to change the colour. */
  linkClass: string;
  /** Link schemes that the tenant allows in addition to the default ones. */
  linkSchemes?: readonly string[] | undefined;
}

const CODE = "font-family:Consolas,Menlo,monospace;font-size:0.9em;word-break:break-all";

/** Escapes a text for HTML. It also escapes `{`, so that a brace of the text cannot become part of a tag. */
export function plainHtml(text: string): string {
  return escapeHtml(text).replaceAll("{", "&#123;");
}

/** Writes the tokens of one paragraph, and adds their faults to `faults`. */
export function inlineHtml(tokens: readonly Token[], style: InlineStyle, faults: InlineFault[]) {
  let html = "";
  for (const token of tokens) html += tokenHtml(token, style, faults);
  return html;
}

function tokenHtml(token: Token, style: InlineStyle, faults: InlineFault[]): string {
  switch (token.type) {
    case "text":
      return plainHtml(token.content);
    case "softbreak":
    case "hardbreak":
      return "<br />";
    case "code_inline":
      return `<code style="${CODE}">${plainHtml(token.content)}</code>`;
    case "link_open":
      return linkHtml(token, style, faults);
    case UNREAD_LINK:
      faults.push({
        near: token.content,
        message:
          "this link cannot be read: in an address a blank is written as %20, and brackets as %28 and %29; behind the address there is only ) or a title in quotes",
      });
      return "";
    case "image":
      faults.push({
        near: "![",
        message: "an image stands alone on its line, with nothing before or behind it",
      });
      return "";
    default:
      // `strong`, `em`, `s`, and the end of a link.
      return token.nesting === -1 ? `</${token.tag}>` : `<${token.tag}>`;
  }
}

function linkHtml(token: Token, style: InlineStyle, faults: InlineFault[]): string {
  const href = linkAddress(token, style, faults);
  const title = attribute(token, "title");
  const named = title === "" ? "" : ` title="${plainHtml(title)}"`;
  const looks = `class="${style.linkClass}" style="${style.link}"`;
  return `<a href="${plainHtml(href)}"${named} target="_blank" ${looks}>`;
}

/** Returns a link's URL. Adds a fault if its scheme is not allowed. */
export function linkAddress(token: Token, style: InlineStyle, faults: InlineFault[]): string {
  const href = attribute(token, "href");
  const leads = /:./.test(href) && hasLinkScheme(href, style.linkSchemes);
  if (!beginsWithWord(href) && !leads) {
    faults.push({
      near: `](${href.slice(0, 40)}`,
      message:
        "a link leads to https://, mailto:, tel: or sms:, to an app link that your tenant allows, or to a variable that holds such an address",
    });
  }
  return href;
}

/** Returns an image's URL. Adds a fault if it is neither http(s) nor a value. */
export function imageAddress(token: Token, faults: InlineFault[]): string {
  const src = attribute(token, "src");
  if (!beginsWithWord(src) && !/^https?:./i.test(src)) {
    faults.push({
      near: "![",
      message: "an image is loaded from https://, or from a variable that holds such an address",
    });
  }
  return src;
}

export function attribute(token: Token, name: string): string {
  return String(token.attrGet(name) ?? "");
}
