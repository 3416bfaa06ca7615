/** Writes one text of a template. It counts characters and steps, and stops if rendering is too costly. */

import {
  evaluate,
  evaluateCondition,
  type Frame,
  filteredValue,
  type Scope,
  valueText,
} from "./evaluate.ts";
import type { Branch, Condition, Loop, Node, Operand, ValueExpression } from "./expressions.ts";
import { parseTemplate } from "./parse-template.ts";
import { type Rendering, RenderingEnded, type Slot, spend } from "./rendering.ts";
import { type Range, scanTags, type Tag } from "./tags.ts";
import { countOf, isObject, keysOf, textOf } from "./values.ts";

export interface WriterOptions {
  /** Removes characters that the message cannot contain, from the template and from each value. */
  clean: (text: string) => string;
  /** Returns for each tag how its value is written; undefined if it is written unchanged. */
  slots?: (text: string, tags: readonly Tag[]) => (Slot | undefined)[];
  /** Parts that are left out completely if their first tag writes nothing. They are in order; each contains a tag. */
  optional?: readonly Range[];
  /** Returns the size of a part of the result, in the unit of `limit`. It is at least half of the part's length. */
  measure: (text: string) => number;
  limit: number;
  /** Set if the slots escape; the filter `escape` then does nothing. */
  escapes?: true;
  /** Set if dates and numbers may contain only plain spaces. */
  plainBlanks?: true;
}

/**
 * Writes the text with these variables. Returns undefined as soon as the text exceeds its limit or is too costly; the
 * rest is then neither built nor read.
 */
export type Writer = (
  variables: Record<string, unknown>,
  rendering: Rendering,
) => string | undefined;

/** A node of the syntax tree, prepared for writing. */
type Piece =
  | { kind: "text"; text: string; size: number }
  | ValuePiece
  | { kind: "optional"; pieces: Piece[] }
  | {
      kind: "if";
      branches: { condition: Condition | undefined; negated: boolean; body: Piece[] }[];
    }
  | { kind: "for"; loop: Loop; body: Piece[]; otherwise: Piece[] };

interface ValuePiece {
  kind: "value";
  name: string;
  expression: ValueExpression;
  slot: Slot | undefined;
  /** The index of a variable without filters, which is read only once per text. Undefined for all other values. */
  variable: number | undefined;
  /** Marks the first value of an optional part. If it writes nothing, the whole part is left out. */
  leadsPart: boolean;
  /** The template's text after the value. */
  after: string;
  afterSize: number;
}

/** Prepares a text. Returns undefined if it is not a valid template, which means that it was never checked. */
export function createWriter(template: string, options: WriterOptions): Writer | undefined {
  const { tags, faults: tagFaults } = scanTags(template);
  const { nodes, faults } = parseTemplate(template, tags);
  if (tagFaults.length > 0 || faults.length > 0) return undefined;
  const preparation = new Preparation(template, tags, options);
  const pieces = preparation.pieces(nodes);
  const variableCount = preparation.variables.size;
  return (variables, rendering) => {
    const output = new Output(options, rendering, variables, variableCount);
    try {
      return output.write(pieces);
    } catch (error) {
      if (error instanceof RenderingEnded) return undefined;
      throw error;
    }
  };
}

class Preparation {
  readonly #template: string;
  readonly #tags: readonly Tag[];
  readonly #options: WriterOptions;
  readonly #slots: (Slot | undefined)[];
  readonly #parts: readonly Range[];
  readonly variables = new Map<string, number>();
  #nextPart = 0;

  constructor(template: string, tags: readonly Tag[], options: WriterOptions) {
    this.#template = template;
    this.#tags = tags;
    this.#options = options;
    this.#slots = options.slots?.(template, tags) ?? [];
    this.#parts = options.optional ?? [];
  }

  /** Returns the pieces of sibling nodes. Call it in the order of the text, because `#nextPart` only moves forward. */
  pieces(nodes: readonly Node[]): Piece[] {
    const pieces: Piece[] = [];
    let group: { part: Range; pieces: Piece[] } | undefined;
    // Returns the list for a piece at an offset: that of the optional part around it, or else the result.
    const target = (offset: number): Piece[] => {
      const part = this.#partAt(offset);
      if (part === undefined) return pieces;
      if (group?.part !== part) {
        group = { part, pieces: [] };
        pieces.push({ kind: "optional", pieces: group.pieces });
      }
      return group.pieces;
    };
    for (const node of nodes) {
      switch (node.kind) {
        case "text":
          for (let at = node.start; at < node.end; ) {
            const into = target(at);
            const end = Math.min(node.end, this.#boundaryBehind(at));
            this.#addText(into, at, end);
            at = end;
          }
          break;
        case "value": {
          const into = target(this.#tags[node.tag]?.start ?? 0);
          const leadsPart = into !== pieces && into.every(({ kind }) => kind !== "value");
          into.push(this.#value(node.tag, node.expression, leadsPart));
          break;
        }
        case "if":
          pieces.push({
            kind: "if",
            branches: node.branches.map((branch) => this.#branch(branch)),
          });
          break;
        case "for": {
          const body = this.pieces(node.body);
          pieces.push({
            kind: "for",
            loop: node.loop,
            body,
            otherwise: this.pieces(node.otherwise),
          });
          break;
        }
      }
    }
    return pieces;
  }

  #branch({ condition, negated, body }: Branch) {
    return { condition, negated, body: this.pieces(body) };
  }

  #addText(into: Piece[], start: number, end: number): void {
    const text = this.#options.clean(this.#template.slice(start, end));
    const size = this.#options.measure(text);
    const last = into.at(-1);
    if (last?.kind === "value") Object.assign(last, { after: text, afterSize: size });
    else into.push({ kind: "text", text, size });
  }

  #value(tag: number, expression: ValueExpression, leadsPart: boolean): ValuePiece {
    const { operand, filters } = expression;
    const isVariable = operand.kind === "name" && operand.loop === undefined;
    let variable: number | undefined;
    if (isVariable && filters.length === 0) {
      variable = this.variables.get(operand.name) ?? this.variables.size;
      this.variables.set(operand.name, variable);
    }
    const name = this.#tags[tag]?.name ?? "";
    return {
      kind: "value",
      name,
      expression,
      slot: this.#slots[tag],
      variable,
      leadsPart,
      after: "",
      afterSize: 0,
    };
  }

  #partAt(offset: number): Range | undefined {
    let part = this.#parts[this.#nextPart];
    while (part !== undefined && part.end <= offset) part = this.#parts[++this.#nextPart];
    return part !== undefined && part.start <= offset ? part : undefined;
  }

  /** Returns the end of the part around an offset, or else the start of the next part. */
  #boundaryBehind(offset: number): number {
    const part = this.#parts[this.#nextPart];
    if (part === undefined) return Number.POSITIVE_INFINITY;
    return part.start <= offset ? part.end : part.start;
  }
}

class Output implements Scope {
  readonly variables: Record<string, unknown>;
  readonly rendering: Rendering;
  readonly frames: Frame[] = [];
  readonly escapes: boolean;
  readonly plainBlanks: boolean;
  readonly #options: WriterOptions;
  /** The values of variables without filters, by their index. They are cleaned, but not yet written by a slot. */
  readonly #values: (string | undefined)[];
  #room: number;

  constructor(
    options: WriterOptions,
    rendering: Rendering,
    variables: Record<string, unknown>,
    variableCount: number,
  ) {
    this.#options = options;
    this.#values = new Array(variableCount);
    this.#room = options.limit;
    this.rendering = rendering;
    this.variables = variables;
    this.escapes = options.escapes === true;
    this.plainBlanks = options.plainBlanks === true;
  }

  write(pieces: readonly Piece[]): string {
    spend(this.rendering, pieces.length);
    const { measure } = this.#options;
    let text = "";
    for (const piece of pieces) {
      switch (piece.kind) {
        case "text":
          this.#take(piece.size);
          text += piece.text;
          break;
        case "value": {
          const value = this.#value(piece);
          if (value === "" && piece.leadsPart) return "";
          this.#take(measure(value) + piece.afterSize);
          text += value + piece.after;
          break;
        }
        case "optional":
          text += this.#part(piece.pieces);
          break;
        case "if":
          text += this.#branch(piece);
          break;
        case "for":
          text += this.#loop(piece);
          break;
      }
    }
    return text;
  }

  #take(size: number): void {
    this.#room -= size;
    if (this.#room < 0) throw new RenderingEnded();
  }

  /** Returns a value as its slot writes it. */
  #value({ name, expression, slot, variable }: ValuePiece): string {
    const { rendering } = this;
    if (slot?.isJson) return this.#json(name, expression);
    let value = variable === undefined ? undefined : this.#values[variable];
    value ??= this.#read(name, expression, variable);
    // Twice, because a code point may take two units of a string's length.
    if (value.length > 2 * this.#room) throw new RenderingEnded();
    if (slot === undefined) return value;
    if (value.length <= slot.longest) this.#work(value.length);
    const written = slot.write(value, rendering);
    return expression.breaks && slot.breaks ? written.replace(/\r?\n/g, "<br />\n") : written;
  }

  /** Returns a value as JSON. Escapes make a text at most six times as long. */
  #json(name: string, expression: ValueExpression): string {
    const value = filteredValue(expression, name, this);
    const text = textOf(value, this.rendering);
    if (text.length > 2 * this.#room) throw new RenderingEnded();
    this.#work(text.length);
    if (typeof value === "string") return JSON.stringify(this.#options.clean(value));
    return text === "" ? "null" : text;
  }

  /** Returns a value after its filters, without the characters that the message cannot contain. */
  #read(name: string, expression: ValueExpression, variable: number | undefined): string {
    const text = valueText(expression, name, this);
    this.#work(text.length);
    const value = this.#options.clean(text);
    if (variable !== undefined) this.#values[variable] = value;
    return value;
  }

  #work(characters: number): void {
    this.rendering.workLeft -= characters;
    if (this.rendering.workLeft < 0) throw new RenderingEnded();
  }

  /** Writes an optional part. If it is left out, it uses none of the limit. */
  #part(pieces: readonly Piece[]): string {
    const room = this.#room;
    const text = this.write(pieces);
    if (text === "") this.#room = room;
    return text;
  }

  #branch({ branches }: Extract<Piece, { kind: "if" }>): string {
    for (const { condition, negated, body } of branches) {
      if (condition === undefined || evaluateCondition(condition, this) !== negated) {
        return this.write(body);
      }
    }
    return "";
  }

  #loop({ loop, body, otherwise }: Extract<Piece, { kind: "for" }>): string {
    const list = listOf(evaluate(loop.list, this), this.rendering);
    if (list.length === 0) return this.write(otherwise);
    const length = limited(list.length, loop.limit, this);
    const frame: Frame = { item: undefined, index: 0, length };
    this.frames.push(frame);
    let text = "";
    for (let index = 0; index < length; index++) {
      spend(this.rendering, 1);
      frame.item = list.at(index);
      frame.index = index;
      text += this.write(body);
    }
    this.frames.pop();
    return text;
  }
}

interface Items {
  length: number;
  at(index: number): unknown;
}

/** Returns the items of a loop: those of a list, the key-value pairs of an object, or a text as the only item. */
function listOf(value: unknown, rendering: Rendering): Items {
  if (Array.isArray(value)) return value;
  if (typeof value === "string" && value !== "") return [value];
  if (!isObject(value)) return [];
  const keys = keysOf(value, rendering);
  return { length: keys.length, at: (index) => [keys[index], value[keys[index] ?? ""]] };
}

/** Returns the number of iterations: all if there is no limit, none if the limit is negative or not a number. */
function limited(length: number, limit: Operand | undefined, scope: Scope): number {
  if (limit === undefined) return length;
  const value = evaluate(limit, scope);
  if (value === undefined || value === null) return length;
  return Math.max(0, Math.min(length, Math.trunc(countOf(value, scope.rendering))));
}
