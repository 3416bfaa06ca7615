/**
 * Some vendors replace marks such as `{{contact.EMAIL}}` in a mail's content. In our mails they are plain text from an
 * event's values, so we break them.
 */

/** An invisible character, at which no line breaks. */
export const WORD_JOINER = "\u2060";
const STYLE_BEGINS = /<style\b/gi;
const STYLE_ENDS = /<\/style\b/gi;

/** Breaks the marks in a plain text or a subject. `mark` is a global pattern for the first character of a mark. */
export function breakMarksOfText(text: string, mark: RegExp): string {
  return text.replace(mark, (begin) => begin + WORD_JOINER);
}

/** Breaks the marks in HTML with a character reference, or with a space in style sheets, which have no references. */
export function breakMarksOfHtml(html: string, mark: RegExp): string {
  let written = "";
  let at = 0;
  while (at < html.length) {
    const begin = indexFrom(html, STYLE_BEGINS, at);
    written += html.slice(at, begin).replace(mark, (one) => `&#${one.charCodeAt(0)};`);
    at = indexFrom(html, STYLE_ENDS, begin);
    written += html.slice(begin, at).replace(mark, (one) => `${one} `);
  }
  return written;
}

function indexFrom(html: string, pattern: RegExp, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(html)?.index ?? html.length;
}
