import type { TUnsafe } from "@sinclair/typebox";
import { field } from "./fields.ts";
import { isTimeOfDay, NO_TIME_OF_DAY, TIME_OF_DAY_PATTERN, timeOfDay } from "./time-zone.ts";

/**
 * When nothing that makes a noise is sent, by the clock of the recipient's zone: from `from` up to `to`, past
 * midnight where `to` is the earlier of the two. What a change of the clock does to them stands in
 * functions/quiet-hours.sql of the database.
 */
export interface QuietHours {
  /** As 22:00. */
  from: string;
  to: string;
}

const TIME = { type: "string", pattern: TIME_OF_DAY_PATTERN };

/** Quiet hours, or null for none. */
export function quietHoursOrNone(description: string): TUnsafe<QuietHours | null> {
  const keywords = {
    type: ["object", "null"],
    properties: { from: TIME, to: TIME },
    required: ["from", "to"],
    description,
    examples: [{ from: "22:00", to: "06:00" }, null],
  };
  return field(keywords, (value) => (value === null ? undefined : quietHoursFault(value)));
}

/** As Postgres gives the two, `22:00:00`. */
export function quietHoursOf(from: string | null, to: string | null): QuietHours | null {
  return from === null || to === null ? null : { from: timeOfDay(from), to: timeOfDay(to) };
}

/** What is wrong with them, after their field's name; undefined: nothing. */
export function quietHoursFault(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return 'must be an object, as {"from": "22:00", "to": "06:00"}';
  }
  const { from, to } = value as Record<string, unknown>;
  if (typeof from !== "string" || !isTimeOfDay(from)) return `from ${NO_TIME_OF_DAY}`;
  if (typeof to !== "string" || !isTimeOfDay(to)) return `to ${NO_TIME_OF_DAY}`;
  return from === to ? "from and to must not be the same time" : undefined;
}
