/** Types for the parts that we use of two libraries without types. */

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
  export interface Node {
    type: string;
    prev: Node | null;
    parent: Node | null;
    name?: string;
    data?: string;
  }
  interface Element extends Node {
    attribs?: Record<string, string>;
    children: Node[];
  }
  interface BlockTextBuilder {
    options: { formatters: Record<string, Formatter> };
    openBlock(options: { leadingLineBreaks: number }): void;
    closeBlock(options: { trailingLineBreaks: number }): void;
    addInline(text: string, options?: { noWordTransform: boolean }): void;
    pushWordTransform(transform: (word: string) => string): void;
    popWordTransform(): void;
  }
  type Formatter = (
    element: Element,
    walk: (children: Node[], builder: BlockTextBuilder) => void,
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
