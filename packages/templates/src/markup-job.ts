/** What the compiler's thread is asked and what it answers. */

export interface MarkupJob {
  id: number;
  format: "mjml" | "html";
  /** The source, each tag replaced by a word that passes through compilers unchanged. */
  content: string;
}

export type MarkupResult =
  /** The text has its addresses marked, as text-links.ts reads them. */
  | { ok: true; html: string; text: string }
  | { ok: false; errors: { line: number; message: string }[] };

export type MarkupAnswer =
  | { id: number; started: true }
  | { id: number; started: false; result: MarkupResult };
