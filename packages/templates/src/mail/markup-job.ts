/** What the compiler's thread is asked and what it answers. */

import type { MarkdownSource } from "../markdown/markdown.ts";

/** In each source a tag is replaced by a word that passes through compilers unchanged. */
export type MarkupTask =
  | { format: "mjml" | "html"; content: string; linkSchemes?: readonly string[] | undefined }
  /** To components of MJML, as HTML, without a text; `inline`: one paragraph to HTML. */
  | ({ format: "markdown"; inline: boolean } & MarkdownSource);

export type MarkupJob = MarkupTask & { id: number };

export type MarkupResult =
  /** The text has its addresses marked, as text-links.ts reads them. */
  { ok: true; html: string; text: string } | { ok: false; errors: MarkupFault[] };

/** `line` begins at 1. A message that holds the word of a tag is about that tag. */
export interface MarkupFault {
  line: number;
  message: string;
  /** In Markdown: what to look for in that line and behind it. */
  near?: string;
}

export type MarkupAnswer =
  | { id: number; started: true }
  | { id: number; started: false; result: MarkupResult };
