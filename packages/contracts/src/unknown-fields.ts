import { nearestName } from "./nearest-name.ts";

/** Returns the fault of an unknown field, without its name. */
export function unknownFault(name: string, known: readonly string[]): string {
  const near = nearestName(name, known);
  return near === undefined ? "is not a field" : `is not a field; did you mean ${near}?`;
}

const MAX_NAME_CHARACTERS = 64;

/** Returns a client's name in a form for answers: short, and without control characters. */
export function shownName(name: string): string {
  return name.slice(0, MAX_NAME_CHARACTERS).replaceAll(/[\p{C}\s]/gu, "?");
}
