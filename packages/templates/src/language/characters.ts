/** The characters that a message may contain, and how values and templates are cleaned of others. */

/** Cleans a body: well-formed Unicode without control characters other than line feed, carriage return and tab. */
export function cleanBody(text: string): string {
  const clean = text.isWellFormed() ? text : text.toWellFormed();
  return clean.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, "");
}

/** Cleans a subject or title to one line. Control characters and line separators become one space. */
export function cleanLine(text: string): string {
  const clean = text.isWellFormed() ? text : text.toWellFormed();
  return clean.replace(/[\p{Cc}\u2028\u2029]+/gu, " ");
}

/** Cleans an SMS: line ends become one character, and a tab, which GSM-7 lacks, becomes a space. */
export function cleanSms(text: string): string {
  return cleanBody(text).replaceAll("\r\n", "\n").replaceAll("\t", " ");
}

/** A letter, a digit, a symbol or an emoji, except invisible letters and the Braille blank. */
const WORD =
  /(?![\p{Default_Ignorable_Code_Point}\u2800])[\p{L}\p{N}\p{S}\p{Extended_Pictographic}]/u;

/** Whether a text holds only blanks, punctuation and invisible characters. */
export function isBlank(text: string): boolean {
  return !WORD.test(text);
}

/** The typographic characters that word processors write, by the plain character that replaces them. */
const TYPOGRAPHIC: Readonly<Record<string, string>> = {
  "'": "‘’‚‛′‹›`´ʼ",
  '"': "“”„‟″«»",
  "-": "‐‑‒–—―−",
  "...": "…",
  "*": "•",
  " ": "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f",
  "": "\u00ad\u200b\u2060\ufeff",
};
const PLAIN = new Map(
  Object.entries(TYPOGRAPHIC).flatMap(([plain, all]) =>
    Array.from(all, (character): [string, string] => [character, plain]),
  ),
);
const ANY_TYPOGRAPHIC = new RegExp(`[${[...PLAIN.keys()].join("")}]`, "g");

/**
 * Replaces typographic quotes, dashes, dots and blanks by plain ones, because a single curly quote turns an SMS into
 * UCS-2.
 */
export function plainCharacters(text: string): string {
  return text.replace(ANY_TYPOGRAPHIC, (character) => PLAIN.get(character) ?? character);
}

/** The number of Unicode code points, which the limits call characters. */
export function countCharacters(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit <= 0xdbff) count--;
  }
  return count;
}

/** The name of an invisible character by its code point, such as `U+000A`. */
export function characterName(character: string): string {
  return `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** The first character that cleaning changes; undefined if it changes none. */
export function firstChanged(text: string, clean: string) {
  if (clean === text) return undefined;
  let offset = 0;
  while (text[offset] === clean[offset]) offset++;
  return { offset, name: characterName(text.slice(offset, offset + 2)) };
}

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/**
 * Escapes a value for HTML text and for a quoted attribute. It escapes `>`, so that a value cannot end one of
 * Outlook's conditional comments either.
 */
export function escapeHtml(text: string): string {
  return /[&<>"']/.test(text)
    ? text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "")
    : text;
}
