/** Parses one tag: a value with its filters, a condition or a loop. */

import { MAX_TAG_CHARACTERS } from "./bounds.ts";
import type {
  Comparator,
  Comparison,
  Condition,
  FilterCall,
  Loop,
  Operand,
  ValueExpression,
} from "./expressions.ts";
import { FILTERS } from "./filters.ts";
import { Fault, LITERALS, type LoopNames, nameOperand, TagReader } from "./tag-reader.ts";
import type { Tag, TagFault } from "./tags.ts";

export type Parsed<T> = { ok: true; value: T } | { ok: false; fault: TagFault };

const COMPARATORS = new Set<string>(["==", "!=", "<", ">", "<=", ">=", "contains"]);

/** Parses a value's tag: `name`, or a text in quotes, followed by filters. */
export function parseValue(tag: Tag, text: string, loops: LoopNames): Parsed<ValueExpression> {
  return parsed(() => {
    const { code, name } = tag;
    const offset = codeOffset(tag, text);
    const isText = name === "";
    const reader = new TagReader(
      isText ? code : code.slice(name.length),
      offset + name.length,
      loops,
    );
    const operand = isText ? reader.operand() : nameOperand(name, loops, offset);
    const filters: FilterCall[] = [];
    let breaks = false;
    while (reader.next.kind !== "end") {
      reader.sign("|", 'a filter begins with "|"');
      if (breaks) throw new Fault(reader.next.offset, "newline_to_br must be the last filter");
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

/** Parses the condition of `if`, `unless` and `elsif`. */
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

/** Parses `for x in list`, with or without a limit. */
export function parseLoop(tag: Tag, text: string, loops: LoopNames): Parsed<Loop> {
  return parsed(() => {
    const reader = blockReader(tag, text, loops);
    const item = reader.take();
    if (item.kind !== "name" || !/^[\p{L}\p{M}\p{Nd}_-]+$/u.test(item.text)) {
      throw new Fault(item.offset, "write a loop as {% for item in list %}; item must be one word");
    }
    if (item.text === "forloop" || LITERALS.has(item.text)) {
      throw new Fault(item.offset, `${item.text} cannot be the name of a loop's items`);
    }
    if (reader.take().text !== "in") {
      throw new Fault(item.offset, "write a loop as {% for item in list %}");
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
            ? ": send the list in the order that you want"
            : ": a loop takes limit: and a number";
        throw new Fault(word.offset, `${word.text} is not supported${instead}`);
      }
      reader.sign(":", "write a limit as limit: 3");
      const number = reader.next;
      limit = reader.operand();
      if (limit.kind === "literal" && typeof limit.value !== "number") {
        throw new Fault(number.offset, "a limit must be a number");
      }
    }
    reader.end("limit: and a number, or the end of the tag");
    return { loop: loops.length, item: item.text, list, limit };
  });
}

/** Parses a tag that consists of one word, such as `else` or `endif`. */
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

function parsed<T>(read: () => T): Parsed<T> {
  try {
    return { ok: true, value: read() };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { ok: false, fault: { offset: error.offset, message: error.message } };
  }
}

/** The offset at which the code begins, after the braces and blanks. */
function codeOffset({ code, start }: Tag, text: string): number {
  if (code.length > MAX_TAG_CHARACTERS) {
    throw new Fault(start, `a tag is longer than ${MAX_TAG_CHARACTERS} characters`);
  }
  return text.indexOf(code, start + 2);
}

function blockReader(tag: Tag, text: string, loops: LoopNames): TagReader {
  const offset = codeOffset(tag, text);
  const from = tag.code.indexOf(tag.name) + tag.name.length;
  const to = tag.code.endsWith("-") && from < tag.code.length ? -1 : tag.code.length;
  return new TagReader(tag.code.slice(from, to), offset + from, loops);
}

function isComparator(text: string): text is Comparator {
  return COMPARATORS.has(text);
}
