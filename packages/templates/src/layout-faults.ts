/** Finds the faults of a layout without compiling it. */

import { isColor } from "./colors.ts";
import { readHtml, type Span, spanFault } from "./html/html-places.ts";
import { MAX_SOURCE_BYTES } from "./language/bounds.ts";
import { cleanBody, firstChanged } from "./language/characters.ts";
import { findBlocks, parseTemplate } from "./language/parse-template.ts";
import { maskTags, rangeFinder, scanTags, type Tag, type TagFault } from "./language/tags.ts";
import { parentFinder } from "./mjml-source.ts";
import {
  CONTENT_TAG,
  emailFormat,
  isLayoutTag,
  LAYOUT_TAGS,
  type Layout,
  type LayoutFault,
  type LayoutTag,
  placeFaults,
} from "./source.ts";

/** Maximum lengths of a layout's settings, in characters. */
const LONGEST = {
  logoUrl: 2_048,
  brandName: 255,
  primaryColor: 7,
  backgroundColor: 7,
  textColor: 7,
  footerText: 4_000,
  address: 1_000,
} as const satisfies Partial<Record<keyof Layout, number>>;

/** System values that a tenant's layout may name. Belfry fills them in for each recipient. */
const SENT_VALUES = ["$unsubscribe_url", "$preferences_url", "$list_unsubscribe_url"];

/** Returns the faults of a layout's settings and MJML. It compiles nothing; `checkLayout` also compiles the layout. */
export function layoutFaults(layout: Layout): LayoutFault[] {
  return [...settingFaults(layout), ...contentFaults(layout), ...footerFaults(layout)];
}

function settingFaults(layout: Layout): LayoutFault[] {
  const faults: LayoutFault[] = [];
  for (const field of Object.keys(LONGEST) as (keyof typeof LONGEST)[]) {
    const value = layout[field];
    if (value === undefined) continue;
    const message = settingFault(field, value);
    if (message !== undefined) faults.push({ field, line: 1, column: 1, message });
  }
  return faults;
}

function settingFault(field: keyof typeof LONGEST, value: string): string | undefined {
  if (field.endsWith("Color")) {
    return isColor(value) ? undefined : `${field} must be a colour as #1a2b3c`;
  }
  if (value.length > LONGEST[field]) return `${field} is longer than ${LONGEST[field]} characters`;
  if (cleanBody(value) !== value) return `${field} holds a character that is not allowed`;
  if (field === "logoUrl" && !isHttps(value) && !LOCAL_IMAGE.test(value))
    return "logoUrl must be an address with https://";
  return undefined;
}

/** The URL of an uploaded image on the local stack, which has no TLS. */
const LOCAL_IMAGE =
  /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?\/images\/[0-9a-f]{32}$/;

function isHttps(text: string): boolean {
  return /^https:\/\/[^\s"'<>{}\\]+$/.test(text) && URL.canParse(text);
}

function footerFaults({ footerText }: Layout): LayoutFault[] {
  if (footerText === undefined) return [];
  const { tags, faults } = scanTags(footerText);
  if (faults.length > 0) return placeFaults("footerText", footerText, faults);
  return placeFaults("footerText", footerText, [
    ...parseTemplate(footerText, tags).faults,
    ...tags.flatMap((tag) => unknownFault(tag, SENT_VALUES) ?? []),
  ]);
}

function contentFaults(layout: Layout): LayoutFault[] {
  const { content } = layout;
  if (content === null) return [];
  const place = (faults: TagFault[]) => placeFaults("content", content, faults);
  const whole = wholeFault(content);
  if (whole !== undefined) return place([whole]);
  const { tags, faults } = scanTags(content);
  if (faults.length > 0) return place(faults);
  const names = [CONTENT_TAG, ...Object.keys(LAYOUT_TAGS), ...SENT_VALUES];
  const found = [
    ...parseTemplate(content, tags).faults,
    ...tags.flatMap((tag) => unknownFault(tag, names) ?? []),
    ...filledFaults(layout, content, tags),
    ...slotFaults(content, tags, findBlocks(tags).blocks),
  ];
  return place(found.sort((one, other) => one.offset - other.offset));
}

function wholeFault(content: string): TagFault | undefined {
  if (Buffer.byteLength(content) > MAX_SOURCE_BYTES) {
    return { offset: 0, message: `content is larger than ${MAX_SOURCE_BYTES / 1024} KiB` };
  }
  const forbidden = firstChanged(content, cleanBody(content));
  if (forbidden !== undefined) {
    const { offset, name } = forbidden;
    return { offset, message: `the character ${name} is not allowed in content` };
  }
  if (emailFormat(content) === "mjml") return undefined;
  return { offset: 0, message: "a layout is MJML: it begins with <mjml>" };
}

function unknownFault({ kind, name, code, start }: Tag, known: readonly string[]) {
  if (kind === "value") {
    if (!name.startsWith("$") || known.includes(name)) return undefined;
    return { offset: start, message: `{{ ${name} }} is unknown: there is ${known.join(", ")}` };
  }
  // Quoted parts are text, not names.
  const words = code.replace(/"[^"]*"|'[^']*'/g, " ").match(/\$[\w$]+/g) ?? [];
  for (const word of words) {
    if (isLayoutTag(word) || word === CONTENT_TAG) {
      const message = `${word} is filled in when the layout is saved: it cannot stand in {% ${name} %}`;
      return { offset: start, message };
    }
    if (!known.includes(word)) {
      return { offset: start, message: `${word} is unknown: there is ${SENT_VALUES.join(", ")}` };
    }
  }
  return undefined;
}

/** Returns the faults of tags that settings are filled into. */
function filledFaults(layout: Layout, content: string, tags: readonly Tag[]): TagFault[] {
  const spanAt = rangeFinder(readHtml(maskTags(content, tags)).spans);
  return tags.flatMap(({ kind, name, code, start }) => {
    const span = spanAt(start);
    if (kind === "block" || !isLayoutTag(name)) return [];
    const message =
      code === name ? fillingFault(name, span, layout) : `{{ ${name} }} takes no filter`;
    return message === undefined ? [] : { offset: start, message };
  });
}

function fillingFault(name: LayoutTag, span: Span | undefined, layout: Layout): string | undefined {
  if (name === "$logo_url" && !layout.logoUrl)
    return "there is no logo: set logoUrl, or leave this out";
  if (span?.kind === "raw text" && name.endsWith("_color")) return undefined;
  const isLong = name === "$footer_text" || name === "$address";
  if (isLong && span !== undefined) return `{{ ${name} }} stands in text only`;
  return span && spanFault(span);
}

/** Returns the faults of `{{ $content }}`, the place for the mail's content. */
function slotFaults(content: string, tags: readonly Tag[], blocks: readonly { tags: number[] }[]) {
  const slots = tags.filter(({ kind, name }) => kind === "value" && name === CONTENT_TAG);
  const [slot, second] = slots;
  if (slot === undefined) {
    const message = "{{ $content }} is missing: it stands in an mj-column, where a mail's words go";
    return [{ offset: 0, message }];
  }
  if (second !== undefined) {
    return [{ offset: second.start, message: "{{ $content }} stands here a second time" }];
  }
  const offset = slot.start;
  if (slot.code !== slot.name) return [{ offset, message: "{{ $content }} takes no filter" }];
  const isInBlock = blocks.some(({ tags: own }) => {
    const [from, to] = [tags[own[0] ?? -1], tags[own.at(-1) ?? -1]];
    return from !== undefined && to !== undefined && from.start < offset && offset < to.end;
  });
  if (isInBlock) return [{ offset, message: "{{ $content }} cannot stand in a block" }];
  const { spans, elements } = readHtml(maskTags(content, tags));
  const isInText = rangeFinder(spans)(offset) === undefined;
  if (isInText && parentFinder(elements)(offset) === "mj-column") return [];
  return [{ offset, message: "{{ $content }} stands directly in an mj-column" }];
}
