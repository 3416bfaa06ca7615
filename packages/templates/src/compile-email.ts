/** Compiles a mail's content: MJML, HTML or plain text to an HTML and a text part with safe tags. */

import { htmlSlots, judgeHtml } from "./html/html-slots.ts";
import { type TextLink, takeLinks } from "./html/text-part.ts";
import { escapeHtml } from "./language/characters.ts";
import { findBlocks } from "./language/parse-template.ts";
import { type MarkupWords, markupWords, tagText } from "./language/tag-words.ts";
import {
  breaksLines,
  type Range,
  scanTags,
  type Tag,
  type TagFault,
  tagExtents,
} from "./language/tags.ts";
import { compileMarkup, type MarkupResult } from "./markup-compiler.ts";
import { checkMjml } from "./mjml-source.ts";
import { type CompileSettings, type EmailFormat, emailFormat, languageOf } from "./source.ts";
import { directHtml, directionOf, directMjml } from "./text-direction.ts";

export type CompiledContent =
  | {
      ok: true;
      format: EmailFormat;
      html: string;
      text: string;
      links: TextLink[];
      warnings: TagFault[];
    }
  | { ok: false; faults: TagFault[] };

/** Compiles a mail's content. `tags` are its scanned tags, which have no faults. */
export async function compileEmailContent(
  content: string,
  tags: readonly Tag[],
  settings: CompileSettings,
  format = emailFormat(content),
  isLayout = false,
): Promise<CompiledContent> {
  const { owner, linkSchemes } = settings;
  const language = languageOf(settings);
  if (format === "text") {
    const breaking = tags
      .filter(breaksLines)
      .map(({ start }) => ({ offset: start, message: KEPT }));
    if (breaking.length > 0) return { ok: false, faults: breaking };
    const trims = tags.some((tag) => tag.kind === "block" || tag.trims !== undefined);
    const text = trims ? withoutTagLines(content, tags) : content;
    const html = textPage(text, trims ? scanTags(text).tags : tags, language);
    return { ok: true, format, html, text, links: [], warnings: [] };
  }
  const isMjml = format === "mjml";
  const checked = isMjml
    ? checkMjml(content, tags)
    : { faults: htmlFaults(content, tags, linkSchemes) };
  if (checked.faults.length > 0) return { ok: false, faults: checked.faults };
  const words = markupWords(content, tags, "between" in checked ? checked.between : undefined);
  const directed = isMjml ? directMjml(words.content, language, isLayout) : undefined;
  const source = directed?.mjml ?? words.content;
  const result = await compileMarkup({ owner, format, content: source, linkSchemes });
  if (!result.ok) return { ok: false, faults: compilerFaults(result, words, tags) };
  const text = takeLinks(words.restoreText(result.text));
  const textFaults = brokenBlocks(text.text, words.indexesIn(result.text), tags);
  if (textFaults.length > 0) return { ok: false, faults: textFaults };
  if (directed === undefined) return { ok: true, format, html: content, ...text, warnings: [] };
  const html = words.restore(directHtml(result.html, directed.direction));
  const faults = compiledFaults(html, words.indexesIn(result.html), tags, linkSchemes);
  if (faults.length > 0) return { ok: false, faults };
  return { ok: true, format, html, ...text, warnings: pictureWarnings(content, html) };
}

const KEPT = "newline_to_br is for HTML: a plain text keeps the line ends of its values";

/** Base URLs of MJML's own pictures: icons of social networks, arrows of carousels and accordions. */
const MJML_PICTURES = ["https://www.mailjet.com/images/", "https://i.imgur.com/"];

function pictureWarnings(content: string, html: string): TagFault[] {
  return MJML_PICTURES.filter((base) => html.includes(base) && !content.includes(base)).map(
    (base) => ({
      offset: Math.max(0, content.search(/<mj-(?:social|carousel|accordion)/i)),
      message: `each mail loads a picture of MJML's own from ${base}: name your own in src, left-icon, icon-wrapped-url and the like`,
    }),
  );
}

/** Returns the faults of compiled HTML, each at the tag of the source that causes it. */
export function compiledFaults(
  html: string,
  indexes: readonly number[],
  tags: readonly Tag[],
  linkSchemes: readonly string[] | undefined,
) {
  const survived = new Set(indexes);
  const lost = tags.filter((_, index) => !survived.has(index));
  if (lost.length > 0) {
    return lost.map((tag) => ({
      offset: tag.start,
      message: `${tagText(tag)} does not survive the compilation of MJML here`,
    }));
  }
  const compiled = scanTags(html);
  if (compiled.faults.length > 0 || compiled.tags.length !== indexes.length) {
    return [{ offset: 0, message: "the content holds braces that MJML brings together" }];
  }
  const broken = brokenBlocks(html, indexes, tags);
  if (broken.length > 0) return broken;
  const faults = new Map<number, string>();
  htmlSlots(html, compiled.tags, linkSchemes).forEach((slot, place) => {
    const index = indexes[place];
    if ("refused" in slot && index !== undefined) faults.set(index, slot.refused);
  });
  return [...faults].map(([index, message]) => ({ offset: tags[index]?.start ?? 0, message }));
}

/** Returns the fault of a block that the compiler has torn apart. `indexes`: the source indexes of the text's tags. */
function brokenBlocks(text: string, indexes: readonly number[], tags: readonly Tag[]): TagFault[] {
  const compiled = scanTags(text).tags;
  const [fault] = findBlocks(compiled).faults;
  if (fault === undefined) return [];
  const place = compiled.findIndex(({ start }) => start === fault.offset);
  const offset = tags[indexes[place] ?? -1]?.start ?? 0;
  return [{ offset, message: `this block does not survive here as a whole: ${fault.message}` }];
}

/** Returns the faults in the order of their offsets. A block's fault may be far from its tag. */
function htmlFaults(
  html: string,
  tags: readonly Tag[],
  linkSchemes: readonly string[] | undefined,
): TagFault[] {
  const { slots, blocks } = judgeHtml(html, tags, linkSchemes);
  const values = slots.flatMap((slot, index) =>
    "refused" in slot ? [{ offset: tags[index]?.start ?? 0, message: slot.refused }] : [],
  );
  return [...values, ...blocks].sort((a, b) => a.offset - b.offset);
}

/** Returns the compiler's faults. A fault that names a tag is at this tag, any other at its line. */
function compilerFaults(
  result: Extract<MarkupResult, { ok: false }>,
  words: MarkupWords,
  tags: readonly Tag[],
): TagFault[] {
  return result.errors.map(({ line, message }) => {
    const tag = tags[words.indexesIn(message)[0] ?? -1];
    const isOfBlock = tag?.kind === "block" && message.startsWith("Attribute ");
    const instead = isOfBlock
      ? ": put the block around the whole element, once with each value"
      : "";
    return {
      offset: tag?.start ?? words.lineOffset(line),
      message: words.restore(message) + instead,
    };
  });
}

/** Makes a page of a plain text. Line ends of the template become `<br>`; those of values are kept by `white-space`. */
function textPage(content: string, tags: readonly Tag[], language: string | undefined): string {
  let body = "";
  let at = 0;
  const own = (text: string): string => escapeHtml(text).replace(/\r?\n/g, "<br>");
  for (const tag of tags) {
    body += own(content.slice(at, tag.start)) + content.slice(tag.start, tag.end);
    at = tag.end;
  }
  body += own(content.slice(at));
  const lang = language === undefined ? "" : ` lang="${language}"`;
  const dir = language === undefined ? "auto" : directionOf(language);
  return (
    `<!doctype html><html${lang}><head><meta charset="utf-8"></head><body>` +
    `<div dir="${dir}" style="white-space:pre-wrap;overflow-wrap:break-word;font-family:sans-serif">${body}</div></body></html>`
  );
}

/**
 * Removes lines that contain only tags of blocks, and the blanks that tags trim. Writes the tags as in a compiled text.
 */
export function withoutTagLines(text: string, tags: readonly Tag[]): string {
  const extents = tagExtents(text, tags);
  for (let first = 0; first < tags.length; first++) {
    let last = first;
    while (areOfOneLine(text, tags[last], tags[last + 1])) last++;
    const line = lineOf(text, tags, first, last);
    for (let index = first; line !== undefined && index <= last; index++) {
      const extent = extents[index];
      if (extent === undefined) continue;
      if (index === first) extent.start = Math.min(extent.start, line.start);
      extent.end = Math.max(extent.end, index === last ? line.end : (tags[index + 1]?.start ?? 0));
    }
    first = last;
  }
  let result = "";
  let at = 0;
  tags.forEach((tag, index) => {
    const { start, end } = extents[index] ?? tag;
    const before = text.slice(at, start);
    // The trimmed blanks may have separated two braces.
    result += before + (before.endsWith("{") ? " " : "") + tagText(tag);
    at = Math.max(at, end);
  });
  return result + text.slice(at);
}

function areOfOneLine(text: string, tag: Tag | undefined, next: Tag | undefined): boolean {
  if (tag?.kind !== "block" || next?.kind !== "block") return false;
  return /^[ \t]*$/.test(text.slice(tag.end, next.start));
}

/** Returns the line that tags fill, with its line end, or undefined if the line contains anything else. */
function lineOf(
  text: string,
  tags: readonly Tag[],
  first: number,
  last: number,
): Range | undefined {
  if (tags[first]?.kind !== "block") return undefined;
  const begins = tags[first - 1]?.end ?? 0;
  const ends = tags[last + 1]?.start ?? text.length;
  let start = tags[first]?.start ?? 0;
  while (start > begins && isBlank(text.charAt(start - 1))) start--;
  let end = tags[last]?.end ?? 0;
  while (end < ends && isBlank(text.charAt(end))) end++;
  if (start > 0 && text.charAt(start - 1) !== "\n") return undefined;
  if (end === text.length) return { start, end };
  const lineEnd = /\r?\n/y;
  lineEnd.lastIndex = end;
  return lineEnd.test(text) ? { start, end: lineEnd.lastIndex } : undefined;
}

function isBlank(character: string): boolean {
  return character === " " || character === "\t";
}
