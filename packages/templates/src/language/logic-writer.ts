/** Writes a text with blocks and filters: an interpreter that is ended by its counters. */

import { evaluate, evaluateCondition, type Frame, type Scope, valueText } from "./evaluate.ts";
import type { Branch, Condition, Loop, Node, Operand, ValueExpression } from "./expressions.ts";
import { countOf, isObject, keysOf } from "./liquid-values.ts";
import type { Part } from "./optional-parts.ts";
import { parseTemplate } from "./parse-template.ts";
import { type Rendering, RenderingEnded, spend } from "./rendering.ts";
import type { Slot } from "./slot.ts";
import { scanTags, type Tag } from "./tags.ts";
import type { Writer, WriterOptions } from "./writer.ts";

/** A node with its text cleaned and measured, and its slot found. */
type Piece =
  | { kind: "text"; text: string; size: number }
  | { kind: "value"; name: string; expression: ValueExpression; slot: Slot | undefined }
  | { kind: "optional"; pieces: Piece[] }
  | {
      kind: "if";
      branches: { condition: Condition | undefined; negated: boolean; body: Piece[] }[];
    }
  | { kind: "for"; loop: Loop; body: Piece[]; otherwise: Piece[] };

/**
 * Prepares a text with logic. What it writes ends at the same limit as any text, and the work of it at
 * the counters of the rendering. Undefined where the text is no template: none that was checked.
 */
export function createLogicWriter(template: string, options: WriterOptions): Writer | undefined {
  const { tags, faults: tagFaults } = scanTags(template);
  const { nodes, faults } = parseTemplate(template, tags);
  if (tagFaults.length > 0 || faults.length > 0) return undefined;
  const pieces = new Preparation(template, tags, options).pieces(nodes);
  return (variables, rendering) => {
    const output = new Output(options, rendering, variables);
    try {
      output.write(pieces);
      return output.text;
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
  readonly #parts: readonly Part[];
  #nextPart = 0;

  constructor(template: string, tags: readonly Tag[], options: WriterOptions) {
    this.#template = template;
    this.#tags = tags;
    this.#options = options;
    this.#slots = options.slots?.(template, tags) ?? [];
    this.#parts = options.optional ?? [];
  }

  /** The pieces of nodes that stand side by side; ask for them in the order of the text. */
  pieces(nodes: readonly Node[]): Piece[] {
    const pieces: Piece[] = [];
    let group: { part: Part; pieces: Piece[] } | undefined;
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
            into.push(this.#text(at, end));
            at = end;
          }
          break;
        case "value": {
          const tag = this.#tags[node.tag];
          target(tag?.start ?? 0).push({
            kind: "value",
            name: tag?.name ?? "",
            expression: node.expression,
            slot: this.#slots[node.tag],
          });
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

  #text(start: number, end: number): Piece {
    const text = this.#options.clean(this.#template.slice(start, end));
    return { kind: "text", text, size: this.#options.measure(text) };
  }

  #partAt(offset: number): Part | undefined {
    let part = this.#parts[this.#nextPart];
    while (part !== undefined && part.end <= offset) part = this.#parts[++this.#nextPart];
    return part !== undefined && part.start <= offset ? part : undefined;
  }

  /** Where the part that an offset stands in ends, or the next one begins. */
  #boundaryBehind(offset: number): number {
    const part = this.#parts[this.#nextPart];
    if (part === undefined) return Number.POSITIVE_INFINITY;
    return part.start <= offset ? part.end : part.start;
  }
}

class Output implements Scope {
  text = "";
  readonly variables: Record<string, unknown>;
  readonly rendering: Rendering;
  readonly frames: Frame[] = [];
  readonly escapes: boolean;
  readonly plainBlanks: boolean;
  readonly #options: WriterOptions;
  #room: number;

  constructor(options: WriterOptions, rendering: Rendering, variables: Record<string, unknown>) {
    this.#options = options;
    this.#room = options.limit;
    this.rendering = rendering;
    this.variables = variables;
    this.escapes = options.escapes === true;
    this.plainBlanks = options.plainBlanks === true;
  }

  write(pieces: readonly Piece[]): void {
    for (const piece of pieces) {
      spend(this.rendering, 1);
      switch (piece.kind) {
        case "text":
          this.#add(piece.text, piece.size);
          break;
        case "value":
          this.#addValue(this.#value(piece));
          break;
        case "optional":
          this.#optional(piece.pieces);
          break;
        case "if":
          this.#branch(piece);
          break;
        case "for":
          this.#loop(piece);
          break;
      }
    }
  }

  #add(text: string, size: number): void {
    this.#room -= size;
    if (this.#room < 0) throw new RenderingEnded();
    this.text += text;
  }

  #addValue(text: string): void {
    if (text !== "") this.#add(text, this.#options.measure(text));
  }

  /** What a value is written as, in its slot. */
  #value({ name, expression, slot }: Extract<Piece, { kind: "value" }>): string {
    const { rendering } = this;
    const text = valueText(expression, name, this);
    rendering.workLeft -= text.length;
    if (rendering.workLeft < 0) throw new RenderingEnded();
    const value = this.#options.clean(text);
    // Twice: a code point may be two of a string's units.
    if (value.length > 2 * this.#room) throw new RenderingEnded();
    if (slot === undefined) return value;
    if (value.length <= slot.longest) rendering.workLeft -= value.length;
    if (rendering.workLeft < 0) throw new RenderingEnded();
    const written = slot.write(value, rendering);
    return expression.breaks && slot.breaks ? written.replace(/\r?\n/g, "<br />\n") : written;
  }

  /** Left out whole where its first value is written as nothing. */
  #optional(pieces: readonly Piece[]): void {
    const first = pieces.findIndex(({ kind }) => kind === "value");
    const piece = pieces[first];
    if (piece?.kind !== "value") {
      this.write(pieces);
      return;
    }
    const text = this.#value(piece);
    if (text === "") return;
    this.write(pieces.slice(0, first));
    this.#addValue(text);
    this.write(pieces.slice(first + 1));
  }

  #branch({ branches }: Extract<Piece, { kind: "if" }>): void {
    for (const { condition, negated, body } of branches) {
      if (condition === undefined || evaluateCondition(condition, this) !== negated) {
        this.write(body);
        return;
      }
    }
  }

  #loop({ loop, body, otherwise }: Extract<Piece, { kind: "for" }>): void {
    const list = listOf(evaluate(loop.list, this), this.rendering);
    if (list.length === 0) {
      this.write(otherwise);
      return;
    }
    const length = limited(list.length, loop.limit, this);
    const frame: Frame = { item: undefined, index: 0, length };
    this.frames.push(frame);
    for (let index = 0; index < length; index++) {
      spend(this.rendering, 1);
      frame.item = list.at(index);
      frame.index = index;
      this.write(body);
    }
    this.frames.pop();
  }
}

interface Items {
  length: number;
  at(index: number): unknown;
}

/** What a loop runs over: a list, the pairs of an object, a text as one item. */
function listOf(value: unknown, rendering: Rendering): Items {
  if (Array.isArray(value)) return value;
  if (typeof value === "string" && value !== "") return [value];
  if (!isObject(value)) return [];
  const keys = keysOf(value, rendering);
  return { length: keys.length, at: (index) => [keys[index], value[keys[index] ?? ""]] };
}

/** As many turns as a limit leaves: all where it is missing, none where it is no number or less than 0. */
function limited(length: number, limit: Operand | undefined, scope: Scope): number {
  if (limit === undefined) return length;
  const value = evaluate(limit, scope);
  if (value === undefined || value === null) return length;
  return Math.max(0, Math.min(length, Math.trunc(countOf(value, scope.rendering))));
}
