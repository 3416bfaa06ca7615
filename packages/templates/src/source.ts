/** What a tenant writes, and what can be wrong with it. */

export type TemplateSource =
  | { channel: "EMAIL"; subject: string; content: string }
  | { channel: "SMS"; content: string }
  | { channel: "PUSH"; title: string; content: string };

export type TemplateField = "subject" | "title" | "content";

/** One fault of a template, with its place: `line` and `column` begin at 1. */
export interface TemplateFault {
  field: TemplateField;
  line: number;
  column: number;
  message: string;
}

/** The fault at a character offset of a field's text. */
export function faultAt(
  field: TemplateField,
  text: string,
  offset: number,
  message: string,
): TemplateFault {
  const before = text.slice(0, offset);
  const line = before.split("\n").length;
  return { field, line, column: offset - before.lastIndexOf("\n"), message };
}
