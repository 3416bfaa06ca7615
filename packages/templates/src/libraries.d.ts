/** What we use of two libraries that bring no types. */

declare module "mjml" {
  interface MjmlError {
    line: number;
    message: string;
    tagName: string;
  }
  export default function mjml2html(
    source: string,
    options: {
      validationLevel: "strict";
      ignoreIncludes: true;
      keepComments: boolean;
      fonts: Record<string, string>;
    },
  ): Promise<{ html: string; errors: MjmlError[] }>;
}

declare module "html-to-text" {
  interface Element {
    attribs?: Record<string, string>;
  }
  interface BlockTextBuilder {
    addInline(text: string): void;
  }
  type Formatter = (
    element: Element,
    walk: unknown,
    builder: BlockTextBuilder,
    options: unknown,
  ) => void;
  interface ConvertOptions {
    wordwrap: number | false;
    formatters?: Record<string, Formatter>;
    selectors?: { selector: string; format?: string; options?: Record<string, unknown> }[];
  }
  export function convert(html: string, options: ConvertOptions): string;
}
