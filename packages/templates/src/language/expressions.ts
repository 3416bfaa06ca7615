/** The syntax tree of a template. */

import type { Rendering } from "./rendering.ts";

/** The keywords `nil`, `empty` and `blank`, which have their own rules of comparison. */
export const NIL = Symbol("nil");
export const EMPTY = Symbol("empty");
export const BLANK = Symbol("blank");

export interface NameOperand {
  kind: "name";
  /** The name as the template writes it. */
  name: string;
  /** The loop whose item it begins with, counted from the outermost; undefined for a variable. */
  loop: number | undefined;
  /** The name to look up in the item or in the variables. Empty for the item itself. */
  key: string;
  path: readonly string[];
}

export type Operand =
  | { kind: "literal"; value: unknown }
  | NameOperand
  | { kind: "forloop"; loop: number; field: "first" | "last" | "index" };

export interface FilterCall {
  name: string;
  filter: Filter;
  arguments: readonly Operand[];
  keywords: readonly (readonly [string, Operand])[];
}

export interface ValueExpression {
  operand: Operand;
  filters: readonly FilterCall[];
  /** Whether its line ends become `<br>` where HTML allows it. */
  breaks: boolean;
  /** Whether the filter `default` replaces a missing value. */
  hasDefault: boolean;
}

export type Comparator = "==" | "!=" | "<" | ">" | "<=" | ">=" | "contains";

export interface Comparison {
  left: Operand;
  /** Undefined: the condition is whether the left side is true. */
  comparator: Comparator | undefined;
  right: Operand | undefined;
  /** How it is joined with the rest of the condition: Liquid evaluates from right to left. */
  join: "and" | "or" | undefined;
}

export type Condition = readonly Comparison[];

export interface Loop {
  /** Its number, counted from the outermost of those around it. */
  loop: number;
  /** The name of its items. */
  item: string;
  list: NameOperand;
  limit: Operand | undefined;
}

/** A text has its offsets, a value the index of its tag. */
export type Node =
  | { kind: "text"; start: number; end: number }
  | { kind: "value"; tag: number; expression: ValueExpression }
  | { kind: "if"; start: number; branches: readonly Branch[] }
  | { kind: "for"; start: number; loop: Loop; body: readonly Node[]; otherwise: readonly Node[] };

export interface Branch {
  /** Undefined: `else`. */
  condition: Condition | undefined;
  /** For `unless`: taken if the condition is false. */
  negated: boolean;
  body: readonly Node[];
}

/** The place at which a filtered value is written. */
export interface FilterPlace {
  /** The place escapes values itself. */
  escapes: boolean;
  /** No-break spaces become plain ones, because they would double the price of a short message. */
  plainBlanks: boolean;
}

export interface FilterUse extends FilterPlace {
  rendering: Rendering;
}

export interface Call {
  arguments: readonly Operand[];
  keywords: readonly (readonly [string, Operand])[];
}

export interface Filter {
  /** The fault of a call; undefined if it has none. */
  fault(call: Call): string | undefined;
  /** Applies the filter. It counts the characters that it reads and writes besides the value and the result. */
  apply(
    value: unknown,
    values: readonly unknown[],
    keywords: Readonly<Record<string, unknown>>,
    use: FilterUse,
    /** The name of the variable that the tag begins with. */
    name: string,
  ): unknown;
}
