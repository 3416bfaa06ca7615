/** What the tags of a template say, once they are read. */

import type { Rendering } from "./rendering.ts";

/** The words `nil`, `empty` and `blank`: compared by rules of their own. */
export const NIL = Symbol("nil");
export const EMPTY = Symbol("empty");
export const BLANK = Symbol("blank");

export interface NameOperand {
  kind: "name";
  /** As it is written. */
  name: string;
  /** The loop whose item it begins with, counted from the outermost; undefined for a variable. */
  loop: number | undefined;
  /** What is looked up in the item or in the variables, whole and along its dots. Empty: the item itself. */
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
  /** Whether its line ends become `<br>` where that can stand. */
  breaks: boolean;
  /** Whether it says itself what stands where there is no value. */
  hasDefault: boolean;
}

export type Comparator = "==" | "!=" | "<" | ">" | "<=" | ">=" | "contains";

export interface Comparison {
  left: Operand;
  /** Without one the left side's truth is asked for. */
  comparator: Comparator | undefined;
  right: Operand | undefined;
  /** How it is joined with all that follows: Liquid reads from right to left. */
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

/** A text is named by its offsets, a value by the index of its tag. */
export type Node =
  | { kind: "text"; start: number; end: number }
  | { kind: "value"; tag: number; expression: ValueExpression }
  | { kind: "if"; start: number; branches: readonly Branch[] }
  | { kind: "for"; start: number; loop: Loop; body: readonly Node[]; otherwise: readonly Node[] };

export interface Branch {
  /** Undefined: `else`. */
  condition: Condition | undefined;
  /** `unless`: taken where the condition is not so. */
  negated: boolean;
  body: readonly Node[];
}

/** Where a filtered value is written. */
export interface FilterPlace {
  /** The place escapes what is written there for itself. */
  escapes: boolean;
  /** Blanks that do not break become plain ones: they would double the price of a short message. */
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
  /** What is wrong with how a template calls it. */
  fault(call: Call): string | undefined;
  /** What it makes of a value. What it reads and writes beyond the two is counted by itself. */
  apply(
    value: unknown,
    values: readonly unknown[],
    keywords: Readonly<Record<string, unknown>>,
    use: FilterUse,
    /** Of the variable that the tag begins with. */
    name: string,
  ): unknown;
}
