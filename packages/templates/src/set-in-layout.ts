/** Inserts a mail's components into a layout, and replaces the layout's own tags by its settings. */

import { textOn } from "./colors.ts";
import { type ElementEvent, readHtml } from "./html/html-places.ts";
import { MAX_COMPILED_CHARACTERS } from "./language/bounds.ts";
import { countWhile, maskTags, scanTags, type Tag, writtenTag } from "./language/tags.ts";
import { plainHtml } from "./markdown-inline.ts";
import {
  CONTENT_TAG,
  isLayoutTag,
  LAYOUT_TAGS,
  type Layout,
  type LayoutTag,
  PLATFORM_COLORS,
} from "./source.ts";

/** The origin of a part of the mail: its own text, the layout's MJML or the layout's footer. */
export type Part = "mail" | "layout" | "footer";

/** Markup in which words replace the tags. */
export interface MadeMarkup {
  markup: string;
  wordStart: string;
  tags: readonly Tag[];
}

export interface MailParts {
  content: MadeMarkup;
  /** HTML without elements. Absent if the mail has no preheader. */
  preheader?: MadeMarkup;
  /** HTML of one paragraph. */
  footer?: MadeMarkup;
}

/**
 * Combines a mail and its layout, which must have no faults, to one MJML source. `template` is the layout's MJML.
 * Returns undefined if the result is too large to compile: a layout may repeat its footer thousands of times.
 */
export function setInLayout(
  template: string,
  layout: Layout,
  mail: MailParts,
): Composition<Part> | undefined {
  const { tags } = scanTags(template);
  const places = readHtml(maskTags(template, tags));
  const composer = createComposer<Part>();
  const steps: { at: number; to: number; write: () => void }[] = tags.map((tag) => ({
    at: tag.start,
    to: tag.end,
    write: () => writeTag(composer, tag, layout, mail),
  }));
  steps.push(...headSteps(composer, template, places.elements, layout, mail));
  steps.sort((one, other) => one.at - other.at);
  let at = 0;
  for (const step of steps) {
    composer.copy("layout", template.slice(at, step.at), at);
    step.write();
    at = step.to;
    if (composer.length() > MAX_COMPILED_CHARACTERS) return undefined;
  }
  composer.copy("layout", template.slice(at), at);
  return composer.finish();
}

function writeTag(composer: Composer<Part>, tag: Tag, layout: Layout, mail: MailParts): void {
  const { kind, name, start } = tag;
  if (kind === "value" && name === CONTENT_TAG) {
    writeMade(composer, "mail", mail.content);
  } else if (kind === "value" && name === "$footer_text" && mail.footer !== undefined) {
    writeMade(composer, "footer", mail.footer);
  } else if (kind === "value" && isLayoutTag(name)) {
    composer.made("layout", filled(name, layout), start);
  } else {
    composer.tag("layout", tag);
  }
}

function filled(name: LayoutTag, layout: Layout): string {
  const colors: Partial<Layout> = PLATFORM_COLORS;
  const field = LAYOUT_TAGS[name];
  const text = plainHtml(layout[field] ?? colors[field] ?? "");
  return field === "address" ? text.trim().replace(/\r?\n/g, "<br />") : text;
}

function writeMade(composer: Composer<Part>, part: Part, made: MadeMarkup): void {
  const { markup, wordStart, tags } = made;
  let at = 0;
  let offset = 0;
  for (const { 0: word, 1: index, index: start } of markup.matchAll(
    new RegExp(`${wordStart}(\\d+)x`, "g"),
  )) {
    composer.made(part, markup.slice(at, start), offset);
    at = start + word.length;
    const tag = tags[Number(index)];
    if (tag === undefined) continue;
    composer.tag(part, tag);
    offset = tag.start;
  }
  composer.made(part, markup.slice(at), offset);
}

/**
 * Returns the steps that write into the head. The default styles of headings, buttons and so on come before the
 * layout's own content. The mail's preheader comes after it, because the last one counts.
 */
function headSteps(
  composer: Composer<Part>,
  template: string,
  elements: readonly ElementEvent[],
  layout: Layout,
  { preheader }: MailParts,
): { at: number; to: number; write: () => void }[] {
  const first = (): void => composer.made("layout", componentLooks(layout), 0);
  const last = (): void => {
    if (preheader === undefined) return;
    composer.made("layout", "<mj-preview>", 0);
    writeMade(composer, "mail", preheader);
    composer.made("layout", "</mj-preview>", 0);
  };
  const head = elements.find(({ element, kind }) => element === "mj-head" && kind !== "close");
  const end = elements.find(({ element, kind }) => element === "mj-head" && kind === "close");
  if (head?.kind === "open" && end !== undefined) {
    const begin = template.indexOf(">", head.start) + 1;
    return [
      { at: begin, to: begin, write: first },
      { at: end.start, to: end.start, write: last },
    ];
  }
  // The layout has no head, or an empty one: a new head is inserted, or replaces it.
  const body = elements.find(({ element }) => element === "mj-body")?.start ?? template.length;
  const at = head?.start ?? body;
  const to = head === undefined ? body : template.indexOf(">", head.start) + 1;
  const write = (): void => {
    composer.made("layout", "<mj-head>", 0);
    first();
    last();
    composer.made("layout", "</mj-head>", 0);
  };
  return [{ at, to, write }];
}

/** Returns default styles as MJML classes, which override a layout's defaults for `mj-button` and other elements. */
function componentLooks({ primaryColor = PLATFORM_COLORS.primaryColor }: Layout): string {
  return (
    '<mj-attributes><mj-class name="h1" padding-top="8px" /><mj-class name="h2" padding-top="12px" />' +
    '<mj-class name="h3" padding-top="8px" /><mj-class name="image" />' +
    '<mj-class name="divider" border-width="1px" border-color="#e2e5e9" />' +
    `<mj-class name="button" background-color="${primaryColor}" color="${textOn(primaryColor)}" ` +
    'font-weight="600" border-radius="8px" inner-padding="12px 24px" align="start" />' +
    "</mj-attributes>"
  );
}

export interface Origin<Field> {
  field: Field;
  offset: number;
}

export interface Composition<Field> {
  content: string;
  tags: Tag[];
  /** Returns the origin of an offset of the content. */
  originOf(offset: number): Origin<Field>;
}

export interface Composer<Field> {
  /** Adds a part of a field's text unchanged; `offset` is its place in the field. */
  copy(field: Field, text: string, offset: number): void;
  /** Adds a text that was generated from something at this offset of a field. */
  made(field: Field, text: string, offset: number): void;
  /** Adds a tag of a field. */
  tag(field: Field, tag: Tag): void;
  /** Returns the number of characters so far. */
  length(): number;
  finish(): Composition<Field>;
}

export function createComposer<Field>(): Composer<Field> {
  const parts: (Origin<Field> & { start: number; isCopy: boolean })[] = [];
  const tags: Tag[] = [];
  const texts: string[] = [];
  let start = 0;
  const add = (field: Field, text: string, offset: number, isCopy: boolean): void => {
    parts.push({ field, offset, start, isCopy });
    texts.push(text);
    start += text.length;
  };
  return {
    copy: (field, text, offset) => add(field, text, offset, true),
    made: (field, text, offset) => add(field, text, offset, false),
    tag: (field, tag) => {
      const written = writtenTag(tag);
      tags.push({ ...tag, start, end: start + written.length });
      add(field, written, tag.start, false);
    },
    length: () => start,
    finish: () => ({
      content: texts.join(""),
      tags,
      originOf: (offset) => {
        const part = parts[countWhile(parts.length, (at) => (parts[at]?.start ?? 0) <= offset) - 1];
        if (part === undefined) throw new Error("nothing was composed");
        const { field, isCopy } = part;
        return { field, offset: part.offset + (isCopy ? offset - part.start : 0) };
      },
    }),
  };
}
