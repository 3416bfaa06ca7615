import type { TUnsafe } from "@sinclair/typebox";
import { field } from "./fields.ts";
import { shownName, unknownFault } from "./unknown-fields.ts";

// Zones of the IANA database, such as `Europe/Berlin`, and times of day in them.

/** Follows the field's name in a fault. */
export const NO_TIME_ZONE =
  "must be a time zone such as Europe/Berlin or UTC, not an abbreviation such as IST";
const TIME_OF_DAY_PATTERN = "^([01][0-9]|2[0-3]):[0-5][0-9]$";
/** Follows the field's name in a fault. */
const NO_TIME_OF_DAY = "must be a time of day, as 22:00";

const MAX_KNOWN = 1000;
/** An offset such as +01:00 is not accepted as a zone, because it has no daylight saving time. */
const FORM = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;
const TIME_OF_DAY = new RegExp(TIME_OF_DAY_PATTERN);
const known = new Map<string, string>();

/**
 * Returns the IANA name of a zone in its canonical case, an older name as written. Undefined if Intl knows no such
 * zone.
 */
export function timeZoneName(text: string): string | undefined {
  const name = known.get(text) ?? (FORM.test(text) ? lookUp(text) : undefined);
  // Cached, because a lookup takes 30 µs and a list of users repeats the same zones.
  if (name !== undefined && known.size < MAX_KNOWN) known.set(text, name);
  return name;
}

function lookUp(text: string): string | undefined {
  try {
    const { timeZone } = new Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions();
    // Intl returns the current name of a renamed zone. The name that the person wrote is kept.
    return timeZone.toLowerCase() === text.toLowerCase() ? timeZone : text;
  } catch {
    return undefined;
  }
}

function isTimeOfDay(text: string): boolean {
  return TIME_OF_DAY.test(text);
}

/** Converts a time of day from the form of Postgres, `22:00:00`, to `22:00`. */
function timeOfDay(time: string): string {
  return time.slice(0, "22:00".length);
}

/**
 * The period in which no message that alerts the recipient is sent, in the recipient's time zone: from `from` until
 * `to`, past midnight if `to` is earlier. See quiet-hours.sql in packages/database for days on which the clock changes.
 */
export interface QuietHours {
  /** A time such as 22:00. */
  from: string;
  to: string;
}

const TIME = { type: "string", pattern: TIME_OF_DAY_PATTERN };

/** Returns a type for quiet hours; null means that there are none. */
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

/** Returns quiet hours from two times in the form of Postgres, `22:00:00`; null if one is missing. */
export function quietHoursOf(from: string | null, to: string | null): QuietHours | null {
  return from === null || to === null ? null : { from: timeOfDay(from), to: timeOfDay(to) };
}

/** Returns the fault of quiet hours, without the field's name; undefined if there is none. */
export function quietHoursFault(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return 'must be an object, as {"from": "22:00", "to": "06:00"}';
  }
  const { from, to, ...others } = value as Record<string, unknown>;
  const [other] = Object.keys(others);
  if (other !== undefined) return `${shownName(other)} ${unknownFault(other, ["from", "to"])}`;
  if (typeof from !== "string" || !isTimeOfDay(from)) return `from ${NO_TIME_OF_DAY}`;
  if (typeof to !== "string" || !isTimeOfDay(to)) return `to ${NO_TIME_OF_DAY}`;
  return from === to ? "from and to must not be the same time" : undefined;
}
