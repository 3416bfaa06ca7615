/** Finds values by name, reads them as text and numbers, and compares them as LiquidJS does. */

import { BLANK, type Comparator, EMPTY, NIL } from "./expressions.ts";
import { type Rendering, RenderingEnded, spend, spendCharacters } from "./rendering.ts";

/** Whether a value counts as true: all values except a missing one, null and false. 0 and an empty text are true. */
export function isTruthy(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && value !== NIL;
}

/** Returns a value as text. Lists and objects become JSON; its characters are subtracted from `workLeft`. */
export function textOf(value: unknown, rendering: Rendering): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return variableText(value);
  if (JSON.isRawJSON(value)) return rawText(value, rendering);
  // To find cycles, JSON.stringify compares each object with all objects around it: its time grows with depth squared.
  spendWork(depthOf(value, rendering) ** 2, rendering);
  const text = variableText(value);
  spendWork(text.length, rendering);
  return text;
}

function spendWork(characters: number, rendering: Rendering): void {
  rendering.workLeft -= characters;
  if (rendering.workLeft < 0) throw new RenderingEnded();
}

/** Returns a value as a number, including numbers that are kept as written; undefined for any other value. */
export function numberOf(value: unknown, rendering: Rendering): number | undefined {
  if (typeof value === "number") return value;
  return JSON.isRawJSON(value) ? Number(rawText(value as object, rendering)) : undefined;
}

/** Returns a limit or a length as a number; quotes are allowed. Anything that is not a number is 0. */
export function countOf(value: unknown, rendering: Rendering): number {
  const number =
    typeof value === "string" ? Number(value.slice(0, 20)) : numberOf(value, rendering);
  return Number.isNaN(number) ? 0 : (number ?? 0);
}

/** Returns a number as written. Its length is limited only by the size of the request, so reading it uses steps. */
function rawText(value: object, rendering: Rendering): string {
  const text = (value as { rawJSON: string }).rawJSON;
  spendCharacters(rendering, text.length);
  return text;
}

/** Returns the keys of an object. They are read once per message. */
export function keysOf(value: object, rendering: Rendering): readonly string[] {
  rendering.keys ??= new Map();
  let keys = rendering.keys.get(value);
  if (keys === undefined) {
    keys = Object.keys(value);
    spendCharacters(rendering, keys.length);
    rendering.keys.set(value, keys);
  }
  return keys;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)
  );
}

export function compare(
  left: unknown,
  comparator: Comparator,
  right: unknown,
  rendering: Rendering,
): boolean {
  switch (comparator) {
    case "==":
      return areEqual(left, right, rendering);
    case "!=":
      return !areEqual(left, right, rendering);
    case "contains":
      return contains(left, right, rendering);
    default:
      return isInOrder(left, comparator, right, rendering);
  }
}

/** Two lists are equal if their items are. As in LiquidJS, an object equals only itself. Does not recurse. */
function areEqual(left: unknown, right: unknown, rendering: Rendering): boolean {
  if (!Array.isArray(left) || !Array.isArray(right)) return isEqual(left, right, rendering);
  const pairs: [unknown, unknown][] = [[left, right]];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [one, other] = pair;
    if (Array.isArray(one) && Array.isArray(other)) {
      if (one.length !== other.length) return false;
      spend(rendering, one.length);
      for (const [index, item] of one.entries()) pairs.push([item, other[index]]);
    } else if (!isEqual(one, other, rendering)) {
      return false;
    }
  }
  return true;
}

function isEqual(left: unknown, right: unknown, rendering: Rendering): boolean {
  if (typeof left === "symbol") return matchesKeyword(left, right, rendering);
  if (typeof right === "symbol") return matchesKeyword(right, left, rendering);
  if (typeof left === "string" && typeof right === "string" && left.length === right.length) {
    spendCharacters(rendering, left.length);
  }
  return left === right || comparable(left, rendering) === comparable(right, rendering);
}

/** Numbers are compared by value, not as written. A missing value counts as null. */
function comparable(value: unknown, rendering: Rendering): unknown {
  return numberOf(value, rendering) ?? value ?? null;
}

/** Whether a value is `nil`, `empty` or `blank`. */
function matchesKeyword(word: symbol, value: unknown, rendering: Rendering): boolean {
  if (word === NIL) return value === undefined || value === null || value === NIL;
  if (typeof value === "symbol") return word === BLANK && value === NIL;
  if (word === BLANK && !isTruthy(value)) return true;
  if (typeof value === "string") {
    if (word === EMPTY || value === "") return value === "";
    spendCharacters(rendering, value.length);
    return /^\s*$/.test(value);
  }
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && keysOf(value, rendering).length === 0;
}

/** Orders numbers by size and texts by code unit. Between a number and a text, the text is read as a number. */
function isInOrder(left: unknown, comparator: Comparator, right: unknown, rendering: Rendering) {
  const one = orderable(left, rendering);
  const other = orderable(right, rendering);
  if (one === undefined || other === undefined) return false;
  if (typeof one === "string") spendCharacters(rendering, one.length);
  if (typeof other === "string") spendCharacters(rendering, other.length);
  switch (comparator) {
    case "<":
      return one < other;
    case ">":
      return one > other;
    case "<=":
      return one <= other;
    default:
      return one >= other;
  }
}

function orderable(value: unknown, rendering: Rendering): string | number | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return Number(value);
  return numberOf(value, rendering);
}

function contains(left: unknown, right: unknown, rendering: Rendering): boolean {
  if (Array.isArray(left)) {
    return left.some((item) => {
      spend(rendering, 1);
      return areEqual(item, right, rendering);
    });
  }
  const text = asText(left, false);
  const sought = asText(right, true);
  if (text === undefined || sought === undefined) return false;
  spendCharacters(rendering, text.length + sought.length);
  return includesText(text, sought);
}

/** Returns the text in which `contains` searches, or (`isSought`) the text to find; undefined if it cannot be one. */
function asText(value: unknown, isSought: boolean): string | undefined {
  if (value === EMPTY || value === BLANK) return "";
  if (typeof value === "string") return value;
  const isPlain = isTruthy(value) && (typeof value !== "object" || JSON.isRawJSON(value));
  return isSought && isPlain ? variableText(value) : undefined;
}

/** Returns the greatest depth of nested lists and objects. Does not recurse, because the depth has no limit. */
function depthOf(value: object, rendering: Rendering): number {
  rendering.depths ??= new Map();
  const known = rendering.depths.get(value);
  if (known !== undefined) return known;
  let depth = 0;
  let level: object[] = [value];
  while (level.length > 0) {
    depth += 1;
    if (depth ** 2 > rendering.workLeft) spendWork(depth ** 2, rendering);
    const next: object[] = [];
    for (const container of level) {
      for (const inner of Object.values(container)) {
        if (typeof inner === "object" && inner !== null) next.push(inner);
      }
    }
    level = next;
  }
  rendering.depths.set(value, depth);
  return depth;
}

/**
 * Finds the value of a name: first by the whole name as a key, then key by key along its dots (in arrays by index).
 * Returns undefined if there is none. Reads only own properties, so `constructor` is found only if the tenant sent it.
 */
export function findVariable(
  variables: Readonly<Record<string, unknown>>,
  name: string,
  path: readonly string[],
): unknown {
  if (Object.hasOwn(variables, name)) return variables[name];
  if (path.length === 1) return undefined;
  let value: unknown = variables;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    // A number that is kept as written has no properties.
    if (JSON.isRawJSON(value)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** Returns a value as text: objects and arrays as JSON, null and a missing value as an empty text. */
export function variableText(value: unknown): string {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
    case "boolean":
    case "bigint":
      return String(value);
    case "object":
      return value === null ? "" : jsonText(value);
    default:
      return "";
  }
}

function jsonText(value: object): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    // The value contains a cycle or a bigint. JSON has neither, so it does not come from a tenant.
    return "";
  }
}

/**
 * Up to this length of the sought text, in characters, the engine's own search is fast enough. For longer ones, its
 * time may grow with the product of both lengths.
 */
const SHORT = 32;

export function includesText(text: string, sought: string): boolean {
  if (sought.length <= SHORT) return text.includes(sought);
  if (sought.length > text.length) return false;
  // Knuth-Morris-Pratt: `back` holds the length of the longest border of each prefix.
  const back = new Int32Array(sought.length);
  for (let at = 1, length = 0; at < sought.length; at++) {
    const code = sought.charCodeAt(at);
    while (length > 0 && sought.charCodeAt(length) !== code) length = back[length - 1] ?? 0;
    if (sought.charCodeAt(length) === code) length++;
    back[at] = length;
  }
  for (let at = 0, length = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    while (length > 0 && sought.charCodeAt(length) !== code) length = back[length - 1] ?? 0;
    if (sought.charCodeAt(length) === code && ++length === sought.length) return true;
  }
  return false;
}
