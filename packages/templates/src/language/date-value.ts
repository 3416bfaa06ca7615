/**
 * What `date` reads: ISO 8601, seconds since 1970 of nine digits or more, and what languages and databases write of a
 * moment by themselves. A form that may mean two days, as 01/02/2026, or two zones, as CST, is none of them.
 */

export interface DateValue {
  /** Milliseconds since 1970. */
  at: number;
  /** Whether it is a moment, which each zone writes in its own way, and not a date or time as such. */
  hasZone: boolean;
}

interface Fields {
  year: string;
  month: string | number;
  day: string;
  hour?: string | undefined;
  minute?: string | undefined;
  second?: string | undefined;
  /** As `Wed`. */
  weekday?: string | undefined;
  /** What stands behind the time. */
  zone?: string | undefined;
}

/** Long enough for a moment of Java with nanoseconds and the longest name of a zone. */
const MAX_CHARACTERS = 80;
const SECONDS = /^-?\d{9,13}(?:\.\d{1,9})?$/;
/** Numbers from here on are milliseconds: as seconds they would be in the year 5138 or later. */
const FIRST_MILLISECONDS = 100_000_000_000;

const TIME = String.raw`(?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d)(?:[.,]\d{1,9})?)?`;
const WEEKDAY = "(?<weekday>Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
const MONTH = "(?<month>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)";
const YEAR = String.raw`(?<year>\d{4})`;

const FORMS = [
  // ISO 8601 and RFC 3339; Postgres, Ruby, Go, Python, Java's ZonedDateTime. The year comes first, by slashes too.
  String.raw`${YEAR}([-/])(?<month>\d\d)\2(?<day>\d\d)(?:[Tt ]${TIME}(?<zone>.*))?`,
  // RFC 2822 and the Date of HTTP.
  String.raw`(?:${WEEKDAY}, ?)?(?<day>\d{1,2}) ${MONTH} ${YEAR} ${TIME}(?<zone>.*)`,
  // Java's Date, ctime, Unix.
  String.raw`${WEEKDAY} ${MONTH} {1,2}(?<day>\d{1,2}) ${TIME}(?<zone> \S{1,9})? ${YEAR}`,
  // JavaScript's Date.
  String.raw`${WEEKDAY} ${MONTH} (?<day>\d\d) ${YEAR} ${TIME}(?<zone>.*)`,
].map((form) => new RegExp(`^${form}$`));

/** Of Go the name behind the offset and the reading of its clock; of Java the zone's name; of JavaScript a comment. */
const ZONE =
  /^ ?(?:([Zz]|UTC|UT|GMT)|(?:UTC|GMT)?([+-])(\d\d)(?::?(\d\d)(?::\d\d)?)?)(?: (?!(?:BC|AD|AM|PM)\b)(?:[A-Z]{1,5}|[+-]\d{2,4}))?(?: m=[+-]\d{1,20}\.\d{1,9}|\[[A-Za-z0-9_+/-]{1,50}\]| ?\([^()]{1,60}\))?$/;

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/** Undefined where the text is no date, or could be another one. */
export function readDate(text: string): DateValue | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  const written = text.trim();
  if (SECONDS.test(written)) {
    const number = Number(written);
    const at = Math.abs(number) < FIRST_MILLISECONDS ? number * 1000 : number;
    return { at, hasZone: true };
  }
  for (const form of FORMS) {
    const fields = form.exec(written)?.groups;
    if (fields !== undefined) return dateOf(fields as unknown as Fields);
  }
  return undefined;
}

function dateOf(fields: Fields): DateValue | undefined {
  const { year, month, day, hour = "0", minute = "0", second = "0", weekday, zone = "" } = fields;
  const offset = zone === "" ? 0 : offsetMinutes(zone);
  if (offset === undefined) return undefined;
  const named = MONTHS.indexOf(String(month));
  const [y, m, d, h, min, s] = [
    ...[Number(year), named === -1 ? Number(month) - 1 : named, Number(day)],
    ...[Number(hour), Number(minute), Number(second)],
  ] as [number, number, number, number, number, number];
  const date = new Date(0);
  date.setUTCFullYear(y, m, d);
  if (weekday !== undefined && WEEKDAYS[date.getUTCDay()] !== weekday) return undefined;
  // What rolls over is no date: the 30th of February, 25 o'clock. A leap second is the next one.
  if (date.getUTCMonth() !== m || date.getUTCDate() !== d) return undefined;
  if (h > 23 || min > 59 || s > 60) return undefined;
  date.setUTCHours(h, min, s);
  return { at: date.getTime() - offset * 60_000, hasZone: zone !== "" };
}

/** Undefined: it is a zone by a name that several have, or none. */
function offsetMinutes(zone: string): number | undefined {
  const match = ZONE.exec(zone);
  if (match === null) return undefined;
  const [, , sign, hours = 0, minutes = 0] = match;
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  return (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -1 : 1);
}
