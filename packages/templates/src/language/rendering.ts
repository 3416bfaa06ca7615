/** The settings and the remaining work of rendering one message. */

import {
  MAX_LINKS_TOLD,
  MAX_RENDER_STEPS,
  MAX_RENDER_WORK_CHARACTERS,
  MAX_TOLD_TAG_CHARACTERS,
  MAX_WARNINGS,
} from "./bounds.ts";
import { escapeHtml } from "./characters.ts";
import type { Tag } from "./tags.ts";

/** How a message is rendered, in addition to its template and its variables. */
export interface RenderSettings {
  /** The tenant's language, for dates and numbers. A translation uses its own language instead. Default `en`. */
  locale?: string | undefined;
  /** IANA name of the time zone for dates. Default `UTC`. */
  timeZone?: string | undefined;
  /** Names of required variables. If one is missing, null or blank, the message is not rendered. */
  required?: readonly string[] | undefined;
  /** Values of names that begin with `$`. A tenant's own variable of that name wins. */
  system?: Readonly<Record<string, unknown>> | undefined;
  /** Link schemes that the tenant allows in addition to those that everybody may use. */
  linkSchemes?: readonly string[] | undefined;
  /** For SMS: replaces curly quotes, dashes and the like by plain characters. */
  plainCharacters?: boolean | undefined;
  /** For previews: returns the text for a missing value, by its name. Default: nothing. */
  mark?: ((name: string) => string) | undefined;
}

/** The state that all texts of one message share during rendering. */
export interface Rendering {
  /** Names of missing variables. */
  missing: Set<string>;
  /** Warnings, as sentences. They never quote a value. */
  warnings: Set<string>;
  /** Number of characters of values that may still be read. Below zero, the message is too costly. */
  workLeft: number;
  /** Number of steps that conditions, loops and filters may still take. Below zero, the message is too costly. */
  stepsLeft: number;
  system: Readonly<Record<string, unknown>> | undefined;
  settings: RenderSettings | undefined;
  /** The language of a translation, which overrides the settings. */
  locale: string | undefined;
  /** Cached keys of objects that were counted or looped over, because reading them is slow. */
  keys: Map<object, readonly string[]> | undefined;
  /** Cached depths of lists and objects that were inserted as JSON. */
  depths: Map<object, number> | undefined;
  mark: ((name: string) => string) | undefined;
  /** Describes each URL that was replaced by `#`, and why the value at its start is not a complete URL. */
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

/** Adds a warning about a value that a filter could not format. The words must not contain the value. */
export function warn({ warnings }: Rendering, words: string): void {
  if (warnings.size < MAX_WARNINGS) warnings.add(words);
}

/** Records that a value was left out of a URL. Does nothing for a missing value, which is in `missing` already. */
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

/** Whether the message has used up its characters or its steps. */
export function isTooCostly({ workLeft, stepsLeft }: Rendering): boolean {
  return workLeft < 0 || stepsLeft < 0;
}

/** Thrown when a message exceeds a limit in the middle of its logic; caught by the code that writes its text. */
export class RenderingEnded extends Error {}

/** Uses steps. Throws `RenderingEnded` when none are left. */
export function spend(rendering: Rendering, steps: number): void {
  rendering.stepsLeft -= steps;
  if (rendering.stepsLeft < 0) throw new RenderingEnded();
}

/** Uses the steps for reading or writing this many characters: one step per 64 characters, rounded up. */
export function spendCharacters(rendering: Rendering, characters: number): void {
  spend(rendering, (characters + 63) >> 6);
}

/** Returns a variable's text in the form that its place in the document needs, for example escaped. */
export type SlotWriter = (value: string, rendering: Rendering) => string;

export interface Slot {
  write: SlotWriter;
  /** Maximum length of a value in characters. `write` leaves a longer one out without reading it. */
  longest: number;
  /** Set if the slot may contain `<br>`: only in the text of an HTML document. */
  breaks?: true;
  /** Set if the tag is a whole JSON value. A text is written in quotes, a missing value as `null`. */
  isJson?: true;
}

export type HtmlSlot = Slot | { refused: string };

/** Returns a slot that escapes its text for HTML. `encode`, if given, runs before. */
export function escaped(
  encode?: (value: string) => string,
  longest = Number.POSITIVE_INFINITY,
): Slot {
  if (encode === undefined) return { write: escapeHtml, longest };
  return { write: (value) => escapeHtml(encode(value)), longest };
}
