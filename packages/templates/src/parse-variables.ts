import { parseAsWritten } from "./numbers-as-written.ts";

/** The values for a template that a JSON object holds, its numbers as written; undefined for any other text. */
export function parseVariables(json: string): Record<string, unknown> | undefined {
  try {
    const value = parseAsWritten(json);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    // A number alone, kept as it is written.
    return JSON.isRawJSON(value) ? undefined : (value as Record<string, unknown>);
  } catch {
    return undefined;
  }
}
