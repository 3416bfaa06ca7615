/** How logic reads values: as texts, as numbers, as lists, and how it compares them. As LiquidJS does. */

import { BLANK, type Comparator, EMPTY, NIL } from "./expressions.ts";
import { type Rendering, RenderingEnded, spend, spendCharacters } from "./rendering.ts";

/** Only what is missing, null or false is not true: 0 and an empty text are. */
export function isTruthy(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && value !== NIL;
}

/** A value as text. Lists and objects are JSON, whose making is work. */
export function textOf(value: unknown, rendering: Rendering): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return variableText(value);
  if (JSON.isRawJSON(value)) return rawText(value, rendering);
  // JSON.stringify looks for each object among those around it.
  read(depthOf(value, rendering) ** 2, rendering);
  const text = variableText(value);
  read(text.length, rendering);
  return text;
}

function read(characters: number, rendering: Rendering): void {
  rendering.workLeft -= characters;
  if (rendering.workLeft < 0) throw new RenderingEnded();
}

/** A number of JSON, kept as it is written or not; undefined for everything else. */
export function numberOf(value: unknown, rendering: Rendering): number | undefined {
  if (typeof value === "number") return value;
  return JSON.isRawJSON(value) ? Number(rawText(value as object, rendering)) : undefined;
}

/** The number that a limit or a length is, in quotes or not: of what is none, 0. */
export function countOf(value: unknown, rendering: Rendering): number {
  const number =
    typeof value === "string" ? Number(value.slice(0, 20)) : numberOf(value, rendering);
  return Number.isNaN(number) ? 0 : (number ?? 0);
}

/** A number as it is written, which is as long as a request may be. */
function rawText(value: object, rendering: Rendering): string {
  const text = (value as { rawJSON: string }).rawJSON;
  spendCharacters(rendering, text.length);
  return text;
}

/** The keys of an object, read once a message. */
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

/** Lists are equal when their items are; objects, as in LiquidJS, when they are the same one. */
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
  if (typeof left === "symbol") return isWhat(left, right, rendering);
  if (typeof right === "symbol") return isWhat(right, left, rendering);
  if (typeof left === "string" && typeof right === "string" && left.length === right.length) {
    spendCharacters(rendering, left.length);
  }
  return left === right || comparable(left, rendering) === comparable(right, rendering);
}

/** Numbers by what they are, however they are written; what is missing as null. */
function comparable(value: unknown, rendering: Rendering): unknown {
  return numberOf(value, rendering) ?? value ?? null;
}

/** Whether a value is `nil`, `empty` or `blank`. */
function isWhat(word: symbol, value: unknown, rendering: Rendering): boolean {
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

/** Numbers by their size, texts by their letters; a text that is a number beside a number as one. */
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
  return isFoundIn(text, sought);
}

/** What `contains` looks in and looks for, other than lists. */
function asText(value: unknown, isSought: boolean): string | undefined {
  if (value === EMPTY || value === BLANK) return "";
  if (typeof value === "string") return value;
  const isPlain = isTruthy(value) && (typeof value !== "object" || JSON.isRawJSON(value));
  return isSought && isPlain ? variableText(value) : undefined;
}

/** How many lists and objects stand in another at most. Not by recursion: a value is as deep as it likes. */
function depthOf(value: object, rendering: Rendering): number {
  rendering.depths ??= new Map();
  const known = rendering.depths.get(value);
  if (known !== undefined) return known;
  let depth = 0;
  let level: object[] = [value];
  while (level.length > 0) {
    depth += 1;
    if (depth ** 2 > rendering.workLeft) read(depth ** 2, rendering);
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
 * Finds the value of a name: first the whole name as an own key, then step by step along its dots
 * through own properties (an array's by their index). `undefined` where there is none.
 * Nothing inherited is ever seen, so `constructor` is found only where a tenant sent it.
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
    // A number that is kept as it is written has nothing inside.
    if (JSON.isRawJSON(value)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** A value as text: strings, numbers and booleans as they read, objects and arrays as JSON, null as nothing. */
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
    // A cycle or a bigint: no JSON document can hold one, so no tenant sent it.
    return "";
  }
}

/** Up to here the engine's own search is bounded well enough; beyond it multiplies the two lengths. */
const SHORT = 32;

export function isFoundIn(text: string, sought: string): boolean {
  if (sought.length <= SHORT) return text.includes(sought);
  if (sought.length > text.length) return false;
  // Knuth, Morris, Pratt: `back` says how much of what was found is a beginning once more.
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
