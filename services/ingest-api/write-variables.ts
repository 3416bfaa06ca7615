import { hasChangingNumber, parseAsWritten } from "@belfry/templates/numbers-as-written";
import type { Trigger } from "./read-trigger.ts";

const NAME = '"variables":';

/**
 * The variables of a checked trigger as they are stored, each number as it stands in the body: an order
 * number of 19 digits, a price of 10.10. Where a number would change, `trigger.variables` is replaced
 * by what holds it as written.
 */
export function writeVariables(trigger: Trigger, body: string): string | null {
  if (trigger.variables === null) return null;
  const text = JSON.stringify(trigger.variables);
  // Most clients send what would be written, to the letter: nothing has changed, and nothing is read.
  const at = body.indexOf(NAME) + NAME.length;
  if (body.slice(at, at + text.length) === text) return text;
  if (!hasChangingNumber(body)) return text;
  trigger.variables = (parseAsWritten(body) as Trigger).variables;
  return JSON.stringify(trigger.variables);
}
