/** One text of a template, prepared for writing: its own parts and its slots, in order. */

import type { Part } from "./optional-parts.ts";
import type { Rendering } from "./rendering.ts";
import type { Slot } from "./slot.ts";
import { scanPlainTags, type Tag } from "./tags.ts";
import { findVariable, variableText } from "./variables.ts";

export interface WriterOptions {
  /** Takes out characters that the message cannot hold, of the template and of each value. */
  clean: (text: string) => string;
  /** How each tag's value is written; as it is where undefined or left out. */
  slots?: (text: string, tags: readonly Tag[]) => (Slot | undefined)[];
  /** Parts that are left out whole when their first tag is written as nothing. In order, each with a tag. */
  optional?: readonly Part[];
  /** The size of a part of the result, in the unit of `limit`. At least half of its length. */
  measure: (text: string) => number;
  limit: number;
  /** The filter `escape` has nothing to do: the slots escape, or there is nothing to escape for. */
  escapes?: true;
  /** Dates and numbers are written with plain blanks. */
  plainBlanks?: true;
}

/**
 * Writes the text with these variables. `undefined` as soon as the text passes its limit or the work
 * is used up: what is beyond is never built or read.
 */
export type Writer = (
  variables: Record<string, unknown>,
  rendering: Rendering,
) => string | undefined;

interface Piece {
  /** Index into the text's distinct names. */
  name: number;
  slot: Slot | undefined;
  /** The template's text behind the slot, up to the next piece. */
  after: string;
  afterSize: number;
  /** The optional part that begins with this piece. */
  optional: OptionalPart | undefined;
}

interface OptionalPart {
  /** The template's text in front of the part's first slot. */
  opening: string;
  lastPiece: number;
  /** The template's text behind the part, up to the next piece. */
  after: string;
  afterSize: number;
}

export function createWriter(template: string, options: WriterOptions): Writer {
  const { clean, measure, limit } = options;
  const { tags } = scanPlainTags(template);
  const names = [...new Set(tags.map((tag) => tag.name))];
  const paths = names.map((name) => name.split("."));
  const { first, pieces } = piecesOf(template, tags, names, options);
  const firstSize = measure(first);

  return (variables, rendering) => {
    let result = first;
    let room = limit - firstSize;
    if (room < 0) return undefined;
    const values: (string | undefined)[] = new Array(names.length);
    for (let at = 0, piece = pieces[0]; piece !== undefined; piece = pieces[++at]) {
      const { name, slot, optional } = piece;
      let { after, afterSize } = piece;
      let value = values[name];
      if (value === undefined) {
        let found = findVariable(variables, names[name] ?? "", paths[name] ?? []);
        if (found === undefined && rendering.system !== undefined) {
          found = findSystemValue(rendering.system, names[name] ?? "", paths[name] ?? []);
        }
        // The text of a list or an object is made before it is counted; a request's size bounds it.
        const text =
          found === undefined ? missingText(names[name] ?? "", rendering) : variableText(found);
        rendering.workLeft -= text.length;
        if (rendering.workLeft < 0) return undefined;
        value = clean(text);
        values[name] = value;
      }
      if (value !== "" || slot !== undefined || optional !== undefined) {
        // Twice: a code point may be two of a string's units.
        if (value.length > 2 * room) return undefined;
        let text = value;
        if (slot !== undefined) {
          if (value.length <= slot.longest) rendering.workLeft -= value.length;
          if (rendering.workLeft < 0) return undefined;
          text = slot.write(value, rendering);
        }
        if (optional !== undefined) {
          if (text !== "") text = optional.opening + text;
          else {
            at = optional.lastPiece;
            ({ after, afterSize } = optional);
          }
        }
        room -= measure(text);
        result += text;
      }
      room -= afterSize;
      if (room < 0) return undefined;
      result += after;
    }
    return result;
  };
}

function missingText(name: string, { missing, mark }: Rendering): string {
  missing.add(name);
  return mark === undefined ? "" : mark(name);
}

function findSystemValue(
  system: Readonly<Record<string, unknown>>,
  name: string,
  path: readonly string[],
): unknown {
  return name.startsWith("$") ? findVariable(system, name, path) : undefined;
}

function piecesOf(
  template: string,
  tags: readonly Tag[],
  names: readonly string[],
  options: WriterOptions,
): { first: string; pieces: Piece[] } {
  const { clean, measure } = options;
  const slots = options.slots?.(template, tags);
  const indexes = new Map(names.map((name, index) => [name, index]));
  const parts = partsByFirstTag(tags, options.optional ?? []);
  const textFrom = (from: number, next: number) => {
    const after = clean(template.slice(from, parts.get(next)?.start ?? tags[next]?.start));
    return { after, afterSize: measure(after) };
  };
  const pieces = tags.map((tag, index): Piece => {
    const part = parts.get(index);
    return {
      name: indexes.get(tag.name) ?? 0,
      slot: slots?.[index],
      ...textFrom(tag.end, index + 1),
      optional: part && {
        opening: clean(template.slice(part.start, tag.start)),
        lastPiece: part.lastTag,
        ...textFrom(part.end, part.lastTag + 1),
      },
    };
  });
  return { first: textFrom(0, 0).after, pieces };
}

function partsByFirstTag(tags: readonly Tag[], parts: readonly Part[]) {
  const byFirstTag = new Map<number, Part & { lastTag: number }>();
  let next = 0;
  for (const part of parts) {
    while ((tags[next]?.start ?? part.start) < part.start) next++;
    const first = next;
    while ((tags[next]?.end ?? Number.POSITIVE_INFINITY) <= part.end) next++;
    if (next > first) byFirstTag.set(first, { ...part, lastTag: next - 1 });
  }
  return byFirstTag;
}
