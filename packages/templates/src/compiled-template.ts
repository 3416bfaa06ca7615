import type { EmailFormat } from "./email-format.ts";

/** An address in the text part of a mail, with its brackets and the blank before them. */
export interface TextLink {
  start: number;
  end: number;
  /** Whether the template's own text settles the scheme; otherwise a tag begins the address. */
  settled: boolean;
}

/**
 * A checked template, as plain JSON: what is stored with a template version and rendered from.
 * Every text still holds its tags as `{{name}}`.
 */
export type CompiledTemplate =
  | {
      kind: "email";
      format: EmailFormat;
      subject: string;
      html: string;
      text: string;
      /** Those of the text's addresses that hold tags, in order. None in versions saved before. */
      links?: TextLink[];
      variables: string[];
    }
  | { kind: "text"; text: string; variables: string[] }
  | { kind: "notification"; title: string; body: string; variables: string[] };
