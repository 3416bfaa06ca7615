/** How a tag's name finds its value, and how a value reads as text. */

import "../numbers-as-written.ts";

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
