/** What `date` reads: ISO 8601, or seconds since 1970, of nine digits or more. */

export interface DateValue {
  /** Milliseconds since 1970. */
  at: number;
  /** Whether it is a moment, which each zone writes in its own way, and not a date or time as such. */
  hasZone: boolean;
}

const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d{1,9})?)?(?:([Zz])|([+-])(\d\d):?(\d\d))?)?$/;
const SECONDS = /^-?\d{9,13}(?:\.\d{1,9})?$/;
/** Numbers from here on are milliseconds: as seconds they would be in the year 5138 or later. */
const FIRST_MILLISECONDS = 100_000_000_000;
const MAX_CHARACTERS = 40;

export function readDate(text: string): DateValue | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  if (SECONDS.test(text)) {
    const number = Number(text);
    const at = Math.abs(number) < FIRST_MILLISECONDS ? number * 1000 : number;
    return { at, hasZone: true };
  }
  const match = ISO.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour = "0", minute = "0", second = "0", utc, sign, hours, minutes] =
    match;
  const [y, m, d, h, min, s] = [year, month, day, hour, minute, second].map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const date = new Date(0);
  date.setUTCFullYear(y, m - 1, d);
  date.setUTCHours(h, min, s);
  // What rolls over is no date: the 30th of February, 25 o'clock. A leap second is the next one.
  if (date.getUTCMonth() !== m - 1 || date.getUTCDate() !== d || h > 23 || min > 59 || s > 60) {
    if (!(s === 60 && h < 24 && min < 60)) return undefined;
  }
  const offset = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * (sign === "-" ? -1 : 1);
  return {
    at: date.getTime() - offset * 60_000,
    hasZone: utc !== undefined || sign !== undefined,
  };
}
