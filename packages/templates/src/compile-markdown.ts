/** Compiles a mail's Markdown to MJML components, inserts these into the layout and compiles the whole as MJML. */

import { type CompiledContent, compileEmailContent } from "./compile-email.ts";
import { findBlocks } from "./language/parse-template.ts";
import { type MarkdownWords, markdownWords } from "./language/tag-words.ts";
import { scanTags, type Tag, type TagFault } from "./language/tags.ts";
import { layoutFaults } from "./layout-faults.ts";
import type { MarkupFault } from "./markdown.ts";
import { type InlineStyle, plainHtml } from "./markdown-inline.ts";
import { compileMarkup } from "./markup-compiler.ts";
import { linkColors, platformLayout } from "./platform-layout.ts";
import { type Composition, type MadeMarkup, type Part, setInLayout } from "./set-in-layout.ts";
import {
  CONTENT_TAG,
  type CompileSettings,
  type Layout,
  type LayoutFault,
  languageOf,
  PLATFORM_COLORS,
  placeFaults,
  TOO_LARGE_WHEN_EMPTY,
} from "./source.ts";
import { directionOf } from "./text-direction.ts";
import { linksToUnsubscribe, unsubscribeWords } from "./unsubscribe-words.ts";

/** A fault of the mail's own text, of the layout's MJML or of its footer. */
export type PartFault = TagFault & { part: Part };

export type CompiledMarkdown =
  | (Omit<Extract<CompiledContent, { ok: true }>, "warnings"> & {
      /** The tags of the mail and of the layout. */
      tags: Tag[];
      warnings: PartFault[];
    })
  | { ok: false; faults: PartFault[] };

/** Compiles a mail's Markdown in a layout. `tags` are the scanned tags; they and the layout have no faults. */
export async function compileMarkdown(
  source: string,
  tags: readonly Tag[],
  layout: Layout,
  settings: CompileSettings,
): Promise<CompiledMarkdown> {
  const { owner } = settings;
  const direction = directionOf(languageOf(settings) ?? "");
  const slots = tags.filter(({ kind, name }) => kind === "value" && name === CONTENT_TAG);
  if (slots.length > 0)
    return refused(
      "mail",
      slots.map(({ start }) => ({ offset: start, message: SLOT })),
    );
  const words = markdownWords(source, tags);
  const { preheader, body } = takePreheader(words.content);
  const { wordStart } = words;
  const markdown = {
    content: body,
    wordStart,
    blocks: blocksOf(tags),
    links: linkStyle(layout, settings),
    direction,
  };
  const made = await compileMarkup({ owner, format: "markdown", as: "mail", ...markdown });
  if (!made.ok)
    return refused(
      "mail",
      made.errors.map((fault) => placed(fault, words, tags)),
    );
  const footer = await compileFooter(layout.footerText, settings);
  if (footer !== undefined && !footer.ok) return footer;
  const hasOwnLink = [source, layout.footerText ?? ""].some(linksToUnsubscribe);
  const unsubscribe = hasOwnLink ? undefined : unsubscribeWords(languageOf(settings));
  const template = layout.content ?? platformLayout(layout, unsubscribe);
  const whole = setInLayout(template, layout, {
    content: { markup: made.html, wordStart, tags },
    ...(preheader !== undefined && {
      preheader: { markup: plainHtml(preheader), wordStart, tags },
    }),
    ...(footer !== undefined && { footer: footer.made }),
  });
  if (whole === undefined) return refused("mail", [{ offset: 0, message: TOO_LARGE_WHEN_EMPTY }]);
  const lost = lostTags(whole, tags);
  if (lost.length > 0) return refused("mail", lost);
  const compiled = await compileEmailContent(whole.content, whole.tags, settings, "mjml", true);
  const ofPart = ({ offset, message }: TagFault): PartFault => {
    // A fault without an offset is about the mail, because the layout was compiled when it was saved.
    if (offset === 0) return { part: "mail", offset, message };
    const origin = whole.originOf(offset);
    return { part: origin.field, offset: origin.offset, message };
  };
  if (!compiled.ok) return { ok: false, faults: compiled.faults.map(ofPart) };
  const warnings = compiled.warnings.map(ofPart);
  return { ...compiled, format: "markdown", tags: whole.tags, warnings };
}

const SLOT = "{{ $content }} stands in a layout: it is what this mail takes the place of";

/** Separates a first line `preheader: …` from the body. Mailboxes show its text behind the subject. */
function takePreheader(content: string): { preheader: string | undefined; body: string } {
  const [line = "", preheader = ""] = /^\s*preheader:[ \t]*([^\r\n]*)/i.exec(content) ?? [];
  if (preheader === "") return { preheader: undefined, body: content };
  // An empty line stays in its place, so that the line numbers of faults do not change.
  const body = line.replace(/[^\r\n]/g, "") + content.slice(line.length);
  return { preheader, body };
}

export function blocksOf(tags: readonly Tag[]): number[][] {
  return findBlocks(tags).blocks.map(({ tags: own }) => own);
}

/** Returns the style of links. Only for the platform's layout, whose background is known, the colour is adapted to it. */
function linkStyle(
  { content, primaryColor = PLATFORM_COLORS.primaryColor }: Layout,
  { linkSchemes }: CompileSettings,
): InlineStyle {
  const color = content === null ? linkColors(primaryColor).light : primaryColor;
  return { link: `color:${color};text-decoration:underline`, linkClass: "link", linkSchemes };
}

type Footer = { ok: true; made: MadeMarkup } | Extract<CompiledMarkdown, { ok: false }>;

async function compileFooter(
  text: string | undefined,
  { owner, linkSchemes }: CompileSettings,
): Promise<Footer | undefined> {
  if (text === undefined || text.trim() === "") return undefined;
  const { tags } = scanTags(text);
  const words = markdownWords(text, tags);
  const { wordStart } = words;
  const links = { link: "color:inherit;text-decoration:underline", linkClass: "link", linkSchemes };
  const direction = "ltr" as const;
  const markdown = { content: words.content, wordStart, blocks: [], links, direction };
  const made = await compileMarkup({ owner, format: "markdown", as: "line", ...markdown });
  if (!made.ok)
    return refused(
      "footer",
      made.errors.map((fault) => placed(fault, words, tags)),
    );
  return { ok: true, made: { markup: made.html, wordStart, tags } };
}

function refused(
  part: Part,
  faults: readonly TagFault[],
): Extract<CompiledMarkdown, { ok: false }> {
  return { ok: false, faults: faults.map((fault) => ({ part, ...fault })) };
}

/** Returns a fault of the Markdown at the tag that it names, else at `near` in its line, else at the line. */
export function placed(fault: MarkupFault, words: MarkdownWords, tags: readonly Tag[]): TagFault {
  const { message, tag } = words.read(fault.message);
  if (tag !== undefined) return { offset: tags[tag]?.start ?? 0, message };
  const line = words.lineStart(fault.line);
  const found = fault.near === undefined ? -1 : words.content.indexOf(fault.near, line);
  return { offset: words.offsetOf(found === -1 ? line : found), message };
}

function lostTags(whole: Composition<Part>, tags: readonly Tag[]): TagFault[] {
  const kept = new Set<number>();
  for (const { start } of whole.tags) {
    const { field, offset } = whole.originOf(start);
    if (field === "mail") kept.add(offset);
  }
  return tags.filter(({ start }) => !kept.has(start)).map(droppedFault);
}

/** Returns the fault of a tag that is not in the compiled text. */
export function droppedFault({ start, code }: Tag): TagFault {
  return { offset: start, message: `${code} stands where Markdown drops it` };
}

/** A mail with every element that Markdown mails may have. */
const SAMPLE = `preheader: Words

# Heading

Words and [a link](https://example.com).

[Button](https://example.com)

- An item

| Table |
| --- |
| Cell |

> Quotation

---

![Image](https://example.com/image.png)
`;

/** Returns all faults of a layout. Compiles a mail in it that has every possible element. */
export async function checkLayout(
  layout: Layout,
  settings: CompileSettings,
): Promise<LayoutFault[]> {
  const faults = layoutFaults(layout);
  if (faults.length > 0) return faults;
  const made = await compileMarkdown(SAMPLE, [], layout, settings);
  if (made.ok) return [];
  return made.faults.flatMap(({ part, ...fault }) => {
    const field = part === "footer" ? "footerText" : "content";
    return placeFaults<keyof Layout>(field, (part === "mail" ? null : layout[field]) ?? "", [
      fault,
    ]);
  });
}
