/**
 * Stands words in for tags while other people's compilers read a document. A brace means something to
 * CSS and to MJML, and a name may be anything; a word of letters and digits passes through unchanged.
 */

import { createHash } from "node:crypto";
import { type Tag, tagExtents } from "../language/tags.ts";
import { lineStarts } from "../source.ts";

export interface MarkupWords {
  /** The document with its tags replaced by words. */
  content: string;
  /** Puts the tags back, as `{{code}}` or `{%code%}`. */
  restore(text: string): string;
  /** Puts the tags back into a text where braces of the document's own may have come together. */
  restoreText(text: string): string;
  /** The indexes of the tags whose words a text holds, in the order of the text. */
  indexesIn(text: string): number[];
  /** Where a line of the content, counted from 1, begins in the source. */
  lineOffset(line: number): number;
}

/** Whether a text begins with a word that stands in for a value, of whatever document. */
export function beginsWithWord(text: string): boolean {
  return /^bf[0-9a-f]{12}x\d+x/.test(text);
}

/** Whether a text holds a word that stands in for a block's tag, of whatever document. */
export function holdsBlockWord(text: string): boolean {
  return /bf[0-9a-f]{12}z\d+x/.test(text);
}

/** `between`: indexes of the tags that MJML carries through only inside an `mj-raw`. */
export function markupWords(
  source: string,
  tags: readonly Tag[],
  between: ReadonlySet<number> = new Set(),
): MarkupWords {
  // No document can hold the hash of itself, so no word of its own looks like one of these.
  const hash = createHash("sha256").update(source).digest("hex").slice(0, 12);
  const word = new RegExp(`bf${hash}[xz](\\d+)x`, "g");
  const written = tags.map(tagText);
  const tag = (index: string): string => written[Number(index)] ?? "";
  const extents = tagExtents(source, tags);
  const ends: { inContent: number; inSource: number }[] = [];
  let content = "";
  let at = 0;
  tags.forEach(({ kind }, index) => {
    const { start, end } = extents[index] ?? { start: at, end: at };
    const own = `bf${hash}${kind === "block" ? "z" : "x"}${index}x`;
    content += source.slice(at, start) + (between.has(index) ? `<mj-raw>${own}</mj-raw>` : own);
    at = end;
    ends.push({ inContent: content.length, inSource: end });
  });
  content += source.slice(at);
  return {
    content,
    restore: (text) => text.replace(word, (_, index: string) => tag(index)),
    restoreText: (text) =>
      text
        // What would read as a tag where none was. Also `{%`: a subject may bring logic into the mail.
        .replace(/\{(?=[{%])/g, "{ ")
        .replace(new RegExp(`\\{(?=bf${hash}[xz])`, "g"), "{ ")
        .replace(word, (_, index: string) => tag(index)),
    indexesIn: (text) => [...text.matchAll(word)].map((match) => Number(match[1])),
    lineOffset: (line) => {
      const offset = lineStarts(content)[line - 1] ?? content.length;
      const end = ends.findLast(({ inContent }) => inContent <= offset);
      return end === undefined ? offset : offset - end.inContent + end.inSource;
    },
  };
}

/** A tag as it stands in a compiled text. What it trims is gone, so that nothing is left to trim. */
export function tagText({ kind, code }: Tag): string {
  return kind === "value" ? `{{${code}}}` : `{%${code.replace(/^-|-$/g, "").trim()}%}`;
}
