import { phrase, type Words } from "../page/language.ts";

/** A part of a simple mail's text that pages show like the visual editor. `look` has its CSS classes. */
export interface ShownPart {
  text: Words;
  look: string;
}

const ADDRESS = /\]\(((?:\{\{[^{}\n]{1,500}\}\}|[^(){}\s]){1,2100})(?: "[^"\n]{0,100}")?\)/;
/**
 * Matches one sign. Its groups: heading, bullet, address, variable, block's tag, escaped sign, marks, label, line end.
 */
const TOKEN = new RegExp(
  [
    /^(#{1,3}) (?=\S)/,
    /^([ \t]*)[-*+] (?=\S)/,
    ADDRESS,
    /\{\{([^{}\n]{1,500})\}\}/,
    /\{%-?[ \t]*([a-z]{1,20})([^{}\n]{0,500}?)-?%\}/,
    /\\([!-/:-@[-`{-~])/,
    /(\*{1,3}|~~)(?=\S)|(?<=\S)(\*{1,3}|~~)/,
    /(!?\[)(?=[^[\]\n]{0,500}\]\()/,
    /(\n)/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gm",
);
const TAG_WORDS: Readonly<Record<string, string>> = {
  if: "If {0}",
  unless: "Unless {0}",
  elsif: "Otherwise, if {0}",
  else: "Otherwise",
  for: "For each {0}",
};

/**
 * Splits a simple mail's text at its signs. Headings, marks and tags become CSS classes, so that their changes are
 * visible.
 */
export function simpleMailParts(text: string): ShownPart[] {
  const parts: ShownPart[] = [];
  const marks = new Set<string>();
  let level = "";
  const add = (words: Words, look = "") => {
    const all = [level, ...marks, look].filter(Boolean).join(" ");
    if (words !== "") parts.push({ text: words, look: all });
  };
  const toggle = (mark: string) => {
    if (!marks.delete(mark)) marks.add(mark);
  };
  let at = 0;
  for (const found of text.matchAll(TOKEN)) {
    add(text.slice(at, found.index));
    at = found.index + found[0].length;
    const [, heading, indent, href, variable, word, rest, sign, opens, closes, , end] = found;
    const run = opens ?? closes;
    if (heading !== undefined) level = `level-${heading.length}`;
    else if (indent !== undefined) add(`${indent}• `);
    else if (href !== undefined)
      add(` → ${/^\{\{(.*)\}\}$/.exec(href)?.[1]?.trim() ?? href}`, "leads");
    else if (variable !== undefined) add(variable.trim(), "visual-tag");
    else if (word !== undefined) {
      add(phrase(TAG_WORDS[word] ?? "End", [rest?.trim()]), "visual-tag logic");
    } else if (sign !== undefined) add(sign);
    else if (run !== undefined) {
      if (run === "~~") toggle("struck");
      if (run === "**" || run === "***") toggle("strong");
      if (run === "*" || run === "***") toggle("em");
    } else if (end !== undefined) {
      // Marks end with their paragraph, and a heading ends with its line.
      level = "";
      if (text[at] === "\n") marks.clear();
      add("\n");
    }
  }
  add(text.slice(at));
  return parts;
}
