/** Which format of a mail's content a tenant wrote. */

/** `markdown` is only ever chosen; a content that does not say its format is one of the others. */
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

/** MJML by its root element, HTML by a document type or any element that mails use, else plain text. */
export function emailFormat(content: string): FoundFormat {
  const root = content.slice(BEFORE_ROOT.exec(content)?.[0].length ?? 0);
  if (/^<mjml(?=[\s/>])/i.test(root)) return "mjml";
  return HTML_ELEMENT.test(content) ? "html" : "text";
}
