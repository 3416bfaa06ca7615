/** Makes messages of a compiled template and an event's variables. */

import {
  MAX_EMAIL_BYTES,
  MAX_PUSH_BODY_CHARACTERS,
  MAX_PUSH_TITLE_CHARACTERS,
  MAX_SMS_SEGMENTS,
  MAX_SUBJECT_CHARACTERS,
} from "./bounds.ts";
import { cleanBody, cleanLine, cleanSms, countCharacters } from "./characters.ts";
import type { CompiledTemplate } from "./compiled-template.ts";
import { htmlSlots } from "./html-slots.ts";
import { linksWriter, type PushLinks } from "./push-links.ts";
import type { Slot } from "./slot.ts";
import { type SmsEncoding, smsSegments } from "./sms-segments.ts";
import { scanTags, type Tag } from "./tags.ts";
import { joinBlanks, markBlanks } from "./text-blanks.ts";
import { textSlots } from "./text-slots.ts";
import { beginRendering, createWriter, type Rendering, type Writer } from "./writer.ts";

export type Rendered =
  | {
      ok: true;
      kind: "email";
      subject: string;
      html: string;
      text: string;
      /** Names that the variables do not have; each rendered as nothing. */
      missing: string[];
    }
  | {
      ok: true;
      kind: "text";
      text: string;
      segments: number;
      encoding: SmsEncoding;
      missing: string[];
    }
  | ({
      ok: true;
      kind: "notification";
      title: string;
      body: string;
      /** In words: links of the template that are not shown, and why. None: left out. */
      linksLeftOut?: string[];
      missing: string[];
    } & PushLinks)
  | {
      ok: false;
      reason:
        | "rendered content too large"
        | "too costly to render"
        | `variable missing: ${string}`
        | "the stored template cannot be read";
    };

/** What a message takes from elsewhere than its template and its variables. */
export interface RenderSettings {
  /** Language of dates and numbers where the template is no translation: the tenant's. Default `en`. */
  locale?: string | undefined;
  /** IANA name of the zone that dates are written in. Default `UTC`. */
  timeZone?: string | undefined;
  /** Names without which nothing is written: missing, null or blank, each ends the message. */
  required?: readonly string[] | undefined;
  /** Values of names that begin with `$`. A tenant's own variable of that name wins. */
  system?: Readonly<Record<string, unknown>> | undefined;
}

export type Renderer = (variables: Record<string, unknown>, settings?: RenderSettings) => Rendered;

const TOO_LARGE: Rendered = { ok: false, reason: "rendered content too large" };
const TOO_COSTLY: Rendered = { ok: false, reason: "too costly to render" };

/**
 * Prepares a compiled template once; each call then takes microseconds and cannot fail but by size or by work.
 * A preview and a sent message come from the same renderer, so they are equal.
 */
export function createRenderer(compiled: CompiledTemplate): Renderer {
  switch (compiled.kind) {
    case "email":
      return emailRenderer(compiled);
    case "text":
      return smsRenderer(compiled);
    case "notification":
      return pushRenderer(compiled);
  }
}

/** Measured: a tag takes 130 to 380 bytes, by where it stands. */
const TAG_BYTES = 400;

/** What a renderer takes of memory at most: a character may take two bytes, and each tag is several objects. */
export function rendererBytes(compiled: CompiledTemplate): number {
  const text = JSON.stringify(compiled);
  return 2 * text.length + TAG_BYTES * (text.split("{{").length - 1);
}

/** Writes no value. */
const NOTHING: Slot = { write: () => "", longest: -1 };

const byteLength = (text: string): number => Buffer.byteLength(text);
const unitLength = (text: string): number => text.length;
/** No septet or code unit of a short message takes less than one character. */
const MAX_SMS_UNITS = MAX_SMS_SEGMENTS * 153;

function emailRenderer(compiled: Extract<CompiledTemplate, { kind: "email" }>): Renderer {
  const part = { clean: cleanBody, measure: byteLength, limit: MAX_EMAIL_BYTES };
  const links = compiled.links ?? [];
  // A plain text's blank lines are its author's.
  const joins = compiled.logic === true && compiled.format !== "text";
  const ownText = joins ? markBlanks(compiled.text, scanTags(compiled.text).tags) : compiled.text;
  const writers = [
    lineWriter(compiled.subject, MAX_SUBJECT_CHARACTERS),
    createWriter(compiled.html, { ...part, slots: safeSlots }),
    createWriter(ownText, {
      ...part,
      slots: (_, tags) => textSlots(tags, links),
      optional: links.filter(({ settled }) => !settled),
    }),
  ];
  return rendererOf(writers, ([subject = "", html = "", written = ""], { missing: names }) => {
    const missing = [...names];
    const text = joins ? joinBlanks(written) : written;
    return { ok: true, kind: "email", subject, html, text, missing };
  });
}

function safeSlots(html: string, tags: readonly Tag[]): Slot[] {
  const slots = htmlSlots(html, tags);
  // Compiling refuses such a template. Were one ever stored, no value may be trusted to stay
  // where it stands, so that none is written.
  const isSafe = slots.every((slot) => "write" in slot);
  return slots.map((slot) => (isSafe && "write" in slot ? slot : NOTHING));
}

function smsRenderer(compiled: Extract<CompiledTemplate, { kind: "text" }>): Renderer {
  const part = { clean: cleanSms, measure: unitLength, limit: MAX_SMS_UNITS };
  return rendererOf([createWriter(compiled.text, part)], ([text = ""], { missing: names }) => {
    const missing = [...names];
    const { encoding, segments } = smsSegments(text);
    if (segments > MAX_SMS_SEGMENTS) return TOO_LARGE;
    return { ok: true, kind: "text", text, segments, encoding, missing };
  });
}

function pushRenderer(compiled: Extract<CompiledTemplate, { kind: "notification" }>): Renderer {
  const part = { clean: cleanBody, measure: countCharacters, limit: MAX_PUSH_BODY_CHARACTERS };
  const writers = [
    lineWriter(compiled.title, MAX_PUSH_TITLE_CHARACTERS),
    createWriter(compiled.body, part),
  ];
  const links = linksWriter(compiled);
  return rendererOf(writers, ([title = "", body = ""], rendering, variables) => {
    const made = links?.(variables, rendering);
    if (links !== undefined && made === undefined) return TOO_COSTLY;
    const { leftOut = [], ...shown } = made ?? {};
    const left = leftOut.length > 0 && { linksLeftOut: leftOut };
    const missing = [...rendering.missing];
    return { ok: true, kind: "notification", title, body, ...shown, ...left, missing };
  });
}

function lineWriter(template: string, limit: number): Writer {
  return createWriter(template, { clean: cleanLine, measure: countCharacters, limit });
}

/** Runs the writers in turn, until one reaches its limit, and makes a message of their texts. */
function rendererOf(
  writers: readonly Writer[],
  message: (texts: string[], rendering: Rendering, variables: Record<string, unknown>) => Rendered,
): Renderer {
  return (variables) => {
    const rendering = beginRendering();
    const texts: string[] = [];
    for (const writer of writers) {
      const text = writer(variables, rendering);
      if (text === undefined) return rendering.workLeft < 0 ? TOO_COSTLY : TOO_LARGE;
      texts.push(text);
    }
    return message(texts, rendering, variables);
  };
}
