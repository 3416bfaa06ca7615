import type { EmailFormat } from "./email-format.ts";
import type { PushLinks } from "./push-links.ts";

/** An address in the text part of a mail, with its brackets and the blank before them. */
export interface TextLink {
  start: number;
  end: number;
  /** Whether the template's own text settles the scheme; otherwise a tag begins the address. */
  settled: boolean;
}

/**
 * A checked template, as plain JSON: what is stored with a template version and rendered from.
 * Every text still holds its tags as `{{code}}` and `{%code%}`.
 */
export type CompiledTemplate = (
  | {
      kind: "email";
      format: EmailFormat;
      subject: string;
      html: string;
      text: string;
      /** Those of the text's addresses that hold tags, in order. Left out where there are none. */
      links?: TextLink[];
      /** Those that the tenant allowed when it was saved: the template's own addresses may have them. */
      linkSchemes?: string[];
    }
  | { kind: "text"; text: string }
  | ({ kind: "notification"; title: string; body: string } & PushLinks)
) & {
  variables: string[];
  /** The language of a translation, which formats its dates and numbers. Left out: the tenant's. */
  locale?: string;
};
