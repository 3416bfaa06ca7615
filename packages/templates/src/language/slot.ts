/** What a tag becomes where it stands. */

import { escapeHtml } from "../html/escape-html.ts";

import type { Rendering } from "./rendering.ts";

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
