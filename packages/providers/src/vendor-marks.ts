/**
 * Marks that a vendor replaces in the content of a mail, such as `{{contact.EMAIL}}`. In a mail of ours they are text: a
 * value of an event may hold them.
 */

/** Between two characters of a text it is not seen, and no line breaks there. */
const WORD_JOINER = "\u2060";
const STYLE_BEGINS = /<style\b/gi;
const STYLE_ENDS = /<\/style\b/gi;

/** Breaks the marks of a plain text or a subject. `mark` matches, globally, the first character of each. */
export function breakMarksOfText(text: string, mark: RegExp): string {
  return text.replace(mark, (begin) => begin + WORD_JOINER);
}

/** The same in HTML: the character is written as a reference, and in a style sheet, which knows none, with a space behind it. */
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
