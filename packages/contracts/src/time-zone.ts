/** A zone of the IANA database, as `Europe/Berlin`, and a time of day in it. */

/** After a field's name. */
export const NO_TIME_ZONE =
  "must be an IANA name, as Europe/Berlin or UTC, not an abbreviation such as IST";
export const TIME_OF_DAY_PATTERN = "^([01][0-9]|2[0-3]):[0-5][0-9]$";
/** After a field's name. */
export const NO_TIME_OF_DAY = "must be a time of day, as 22:00";

const MAX_KNOWN = 1000;
/** An offset, as +01:00, is no zone: it knows no summer time. */
const FORM = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;
const TIME_OF_DAY = new RegExp(TIME_OF_DAY_PATTERN);
const known = new Map<string, string>();

/** A zone by its IANA name, in its own letters; undefined: Intl knows none of this name. */
export function timeZoneName(text: string): string | undefined {
  const name = known.get(text) ?? (FORM.test(text) ? lookUp(text) : undefined);
  // A look takes 30 µs, and a list of users names the same zones again and again.
  if (name !== undefined && known.size < MAX_KNOWN) known.set(text, name);
  return name;
}

function lookUp(text: string): string | undefined {
  try {
    const { timeZone } = new Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions();
    // An older name of a zone stays what the person wrote.
    return timeZone.toLowerCase() === text.toLowerCase() ? timeZone : text;
  } catch {
    return undefined;
  }
}

export function isTimeOfDay(text: string): boolean {
  return TIME_OF_DAY.test(text);
}

/** A time of day as Postgres gives it, `22:00:00`, as people write it. */
export function timeOfDay(time: string): string {
  return time.slice(0, "22:00".length);
}
