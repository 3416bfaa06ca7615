/** Splits the code of one tag into tokens, and parses operands and filters from them. */

import { MAX_NAME_CHARACTERS } from "./bounds.ts";
import { characterName } from "./characters.ts";
import { BLANK, EMPTY, type FilterCall, NIL, type Operand } from "./expressions.ts";
import { FILTERS } from "./filters.ts";
import type { TagFault } from "./tags.ts";
import { UNSUPPORTED_FILTERS, UNSUPPORTED_SIGNS } from "./unsupported.ts";

/** The item names of the loops around a tag, the outermost first. */
export type LoopNames = readonly string[];

export const LITERALS = new Map<string, unknown>([
  ["true", true],
  ["false", false],
  ["nil", NIL],
  ["null", NIL],
  ["empty", EMPTY],
  ["blank", BLANK],
]);
const FORLOOP_FIELDS = new Set(["first", "last", "index"]);

/** Thrown if a tag cannot be parsed. `parseValue` and similar functions catch it. */
export class Fault extends Error {
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

/** Returns the operand for a name: an item of a loop (innermost first), a field of `forloop`, or a variable. */
export function nameOperand(
  name: string,
  loops: LoopNames,
  offset: number,
): Exclude<Operand, { kind: "literal" }> {
  if (name.length > MAX_NAME_CHARACTERS) {
    throw new Fault(offset, `a name is longer than ${MAX_NAME_CHARACTERS} characters`);
  }
  const dot = name.indexOf(".");
  const first = dot === -1 ? name : name.slice(0, dot);
  const loop = loops.lastIndexOf(first);
  if (loop !== -1) {
    const key = dot === -1 ? "" : name.slice(dot + 1);
    return { kind: "name", name, loop, key, path: key === "" ? [] : key.split(".") };
  }
  if (first === "forloop" && loops.length > 0) {
    const field = name.slice(dot + 1);
    if (dot === -1 || !FORLOOP_FIELDS.has(field)) {
      throw new Fault(offset, "of forloop there are forloop.first, forloop.last and forloop.index");
    }
    return { kind: "forloop", loop: loops.length - 1, field: field as "first" };
  }
  return { kind: "name", name, loop: undefined, key: name, path: name.split(".") };
}

/** Parses the tokens of one tag. */
export class TagReader {
  readonly #tokens: readonly Token[];
  readonly #loops: LoopNames;
  readonly #fault: TagFault | undefined;
  #at = 0;

  constructor(code: string, offset: number, loops: LoopNames) {
    const { tokens, fault } = tagTokens(code, offset);
    this.#tokens = tokens;
    this.#fault = fault;
    this.#loops = loops;
  }

  get next(): Token {
    const token = this.#tokens[this.#at];
    if (token !== undefined) return token;
    throw new Fault(this.#fault?.offset ?? 0, this.#fault?.message ?? "this tag cannot be read");
  }

  take(): Token {
    const token = this.next;
    if (token.kind !== "end") this.#at += 1;
    return token;
  }

  sign(text: string, message: string): void {
    const token = this.next;
    if (token.kind !== "sign" || token.text !== text) throw new Fault(token.offset, message);
    this.#at += 1;
  }

  end(expected: string): void {
    const { kind, text, offset } = this.next;
    if (kind === "end") return;
    const instead = kind === "text" ? undefined : insteadOf(text);
    throw new Fault(
      offset,
      `${shown(this.next)} stands where ${expected} is expected${hint(instead)}`,
    );
  }

  operand(): Operand {
    const token = this.next;
    const { kind, text, offset } = token;
    if (kind === "sign" || kind === "end" || (kind === "name" && text === "not")) {
      const instead = kind === "end" ? undefined : insteadOf(text);
      throw new Fault(offset, `a name, a number or a text in quotes is expected${hint(instead)}`);
    }
    this.#at += 1;
    if (kind === "text") return { kind: "literal", value: text };
    if (kind === "number") return { kind: "literal", value: numberAsWritten(text) };
    if (LITERALS.has(text)) return { kind: "literal", value: LITERALS.get(text) };
    if (this.next.text === "[" || this.next.text === "..") {
      throw new Fault(this.next.offset, "write a dot and the name: list.0, order.total");
    }
    if (text.endsWith(".") || text.includes(".."))
      throw new Fault(offset, "a name is missing at a dot");
    return nameOperand(text, this.#loops, offset);
  }

  filter(): FilterCall {
    const { kind, text: name, offset } = this.take();
    if (kind !== "name") throw new Fault(offset, 'the name of a filter is expected behind "|"');
    const filter = FILTERS.get(name);
    if (filter === undefined) {
      const instead = Object.hasOwn(UNSUPPORTED_FILTERS, name)
        ? UNSUPPORTED_FILTERS[name]
        : `there are ${[...FILTERS.keys()].join(", ")}, newline_to_br`;
      throw new Fault(offset, `there is no filter ${name}${hint(instead)}`);
    }
    const call = { name, filter, arguments: [] as Operand[], keywords: [] as [string, Operand][] };
    for (let sign = ":"; this.#isNext(sign); sign = ",") {
      this.#at += 1;
      this.#argument(call);
    }
    if (this.next.kind !== "end" && this.next.text !== "|") {
      throw new Fault(
        this.next.offset,
        `${shown(this.next)} stands where ",", "|" or the end is expected`,
      );
    }
    const fault = filter.fault(call);
    if (fault !== undefined) throw new Fault(offset, `${name}: ${fault}`);
    return call;
  }

  #isNext(sign: string): boolean {
    return this.next.kind === "sign" && this.next.text === sign;
  }

  #argument(call: { arguments: Operand[]; keywords: [string, Operand][] }): void {
    const behind = this.#tokens[this.#at + 1];
    if (this.next.kind === "name" && behind?.kind === "sign" && behind.text === ":") {
      const keyword = this.take().text;
      this.#at += 1;
      call.keywords.push([keyword, this.operand()]);
    } else {
      call.arguments.push(this.operand());
    }
  }
}

/** Keeps the written form of numbers such as 1.50. JSON allows no plus sign and no leading zeros, so these are lost. */
function numberAsWritten(text: string): unknown {
  const number = Number(text);
  return String(number) === text || text.startsWith("+") || /^-?0\d/.test(text)
    ? number
    : JSON.rawJSON(text);
}

function shown({ kind, text }: Token): string {
  return kind === "text" ? "a text in quotes" : `"${text}"`;
}

function insteadOf(sign: string): string | undefined {
  return Object.hasOwn(UNSUPPORTED_SIGNS, sign) ? UNSUPPORTED_SIGNS[sign] : undefined;
}

function hint(instead: string | undefined): string {
  return instead === undefined ? "" : `: ${instead}`;
}

export interface Token {
  kind: "name" | "text" | "number" | "sign" | "end";
  /** The source text. For a quoted text, its content. */
  text: string;
  /** Offset in the template. */
  offset: number;
}

const BLANKS = /[ \t\r\n]*/y;
const NUMBER = /[+-]?\d+(?:\.\d+)?(?![\p{L}\p{M}\p{Nd}_\-.$])/uy;
const NAME = /[\p{L}\p{Nd}_$][\p{L}\p{M}\p{Nd}_\-.$]*/uy;
const TEXT = /"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'/y;
const SIGN = /==|!=|<>|<=|>=|&&|\|\||&(?:gt|lt|amp|quot);|\.\.|[<>=!|:,()[\]]/y;

/** The escape sequences of quoted texts. */
const ESCAPES: Record<string, string> = { n: "\n", t: "\t", "\\": "\\", '"': '"', "'": "'" };

/**
 * Splits the code of a tag into tokens. `offset` is the code's position in the template. The last token is of kind
 * `end`; if a part of the code is no token, `fault` describes it and the tokens end before it.
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
      const content = unescaped(quoted);
      if (content === undefined) return { tokens, fault: { offset: start, message: BAD_ESCAPE } };
      tokens.push({ kind: "text", text: content, offset: start });
    } else {
      const kind = number !== undefined ? "number" : name !== undefined ? "name" : "sign";
      tokens.push({ kind, text, offset: start });
    }
    at += text.length;
  }
}

const BAD_ESCAPE = "in a text in quotes a \\ stands only in front of n, t, \\, \" or '";

/** Returns the content of a quoted text; undefined if it has an unknown escape sequence. */
function unescaped(quoted: string): string | undefined {
  const inner = quoted.slice(1, -1);
  if (!inner.includes("\\")) return inner;
  let known = true;
  const content = inner.replace(/\\([\s\S])/g, (_, character: string) => {
    known &&= Object.hasOwn(ESCAPES, character);
    return ESCAPES[character] ?? "";
  });
  return known ? content : undefined;
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
