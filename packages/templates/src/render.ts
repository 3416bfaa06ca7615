/** Renders messages from a compiled template and an event's variables. */

import { type ChatBlock, isBlankChat } from "./chat/chat-blocks.ts";
import { readChat } from "./chat/read-chat.ts";
import { htmlSlots } from "./html/html-slots.ts";
import { collapseGaps, markGaps, textSlots } from "./html/text-part.ts";
import {
  MAX_EMAIL_BYTES,
  MAX_PUSH_BODY_CHARACTERS,
  MAX_PUSH_TITLE_CHARACTERS,
  MAX_SMS_SEGMENTS,
  MAX_SUBJECT_CHARACTERS,
} from "./language/bounds.ts";
import {
  cleanBody,
  cleanLine,
  cleanSms,
  countCharacters,
  isBlank,
  plainCharacters,
} from "./language/characters.ts";
import {
  beginRendering,
  isTooCostly,
  type Rendering,
  type RenderSettings,
  type Slot,
  warn,
} from "./language/rendering.ts";
import { scanTags, type Tag } from "./language/tags.ts";
import { findVariable } from "./language/values.ts";
import { createWriter, type Writer, type WriterOptions } from "./language/writer.ts";
import { linksWriter } from "./push-links.ts";
import { type SmsEncoding, smsSegments } from "./sms-segments.ts";
import type { CompiledTemplate, PushLinks } from "./source.ts";

export type { RenderSettings } from "./language/rendering.ts";

/** Facts about a rendered message for the timeline. */
interface Told {
  /** Names of missing variables. Each is rendered as an empty text. */
  missing: string[];
  /** Warnings as sentences, for example about a value that could not be formatted. Absent if there are none. */
  warnings?: string[];
}

export type Rendered =
  | ({
      ok: true;
      kind: "email";
      subject: string;
      html: string;
      text: string;
      /** Describes the URLs in the HTML that were replaced by `#`, and why. Absent if there are none. */
      linksLeftOut?: string[];
    } & Told)
  | ({
      ok: true;
      kind: "text";
      text: string;
      segments: number;
      encoding: SmsEncoding;
    } & Told)
  | ({
      ok: true;
      kind: "notification";
      title: string;
      body: string;
      /** Describes the links of the template that were left out, and why. Absent if there are none. */
      linksLeftOut?: string[];
    } & PushLinks &
      DeviceParts &
      Told)
  | ({
      ok: true;
      kind: "chat";
      blocks: ChatBlock[];
      /** An https URL. */
      url?: string;
      /** Describes the links that were left out, and why. Absent if there are none. */
      linksLeftOut?: string[];
    } & Told)
  | RenderFault;

/** The parts of a message to devices beside its text, as written or rendered. */
export interface DeviceParts {
  /** An https URL. */
  image?: string | null;
  data?: Readonly<Record<string, string>> | null;
  collapseKey?: string | null;
}

/** Why a message could not be rendered: `reason` for people, `code` and `args` for programs. */
export interface RenderFault {
  ok: false;
  code: "content-too-large" | "too-costly" | "variable-missing" | "template-unreadable";
  args?: { name: string };
  reason: string;
}

export type Renderer = (variables: Record<string, unknown>, settings?: RenderSettings) => Rendered;

/** Finds an image in a mail's HTML, including a background image of MJML. */
const PICTURE = /<img\b|\sbackground\s*=/i;

/** Whether a message has no content. In a mail, an image counts as content. */
export function saysNothing(message: Extract<Rendered, { ok: true }>): boolean {
  switch (message.kind) {
    case "email":
      return isBlank(message.text) && !PICTURE.test(message.html);
    case "text":
      return isBlank(message.text);
    case "notification":
      return isBlank(message.title) && isBlank(message.body);
    case "chat":
      return isBlankChat(message.blocks);
  }
}

const TOO_LARGE: RenderFault = {
  ok: false,
  code: "content-too-large",
  reason: "rendered content too large",
};
const TOO_COSTLY: RenderFault = { ok: false, code: "too-costly", reason: "too costly to render" };
const UNREADABLE: RenderFault = {
  ok: false,
  code: "template-unreadable",
  reason: "the stored template cannot be read",
};

/**
 * Prepares a compiled template once. A call of the renderer then takes microseconds. It fails only because of the
 * message's size, the rendering's cost, a missing required variable or an invalid stored template. Previews and sent
 * messages come from the same renderer, so they are equal.
 */
export function createRenderer(compiled: CompiledTemplate): Renderer {
  switch (compiled.kind) {
    case "email":
      return emailRenderer(compiled);
    case "text":
      return smsRenderer(compiled);
    case "notification":
      return pushRenderer(compiled);
    case "chat":
      return chatRenderer(compiled);
  }
}

/** Upper bound of the memory per tag, in bytes. Measured: 130 to 380 bytes, depending on the tag's place. */
const TAG_BYTES = 400;

/** Upper bound of the memory of a syntax tree, in bytes per character of its tag. Measured: 10 to 55 bytes. */
const LOGIC_BYTES = 60;

/** Returns an upper bound of a renderer's memory in bytes: up to two per character, and several objects per tag. */
export function rendererBytes(compiled: CompiledTemplate): number {
  const text = JSON.stringify(compiled);
  const tags = text.split(/\{[{%]/).length - 1;
  return 2 * text.length + TAG_BYTES * tags + LOGIC_BYTES * tagCharacters(text);
}

/** Returns the number of characters inside the braces of all tags. */
function tagCharacters(text: string): number {
  let count = 0;
  for (const [opening, closing] of [
    ["{{", "}}"],
    ["{%", "%}"],
  ] as const) {
    for (let at = text.indexOf(opening); at !== -1; at = text.indexOf(opening, at)) {
      const end = text.indexOf(closing, at + 2);
      if (end === -1) break;
      count += end - at - 2;
      at = end + 2;
    }
  }
  return count;
}

/** Gmail shows the first 102 KB of a mail's HTML; this leaves room for what a vendor adds to it. */
const CLIPPED_BYTES = 100 * 1024;

function clippedWords(bytes: number): string {
  return `the HTML has ${Math.ceil(bytes / 1024)} KB: Gmail hides what is beyond 102 KB`;
}

/** A slot that writes nothing. */
const NOTHING: Slot = { write: () => "", longest: -1 };

const byteLength = (text: string): number => Buffer.byteLength(text);
const unitLength = (text: string): number => text.length;
/** Upper bound of an SMS in UTF-16 units: each takes at least one septet, and a segment has 153 of them. */
const MAX_SMS_UNITS = MAX_SMS_SEGMENTS * 153;

function emailRenderer(compiled: Extract<CompiledTemplate, { kind: "email" }>): Renderer {
  const part = {
    clean: cleanBody,
    measure: byteLength,
    limit: MAX_EMAIL_BYTES,
    escapes: true as const,
  };
  const links = compiled.links ?? [];
  const { tags } = scanTags(compiled.text);
  // In a plain text, blank lines are kept as the author wrote them.
  const joins = compiled.format !== "text" && tags.some(({ kind }) => kind === "block");
  const ownText = joins ? markGaps(compiled.text, tags) : compiled.text;
  const texts = [
    lineText(compiled.subject, MAX_SUBJECT_CHARACTERS),
    { template: compiled.html, ...part, slots: safeSlots(compiled.linkSchemes) },
    {
      template: ownText,
      ...part,
      slots: (text: string, tags: readonly Tag[]) => textSlots(text, tags, links),
      optional: links.filter(({ settled }) => !settled),
    },
  ];
  return rendererOf(compiled, texts, ([subject = "", html = "", written = ""], rendering) => {
    const text = joins ? collapseGaps(written) : written;
    // A UTF-16 unit takes at most three bytes, so short HTML need not be measured.
    const bytes = 3 * html.length > CLIPPED_BYTES ? byteLength(html) : 0;
    if (bytes > CLIPPED_BYTES) warn(rendering, clippedWords(bytes));
    const left = rendering.linksLeftOut && { linksLeftOut: [...rendering.linksLeftOut] };
    return { ok: true, kind: "email", subject, html, text, ...left, ...told(rendering) };
  });
}

function safeSlots(linkSchemes: readonly string[] | undefined) {
  return (html: string, tags: readonly Tag[]): Slot[] => {
    const slots = htmlSlots(html, tags, linkSchemes);
    // The compiler refuses templates with unsafe places. If one is stored nevertheless, no value is safe, so none is
    // written.
    const isSafe = slots.every((slot) => "write" in slot);
    return slots.map((slot) => (isSafe && "write" in slot ? slot : NOTHING));
  };
}

function smsRenderer(compiled: Extract<CompiledTemplate, { kind: "text" }>): Renderer {
  const sms: PreparedText = {
    template: compiled.text,
    clean: cleanSms,
    measure: unitLength,
    limit: MAX_SMS_UNITS,
    plainBlanks: true,
  };
  return rendererOf(compiled, [sms], ([written = ""], rendering) => {
    const text = rendering.settings?.plainCharacters ? plainCharacters(written) : written;
    const { encoding, segments } = smsSegments(text);
    if (segments > MAX_SMS_SEGMENTS) return TOO_LARGE;
    return { ok: true, kind: "text", text, segments, encoding, ...told(rendering) };
  });
}

function pushRenderer(compiled: Extract<CompiledTemplate, { kind: "notification" }>): Renderer {
  const part = { clean: cleanBody, measure: countCharacters, limit: MAX_PUSH_BODY_CHARACTERS };
  const texts = [
    lineText(compiled.title, MAX_PUSH_TITLE_CHARACTERS),
    { template: compiled.body, ...part },
  ];
  const links = linksWriter(compiled);
  return rendererOf(compiled, texts, ([title = "", body = ""], rendering, variables) => {
    const made = links?.(variables, rendering);
    const parts = { title, body, ...told(rendering) };
    if (links === undefined) return { ok: true, kind: "notification", ...parts };
    if (made === undefined) return TOO_COSTLY;
    const { leftOut, ...shown } = made;
    const left = leftOut.length > 0 && { linksLeftOut: leftOut };
    return { ok: true, kind: "notification", ...parts, ...shown, ...left };
  });
}

function chatRenderer(compiled: Extract<CompiledTemplate, { kind: "chat" }>): Renderer {
  const { markup: template, url } = compiled;
  const part = { clean: cleanBody, measure: byteLength, limit: MAX_EMAIL_BYTES };
  const markup = { template, ...part, escapes: true as const, slots: safeSlots(undefined) };
  const link = linksWriter(url === undefined ? {} : { url });
  return rendererOf(compiled, [markup], ([written = ""], rendering, variables) => {
    const made = link?.(variables, rendering);
    if (link !== undefined && made === undefined) return TOO_COSTLY;
    const left = [...(rendering.linksLeftOut ?? []), ...(made?.leftOut ?? [])];
    const isPath = made?.url?.startsWith("/");
    if (isPath) left.push("url (no https address)");
    return {
      ok: true,
      kind: "chat",
      blocks: readChat(written),
      ...(made?.url !== undefined && !isPath && { url: made.url }),
      ...(left.length > 0 && { linksLeftOut: left }),
      ...told(rendering),
    };
  });
}

function told({ missing, warnings }: Rendering): Told {
  return { missing: [...missing], ...(warnings.size > 0 && { warnings: [...warnings] }) };
}

type PreparedText = { template: string } & WriterOptions;

function lineText(template: string, limit: number): PreparedText {
  return { template, clean: cleanLine, measure: countCharacters, limit };
}

/** Returns a renderer that runs the writers in order and makes a message of their texts. A reached limit ends it. */
function rendererOf(
  { locale }: CompiledTemplate,
  prepared: readonly PreparedText[],
  message: (texts: string[], rendering: Rendering, variables: Record<string, unknown>) => Rendered,
): Renderer {
  const writers: Writer[] = [];
  for (const { template, ...options } of prepared) {
    const writer = createWriter(template, options);
    // The compiler never produces an invalid text, so the stored template was changed.
    if (writer === undefined) return () => UNREADABLE;
    writers.push(writer);
  }
  return (variables, settings) => {
    const lacking =
      settings?.required && missingRequired(settings.required, variables, settings.system);
    if (lacking !== undefined) {
      const reason = `variable missing: ${lacking}`;
      return { ok: false, code: "variable-missing", args: { name: lacking }, reason };
    }
    const rendering = beginRendering(settings, locale);
    const texts: string[] = [];
    for (const writer of writers) {
      const text = writer(variables, rendering);
      if (text === undefined) {
        return isTooCostly(rendering) ? TOO_COSTLY : TOO_LARGE;
      }
      texts.push(text);
    }
    return message(texts, rendering, variables);
  };
}

/** Returns the first required name whose value is missing, null or blank. */
function missingRequired(
  required: readonly string[],
  variables: Record<string, unknown>,
  system: Readonly<Record<string, unknown>> | undefined,
): string | undefined {
  return required.find((name) => {
    const path = name.split(".");
    const found =
      findVariable(variables, name, path) ?? (system && findVariable(system, name, path));
    return (
      found === undefined || found === null || (typeof found === "string" && !/\S/.test(found))
    );
  });
}
