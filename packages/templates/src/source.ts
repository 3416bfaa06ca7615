/** What a tenant writes, and what can be wrong with it. */

import { MAX_FAULTS } from "./bounds.ts";
import type { EmailFormat } from "./email-format.ts";
import type { TagFault } from "./language/tags.ts";
import type { Layout } from "./layout.ts";
import type { PushLinks } from "./push-links.ts";

export type TemplateSource =
  | {
      kind: "email";
      subject: string;
      content: string;
      /** Left out: found out from the content, and then never `markdown`. */
      format?: EmailFormat;
      /** What Markdown is set in; the platform's where it is left out. The other formats have none. */
      layout?: Layout;
    }
  | { kind: "text"; content: string }
  | ({ kind: "notification"; title: string; content: string } & PushLinks);

/** What a template is compiled with besides its source. */
export interface CompileSettings {
  /** The tenant whose turn at the compiler it takes: one tenant's sources never wait for all of another's. */
  owner: string;
  /** Schemes of links that it allows besides those of everybody. */
  linkSchemes?: readonly string[] | undefined;
  /** Of a translation, in which its dates and numbers are written; without it that is the tenant's. */
  locale?: string | undefined;
  /** That its words are in where it is no translation; left out: nobody knows. */
  defaultLocale?: string | undefined;
}

/** The language that a template's words are in. */
export function languageOf({ locale, defaultLocale }: CompileSettings): string | undefined {
  return locale ?? defaultLocale;
}

/** `layout`: the MJML of the layout that a Markdown content is set in. */
export type TemplateField = "subject" | "title" | "content" | "layout" | "url" | "actions";

/** One fault of a template, with its place: `line` and `column` begin at 1. */
export interface TemplateFault {
  field: TemplateField;
  line: number;
  column: number;
  message: string;
}

export const TOO_LARGE_WHEN_EMPTY =
  "too large: it exceeds the limit of rendered content with all variables empty";

/** The first faults of a field's text, each with its place. */
export function placeFaults<Field extends string = TemplateField>(
  field: Field,
  text: string,
  faults: readonly TagFault[],
): { field: Field; line: number; column: number; message: string }[] {
  if (faults.length === 0) return [];
  const starts = lineStarts(text);
  return faults.slice(0, MAX_FAULTS).map(({ offset, message }) => {
    const line = lineAt(starts, offset);
    return { field, line, column: offset - (starts[line - 1] ?? 0) + 1, message };
  });
}

/** The offset of each line's first character. */
export function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** The number of lines that begin at or before an offset, by halving. */
function lineAt(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
