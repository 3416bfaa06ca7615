/** The words and signs inside a tag. */

import { characterName } from "../characters.ts";
import type { TagFault } from "./tags.ts";

export interface Token {
  kind: "name" | "text" | "number" | "sign" | "end";
  /** As it is written; of a text in quotes what it says. */
  text: string;
  /** Offset in the template. */
  offset: number;
}

const BLANKS = /[ \t\r\n]*/y;
const NUMBER = /[+-]?\d+(?:\.\d+)?(?![\p{L}\p{M}\p{Nd}_\-.$])/uy;
const NAME = /[\p{L}\p{Nd}_$][\p{L}\p{M}\p{Nd}_\-.$]*/uy;
const TEXT = /"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'/y;
const SIGN = /==|!=|<>|<=|>=|&&|\|\||&(?:gt|lt|amp|quot);|\.\.|[<>=!|:,()[\]]/y;

/** What a backslash makes of the character behind it. */
const ESCAPES: Record<string, string> = { n: "\n", t: "\t", "\\": "\\", '"': '"', "'": "'" };

/**
 * Reads the code of a tag that stands at an offset of the template. Ends with one token of kind `end`,
 * or with the fault where something is no token.
 */
export function tagTokens(
  code: string,
  offset: number,
): { tokens: Token[]; fault: TagFault | undefined } {
  const tokens: Token[] = [];
  let at = 0;
  const taken = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(code)?.[0];
  };
  for (;;) {
    at += taken(BLANKS)?.length ?? 0;
    const start = offset + at;
    if (at >= code.length) {
      tokens.push({ kind: "end", text: "", offset: start });
      return { tokens, fault: undefined };
    }
    const quoted = taken(TEXT);
    const number = quoted ?? taken(NUMBER);
    const name = number ?? taken(NAME);
    const text = name ?? taken(SIGN);
    if (text === undefined) return { tokens, fault: { offset: start, message: noToken(code, at) } };
    if (quoted !== undefined) {
      const said = unescaped(quoted);
      if (said === undefined) return { tokens, fault: { offset: start, message: BAD_ESCAPE } };
      tokens.push({ kind: "text", text: said, offset: start });
    } else {
      const kind = number !== undefined ? "number" : name !== undefined ? "name" : "sign";
      tokens.push({ kind, text, offset: start });
    }
    at += text.length;
  }
}

const BAD_ESCAPE = "in a text in quotes a \\ stands only in front of n, t, \\, \" or '";

function unescaped(quoted: string): string | undefined {
  const inner = quoted.slice(1, -1);
  if (!inner.includes("\\")) return inner;
  let known = true;
  const said = inner.replace(/\\([\s\S])/g, (_, character: string) => {
    known &&= Object.hasOwn(ESCAPES, character);
    return ESCAPES[character] ?? "";
  });
  return known ? said : undefined;
}

function noToken(code: string, at: number): string {
  const character = String.fromCodePoint(code.codePointAt(at) ?? 0);
  if (character === '"' || character === "'") {
    return `the text that begins with ${character} is not closed (a text in a tag cannot hold }} or %})`;
  }
  if (/[\u2018-\u201f\u00ab\u00bb]/.test(character)) {
    return `${character} begins no text: write straight quotes, " or '`;
  }
  if (/[\p{C}\p{Z}]/u.test(character)) {
    return `the character ${characterName(character)} is not allowed in a tag`;
  }
  return `"${character}" is not allowed here`;
}
