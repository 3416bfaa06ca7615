/** Reads what one tag says: a value with its filters, a condition, a loop. */

import { MAX_NAME_CHARACTERS, MAX_TAG_CHARACTERS } from "./bounds.ts";
import {
  BLANK,
  type Comparator,
  type Comparison,
  type Condition,
  EMPTY,
  type FilterCall,
  type Loop,
  NIL,
  type Operand,
  type ValueExpression,
} from "./expressions.ts";
import { FILTERS } from "./filters.ts";
import { type Token, tagTokens } from "./tag-tokens.ts";
import type { Tag, TagFault } from "./tags.ts";
import { UNSUPPORTED_FILTERS, UNSUPPORTED_SIGNS } from "./unsupported.ts";

/** The names of the items of the loops around a tag, the outermost first. */
export type LoopNames = readonly string[];

export type Parsed<T> = { ok: true; value: T } | { ok: false; fault: TagFault };

const LITERALS = new Map<string, unknown>([
  ["true", true],
  ["false", false],
  ["nil", NIL],
  ["null", NIL],
  ["empty", EMPTY],
  ["blank", BLANK],
]);
const COMPARATORS = new Set<string>(["==", "!=", "<", ">", "<=", ">=", "contains"]);
const FORLOOP_FIELDS = new Set(["first", "last", "index"]);

/** A value's tag: `name`, or a text in quotes, with filters behind it. */
export function parseValue(tag: Tag, text: string, loops: LoopNames): Parsed<ValueExpression> {
  return parsed(() => {
    const { code, name } = tag;
    const offset = codeOffset(tag, text);
    const isText = name === "";
    const reader = new Reader(isText ? code : code.slice(name.length), offset + name.length, loops);
    const operand = isText ? reader.operand() : nameOperand(name, loops, offset);
    const filters: FilterCall[] = [];
    let breaks = false;
    while (reader.next.kind !== "end") {
      reader.sign("|", 'a filter begins with "|"');
      if (breaks)
        throw new Fault(reader.next.offset, "newline_to_br stands behind all other filters");
      if (reader.next.text === "newline_to_br") {
        breaks = true;
        reader.take();
      } else {
        filters.push(reader.filter());
      }
    }
    const hasDefault = filters.some(({ filter }) => filter === FILTERS.get("default"));
    return { operand, filters, breaks, hasDefault };
  });
}

/** The condition of `if`, `unless` and `elsif`. */
export function parseCondition(tag: Tag, text: string, loops: LoopNames): Parsed<Condition> {
  return parsed(() => {
    const reader = blockReader(tag, text, loops);
    const condition: Comparison[] = [];
    for (;;) {
      const left = reader.operand();
      let comparator: Comparator | undefined;
      let right: Operand | undefined;
      if (isComparator(reader.next.text) && reader.next.kind !== "text") {
        comparator = reader.take().text as Comparator;
        right = reader.operand();
      }
      const { kind, text: word } = reader.next;
      const join = kind === "name" && (word === "and" || word === "or") ? word : undefined;
      condition.push({ left, comparator, right, join });
      if (join === undefined) break;
      reader.take();
    }
    reader.end("and, or, or the end of the tag");
    return condition;
  });
}

/** `for x in list`, with a limit or without. */
export function parseLoop(tag: Tag, text: string, loops: LoopNames): Parsed<Loop> {
  return parsed(() => {
    const reader = blockReader(tag, text, loops);
    const item = reader.take();
    if (item.kind !== "name" || !/^[\p{L}\p{M}\p{Nd}_-]+$/u.test(item.text)) {
      throw new Fault(item.offset, "a loop reads {% for item in list %}, and item is one word");
    }
    if (item.text === "forloop" || LITERALS.has(item.text)) {
      throw new Fault(item.offset, `${item.text} cannot be the name of a loop's items`);
    }
    if (reader.take().text !== "in") {
      throw new Fault(item.offset, "a loop reads {% for item in list %}");
    }
    const at = reader.next;
    if (at.text === "(") throw new Fault(at.offset, "ranges are not supported: send a list");
    const list = reader.operand();
    if (list.kind !== "name") throw new Fault(at.offset, "a loop runs over a variable");
    let limit: Operand | undefined;
    if (reader.next.text === ",") reader.take();
    if (reader.next.kind === "name") {
      const word = reader.take();
      if (word.text !== "limit") {
        const instead =
          word.text === "reversed" || word.text === "offset"
            ? ": send the list as it shall be written"
            : ": a loop takes limit: and a number";
        throw new Fault(word.offset, `${word.text} is not supported${instead}`);
      }
      reader.sign(":", "a limit is written limit: 3");
      const number = reader.next;
      limit = reader.operand();
      if (limit.kind === "literal" && typeof limit.value !== "number") {
        throw new Fault(number.offset, "a limit is a number");
      }
    }
    reader.end("limit: and a number, or the end of the tag");
    return { loop: loops.length, item: item.text, list, limit };
  });
}

/** A tag with nothing but its word. */
export function parseWord(tag: Tag, text: string): TagFault | undefined {
  const result = parsed(() => {
    const reader = blockReader(tag, text, []);
    if (tag.name === "else" && reader.next.text === "if") {
      throw new Fault(reader.next.offset, "write {% elsif … %}");
    }
    reader.end("the end of the tag");
  });
  return result.ok ? undefined : result.fault;
}

class Fault extends Error {
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

function parsed<T>(read: () => T): Parsed<T> {
  try {
    return { ok: true, value: read() };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { ok: false, fault: { offset: error.offset, message: error.message } };
  }
}

/** Where the code begins: it is what follows the braces and blanks. */
function codeOffset({ code, start }: Tag, text: string): number {
  if (code.length > MAX_TAG_CHARACTERS) {
    throw new Fault(start, `a tag is longer than ${MAX_TAG_CHARACTERS} characters`);
  }
  return text.indexOf(code, start + 2);
}

function blockReader(tag: Tag, text: string, loops: LoopNames): Reader {
  const offset = codeOffset(tag, text);
  const from = tag.code.indexOf(tag.name) + tag.name.length;
  const to = tag.code.endsWith("-") && from < tag.code.length ? -1 : tag.code.length;
  return new Reader(tag.code.slice(from, to), offset + from, loops);
}

function isComparator(text: string): text is Comparator {
  return COMPARATORS.has(text);
}

function nameOperand(
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

/** Reads the tokens of one tag. */
class Reader {
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
    if (kind === "sign" || kind === "end" || text === "not") {
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
    for (let sign = ":"; this.#stands(sign); sign = ",") {
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

  #stands(sign: string): boolean {
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
