/** The forms of a template: a tenant's source, its compiled form as stored, and its faults. */

import type { TextLink } from "./html/text-part.ts";
import { MAX_FAULTS } from "./language/bounds.ts";
import { countWhile, lineStarts, type TagFault } from "./language/tags.ts";

export type TemplateSource =
  | {
      kind: "email";
      subject: string;
      content: string;
      /** If absent, it is detected from the content. `markdown` is never detected. */
      format?: EmailFormat;
      /** The layout around Markdown; if absent, the platform's. Other formats have no layout. */
      layout?: Layout;
    }
  | { kind: "text"; content: string }
  | ({ kind: "notification"; title: string; content: string } & PushLinks)
  /** `content` is Markdown as in a mail. `url` is an https URL: the way to the whole if a vendor cuts the message. */
  | { kind: "chat"; content: string; url?: string };

/** The compiler's input in addition to the source. */
export interface CompileSettings {
  /** The tenant. The compiler serves tenants in turn, so that none waits for all sources of another. */
  owner: string;
  /** Link schemes that the tenant allows in addition to the default ones. */
  linkSchemes?: readonly string[] | undefined;
  /** The language of a translation, for dates and numbers; if absent, the tenant's language. */
  locale?: string | undefined;
  /** The language of a default text; absent if unknown. */
  defaultLocale?: string | undefined;
}

/** Returns the language of a template's text; undefined if it is unknown. */
export function languageOf({ locale, defaultLocale }: CompileSettings): string | undefined {
  return locale ?? defaultLocale;
}

/** A part of a template with faults. `layout` is the MJML of the layout around Markdown content. */
export type TemplateField = "subject" | "title" | "content" | "layout" | "url" | "actions";

/** One fault of a template. `line` and `column` count from 1. */
export interface TemplateFault {
  field: TemplateField;
  line: number;
  column: number;
  message: string;
}

export const TOO_LARGE_WHEN_EMPTY =
  "too large: it exceeds the limit of rendered content with all variables empty";

/** Returns the first faults of a field's text, at most `MAX_FAULTS`, each with its line and column. */
export function placeFaults<Field extends string = TemplateField>(
  field: Field,
  text: string,
  faults: readonly TagFault[],
): { field: Field; line: number; column: number; message: string }[] {
  if (faults.length === 0) return [];
  const starts = lineStarts(text);
  return faults.slice(0, MAX_FAULTS).map(({ offset, message }) => {
    const line = countWhile(starts.length, (index) => (starts[index] ?? 0) <= offset);
    return { field, line, column: offset - (starts[line - 1] ?? 0) + 1, message };
  });
}

/** A button. `url` is an https URL, or a path of the site that shows the button. */
export interface PushAction {
  label: string;
  url: string;
}

/** A push message's links: in a template, compiled or rendered. A field is absent if there is no such link. */
export interface PushLinks {
  url?: string;
  /** At most two. */
  actions?: readonly PushAction[];
}

/**
 * A checked template as plain JSON. It is stored with a template version, and messages are rendered from it. Its texts
 * still contain their tags in a normal form: `{{ name }}` is stored as `{{name}}`.
 */
export type CompiledTemplate = (
  | {
      kind: "email";
      format: EmailFormat;
      subject: string;
      html: string;
      text: string;
      /** The URLs in `text` that contain tags, in order. Absent if there are none. */
      links?: TextLink[];
      /** Schemes that the tenant allowed when the template was saved. The template's own addresses may use them. */
      linkSchemes?: string[];
    }
  | { kind: "text"; text: string }
  | ({ kind: "notification"; title: string; body: string } & PushLinks)
  /** `markup` is read by chat/read-chat.ts once the values are inserted. */
  | { kind: "chat"; markup: string; url?: string }
) & {
  variables: string[];
  /** The language of a translation, for dates and numbers; if absent, the tenant's language. */
  locale?: string;
};

/** The format of a mail's content. `markdown` must be chosen: it is never detected. */
export type EmailFormat = "markdown" | FoundFormat;

export type FoundFormat = "mjml" | "html" | "text";

const BEFORE_ROOT = /^(?:\s+|<!--[\s\S]*?-->|<\?[\s\S]*?\?>)*/;
const HTML_ELEMENT = new RegExp(
  `<!doctype\\b|</?(?:${[
    "html|head|body|title|style|meta|link|div|span|p|a|b|i|u|s|em|strong|small|big|sub|sup|br|hr|img",
    "h[1-6]|ul|ol|li|dl|dt|dd|table|caption|thead|tbody|tfoot|tr|td|th|pre|code|blockquote|center|font",
    "section|article|header|footer|main|nav|aside|address|figure|figcaption|mark|del|ins|q|cite|abbr",
    "script|form|button|input|label|svg|iframe|object|embed|video|audio|picture|template|noscript",
  ].join("|")})(?=[\\s/>])[^<>]*>`,
  "i",
);

/** Detects MJML by its root element and HTML by a document type or any element of mails; the rest is plain text. */
export function emailFormat(content: string): FoundFormat {
  const root = content.slice(BEFORE_ROOT.exec(content)?.[0].length ?? 0);
  if (/^<mjml(?=[\s/>])/i.test(root)) return "mjml";
  return HTML_ELEMENT.test(content) ? "html" : "text";
}

/** The settings of a tenant's layout. If one is absent, the platform's is used. Colours are `#rrggbb`. */
export interface Layout {
  /** MJML with `{{ $content }}` directly in an `mj-column`; null if the platform's layout is used. */
  content: string | null;
  /** An https URL. */
  logoUrl?: string;
  /** The tenant's name. It is the logo's alternative text, or is shown if there is no logo. */
  brandName?: string;
  /** Colour of buttons and links. */
  primaryColor?: string;
  /** The page's background. */
  backgroundColor?: string;
  /** Colour of text. */
  textColor?: string;
  /** Text below the content: a paragraph of Markdown (words, marks, links, line ends) with tags. */
  footerText?: string;
  /** The sender's postal address: plain text in lines. */
  address?: string;
}

/** A fault of a layout. `line` and `column` are places in the field, and count from 1. */
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

/** The tag that is replaced by the mail's content. */
export const CONTENT_TAG = "$content";

/** The tags of a layout that are replaced by its settings when it is compiled. */
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
