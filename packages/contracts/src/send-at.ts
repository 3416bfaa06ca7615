import type { TUnsafe } from "@sinclair/typebox";
import { field } from "./fields.ts";

const FORM =
  /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;
export const NO_SEND_AT =
  "must be a time with its offset in ISO 8601, as 2026-11-20T09:30:00+01:00";

/** A time in ISO 8601 with an offset, to the millisecond; undefined: it is none, or of a day that no month has. */
export function momentOf(text: string): Date | undefined {
  const parts = FORM.exec(text);
  if (parts === null) return undefined;
  const [, year, month, day] = parts.map(Number) as [number, number, number, number];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  // The 30th of February is another day.
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  return new Date(text);
}

/** When something is to be sent. */
export function sendAt(words: { description: string }): TUnsafe<string> {
  const keywords = { type: "string", format: "date-time", ...words };
  return field({ ...keywords, examples: ["2026-11-20T09:30:00+01:00"] }, (value) =>
    typeof value === "string" && momentOf(value) !== undefined ? undefined : NO_SEND_AT,
  );
}

/** From its acceptance, in whole seconds. */
export function delaySeconds(words: { description: string }): TUnsafe<number> {
  const keywords = { type: "integer", minimum: 0, ...words };
  return field({ ...keywords, examples: [3600] }, (value) =>
    Number.isSafeInteger(value) && (value as number) >= 0
      ? undefined
      : "must be an integer of at least 0",
  );
}
