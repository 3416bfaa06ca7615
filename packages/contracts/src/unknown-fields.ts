import type { TSchema } from "@sinclair/typebox";
import { nearestName } from "./nearest-name.ts";

/** The maximum of unknown fields that one check lists, because each may be compared with every known one. */
export const MAX_UNKNOWN = 20;
const NONE: readonly string[] = [];

/** Returns the first fields of a value that the object's schema does not have. */
export function unknownFields(
  { properties }: TSchema,
  value: Readonly<Record<string, unknown>>,
): readonly string[] {
  let names: string[] | undefined;
  for (const name in value) {
    if (Object.hasOwn(properties, name) || value[name] === undefined) continue;
    names ??= [];
    if (names.push(name) === MAX_UNKNOWN) break;
  }
  return names ?? NONE;
}

/** Returns the fault of an unknown field, without the field's name. */
export function unknownFault(name: string, known: readonly string[]): string {
  const near = nearestName(name, known);
  return near === undefined ? "is not a field" : `is not a field; did you mean ${near}?`;
}

const MAX_NAME_CHARACTERS = 64;

/** Returns a client's name in a form for answers: short, and without control characters. */
export function shownName(name: string): string {
  return name.slice(0, MAX_NAME_CHARACTERS).replaceAll(/[\p{C}\s]/gu, "?");
}
