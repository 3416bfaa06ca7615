/** One text of a template, prepared for writing: its own parts and its slots, in order. */

import type { SlotWriter } from "./html-slots.ts";
import { scanTags, type Tag } from "./tags.ts";
import { findVariable, variableText } from "./variables.ts";

export interface WriterOptions {
  /** Takes out characters that the message cannot hold, of the template and of each value. */
  clean: (text: string) => string;
  /** How each tag's value is written; as it is where left out. */
  slots?: (text: string, tags: readonly Tag[]) => SlotWriter[];
  /** The size of a part of the result, in the unit of `limit`. At least half of its length. */
  measure: (text: string) => number;
  limit: number;
}

/**
 * Writes the text with these variables, adding the names that they lack to `missing`. `undefined`
 * as soon as the text passes its limit: what is beyond is never built.
 */
export type Writer = (
  variables: Record<string, unknown>,
  missing: Set<string>,
) => string | undefined;

interface Slot {
  /** Index into the text's distinct names. */
  name: number;
  write: SlotWriter | undefined;
  /** The template's text behind the slot, up to the next one. */
  after: string;
  afterSize: number;
}

export function createWriter(template: string, options: WriterOptions): Writer {
  const { clean, measure, limit } = options;
  const { tags } = scanTags(template);
  const writers = options.slots?.(template, tags);
  const names = [...new Set(tags.map((tag) => tag.name))];
  const paths = names.map((name) => name.split("."));
  const indexes = new Map(names.map((name, index) => [name, index]));
  const slots = tags.map((tag, index): Slot => {
    const after = clean(template.slice(tag.end, tags[index + 1]?.start));
    return {
      name: indexes.get(tag.name) ?? 0,
      write: writers?.[index],
      after,
      afterSize: measure(after),
    };
  });
  const first = clean(template.slice(0, tags[0]?.start));
  const firstSize = measure(first);

  return (variables, missing) => {
    let result = first;
    let room = limit - firstSize;
    if (room < 0) return undefined;
    const values: (string | undefined)[] = new Array(names.length);
    for (const { name, write, after, afterSize } of slots) {
      let value = values[name];
      if (value === undefined) {
        const found = findVariable(variables, names[name] ?? "", paths[name] ?? []);
        if (found === undefined) missing.add(names[name] ?? "");
        value = clean(variableText(found));
        values[name] = value;
      }
      if (value !== "" || write !== undefined) {
        // Twice: a code point may be two of a string's units.
        if (value.length > 2 * room) return undefined;
        const text = write === undefined ? value : write(value);
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
