/** What a Markdown mail is set in: the tenant's layout, or the platform's with the tenant's looks. */

/** As a tenant sets it; what is left out is the platform's. Colours are `#rrggbb`. */
export interface Layout {
  /** MJML with `{{ $content }}` directly in an `mj-column`; null: the platform's. */
  content: string | null;
  /** https. */
  logoUrl?: string;
  /** The tenant's name: the logo's alternative text, or written where there is no logo. */
  brandName?: string;
  /** Of buttons and links. */
  primaryColor?: string;
  /** Behind the mail's content. */
  backgroundColor?: string;
  /** Of words. */
  textColor?: string;
  /** Below the content: a paragraph of Markdown (words, marks, links, line ends) with tags. */
  footerText?: string;
  /** The sender's postal address: plain text in lines. */
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

export const PLATFORM_COLORS = {
  primaryColor: "#2457d6",
  backgroundColor: "#f3f4f6",
  textColor: "#1f2328",
} as const;

/** The tag that the mail's content takes the place of. */
export const CONTENT_TAG = "$content";

/** The tags of a layout that its settings are filled into when it is compiled. */
export const LAYOUT_TAGS = {
  $logo_url: "logoUrl",
  $brand_name: "brandName",
  $primary_color: "primaryColor",
  $background_color: "backgroundColor",
  $text_color: "textColor",
  $footer_text: "footerText",
  $address: "address",
} as const satisfies Record<string, keyof Layout>;

export type LayoutTag = keyof typeof LAYOUT_TAGS;

export function isLayoutTag(name: string): name is LayoutTag {
  return Object.hasOwn(LAYOUT_TAGS, name);
}
