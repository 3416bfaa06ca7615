/** A source put together from several texts, that knows of each place which text it comes from. */

import { type Tag, writtenTag } from "../language/tags.ts";

export interface Origin<Field> {
  field: Field;
  offset: number;
}

export interface Composition<Field> {
  content: string;
  tags: Tag[];
  /** Where an offset of the content comes from. */
  originOf(offset: number): Origin<Field>;
}

export interface Composer<Field> {
  /** Adds a part of a field's text as it stands there. */
  copy(field: Field, text: string, offset: number): void;
  /** Adds what was made of something that stands at a field's offset. */
  made(field: Field, text: string, offset: number): void;
  /** Adds a tag of a field. */
  tag(field: Field, tag: Tag): void;
  /** Characters so far. */
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
        const part = parts[lastAtOrBefore(parts, offset)];
        if (part === undefined) throw new Error("nothing was composed");
        const { field, isCopy } = part;
        return { field, offset: part.offset + (isCopy ? offset - part.start : 0) };
      },
    }),
  };
}

/** The number of the last part that begins at or before an offset, by halving. */
function lastAtOrBefore(parts: readonly { start: number }[], offset: number): number {
  let low = 0;
  let high = parts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((parts[middle]?.start ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}
