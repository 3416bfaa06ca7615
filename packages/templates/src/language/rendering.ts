/** What one message is rendered with, and what it may still cost. */

import {
  MAX_LINKS_TOLD,
  MAX_RENDER_STEPS,
  MAX_RENDER_WORK_CHARACTERS,
  MAX_TOLD_TAG_CHARACTERS,
  MAX_WARNINGS,
} from "./bounds.ts";
import { escapeHtml } from "./characters.ts";
import type { Tag } from "./tags.ts";

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
  /** Schemes of links that the tenant allows besides those of everybody. */
  linkSchemes?: readonly string[] | undefined;
  /** Of short messages: curly quotes, dashes and the like become plain ones. */
  plainCharacters?: boolean | undefined;
  /** For previews: what is written for a value that is missing, by its name. Default: nothing. */
  mark?: ((name: string) => string) | undefined;
}

/** What the texts of one message share while it is rendered. */
export interface Rendering {
  /** Names that the variables lack. */
  missing: Set<string>;
  /** In words: values that could not be written as the template says. */
  warnings: Set<string>;
  /** Characters of values that may still be read; below zero the message is too costly. */
  workLeft: number;
  /** Steps that logic may still take; below zero the message is too costly. */
  stepsLeft: number;
  system: Readonly<Record<string, unknown>> | undefined;
  settings: RenderSettings | undefined;
  /** That of a translation, which wins over the settings. */
  locale: string | undefined;
  /** The keys of objects that were counted or looped over: reading them is slow. */
  keys: Map<object, readonly string[]> | undefined;
  /** How deep lists and objects are that were written as JSON. */
  depths: Map<object, number> | undefined;
  mark: ((name: string) => string) | undefined;
  /** In words: addresses that a value would have begun, and why they lead nowhere. */
  linksLeftOut: Set<string> | undefined;
}

export function beginRendering(settings?: RenderSettings, locale?: string): Rendering {
  return {
    missing: new Set(),
    warnings: new Set(),
    workLeft: MAX_RENDER_WORK_CHARACTERS,
    stepsLeft: MAX_RENDER_STEPS,
    system: settings?.system,
    settings,
    locale,
    keys: undefined,
    depths: undefined,
    mark: settings?.mark,
    linksLeftOut: undefined,
  };
}

/** Notes in words, without a word of a value, what could not be written as the template says. */
export function warn({ warnings }: Rendering, words: string): void {
  if (warnings.size < MAX_WARNINGS) warnings.add(words);
}

/** Notes that a value was left out of an address; a missing one has a warning of its own. */
export function noteLeftOutLink(
  rendering: Rendering,
  attribute: string,
  { name, code }: Tag,
  reason: string,
): void {
  if (rendering.missing.has(name)) return;
  rendering.linksLeftOut ??= new Set();
  if (rendering.linksLeftOut.size === MAX_LINKS_TOLD) return;
  const cut = code.length > MAX_TOLD_TAG_CHARACTERS;
  const told = cut ? `${code.slice(0, MAX_TOLD_TAG_CHARACTERS)}…` : code;
  rendering.linksLeftOut.add(`${attribute} {{ ${told} }} (${reason})`);
}

/** Whether a message came to the end of its work: it is too costly. */
export function hasEnded({ workLeft, stepsLeft }: Rendering): boolean {
  return workLeft < 0 || stepsLeft < 0;
}

/** Thrown where a message reaches a bound in the middle of its logic; caught where its text is written. */
export class RenderingEnded extends Error {}

/** Takes steps. Throws `RenderingEnded` when there are no more. */
export function spend(rendering: Rendering, steps: number): void {
  rendering.stepsLeft -= steps;
  if (rendering.stepsLeft < 0) throw new RenderingEnded();
}

/** Takes the steps of reading or writing so many characters: one for each 64 begun. */
export function spendCharacters(rendering: Rendering, characters: number): void {
  spend(rendering, (characters + 63) >> 6);
}

/** Makes of a variable's text what stands in the document. */
export type SlotWriter = (value: string, rendering: Rendering) => string;

export interface Slot {
  write: SlotWriter;
  /** In characters. The writer does not read a longer value: it leaves it out. */
  longest: number;
  /** Whether `<br>` may stand here: in the text of an HTML document, and nowhere else. */
  breaks?: true;
}

export type HtmlSlot = Slot | { refused: string };

/** A slot whose text is escaped, after the encoding of its own kind of place if it has one. */
export function escaped(
  encode?: (value: string) => string,
  longest = Number.POSITIVE_INFINITY,
): Slot {
  if (encode === undefined) return { write: escapeHtml, longest };
  return { write: (value) => escapeHtml(encode(value)), longest };
}
