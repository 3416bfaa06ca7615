/** Evaluates names, conditions and filtered values. */

import type { Condition, FilterUse, Operand, ValueExpression } from "./expressions.ts";
import { type Rendering, spend, spendCharacters } from "./rendering.ts";
import { compare, findVariable, isObject, isTruthy, keysOf, textOf } from "./values.ts";

/** One turn of a loop. */
export interface Frame {
  item: unknown;
  /** Counts from 0. */
  index: number;
  length: number;
}

export interface Scope extends FilterUse {
  variables: Record<string, unknown>;
  /** The current loops, the outermost first. */
  frames: readonly Frame[];
}

/** An operand's value; undefined if it is missing. `nil`, `empty` and `blank` are symbols. */
export function evaluate(operand: Operand, scope: Scope): unknown {
  switch (operand.kind) {
    case "literal":
      return operand.value;
    case "forloop": {
      const { index, length } = scope.frames[operand.loop] ?? { index: 0, length: 0 };
      if (operand.field === "index") return index + 1;
      return operand.field === "first" ? index === 0 : index === length - 1;
    }
    case "name": {
      const { loop, key, path } = operand;
      const { variables, rendering } = scope;
      if (path.length > 1) spend(rendering, path.length - 1);
      if (loop !== undefined) {
        const item = scope.frames[loop]?.item;
        if (key === "") return item;
        const own = isObject(item) && path.length > 1 ? findVariable(item, key, path) : undefined;
        return own ?? walk(item, path, rendering);
      }
      const found = find(variables, key, path, rendering);
      const { system } = rendering;
      if (found !== undefined || system === undefined || !key.startsWith("$")) return found;
      return find(system, key, path, rendering);
    }
  }
}

/** Whether a condition is true. As in Liquid, `and` and `or` are evaluated from right to left. */
export function evaluateCondition(condition: Condition, scope: Scope): boolean {
  let result = false;
  for (let at = condition.length - 1; at >= 0; at--) {
    const comparison = condition[at];
    if (comparison === undefined) continue;
    const { left, comparator, right, join } = comparison;
    spend(scope.rendering, 1);
    if (join === "and" && !result) continue;
    if (join === "or" && result) continue;
    const value = evaluate(left, scope);
    result =
      comparator === undefined || right === undefined
        ? isTruthy(value)
        : compare(value, comparator, evaluate(right, scope), scope.rendering);
  }
  return result;
}

/** The text of a value after its filters. */
export function valueText(expression: ValueExpression, name: string, scope: Scope): string {
  return textOf(filteredValue(expression, name, scope), scope.rendering);
}

/** A value after its filters. A missing variable is recorded. */
export function filteredValue(expression: ValueExpression, name: string, scope: Scope): unknown {
  const { operand, filters, hasDefault } = expression;
  const { rendering } = scope;
  let value = evaluate(operand, scope);
  // Most values: a text without filters.
  if (typeof value === "string" && filters.length === 0) return value;
  if (value === undefined && !hasDefault) {
    rendering.missing.add(name);
    if (rendering.mark !== undefined) return rendering.mark(name);
  }
  for (const { filter, arguments: given, keywords } of filters) {
    spend(rendering, 1);
    const values = given.map((argument) => plain(evaluate(argument, scope)));
    const named: Record<string, unknown> = {};
    for (const [keyword, argument] of keywords) named[keyword] = plain(evaluate(argument, scope));
    value = filter.apply(value, values, named, scope, name);
    if (typeof value === "string") spendCharacters(rendering, value.length);
  }
  return value;
}

/** The keywords as values: `nil` is null, the others an empty text. */
function plain(value: unknown): unknown {
  if (typeof value !== "symbol") return value;
  return value.description === "nil" ? null : "";
}

/** Finds a value as `findVariable` does, else by Liquid's properties size, first and last. */
function find(
  root: Readonly<Record<string, unknown>>,
  key: string,
  path: readonly string[],
  rendering: Rendering,
): unknown {
  const found = findVariable(root, key, path);
  if (found !== undefined || path.length === 1) return found;
  // The first step is a variable's name: all variables together have no size.
  const [first = "", ...rest] = path;
  return Object.hasOwn(root, first) ? walk(root[first], rest, rendering) : undefined;
}

function walk(value: unknown, path: readonly string[], rendering: Rendering): unknown {
  let at = value;
  for (const step of path) {
    at = property(at, step, rendering);
    if (at === undefined) return undefined;
  }
  return at;
}

function property(value: unknown, key: string, rendering: Rendering): unknown {
  if (typeof value === "string") return key === "size" ? value.length : undefined;
  if (typeof value !== "object" || value === null || JSON.isRawJSON(value)) return undefined;
  if (Array.isArray(value)) {
    if (key === "size") return value.length;
    if (key === "first") return value[0];
    if (key === "last") return value.at(-1);
  }
  if (Object.hasOwn(value, key)) return (value as Record<string, unknown>)[key];
  return key === "size" ? keysOf(value, rendering).length : undefined;
}
