import { UUID } from "@belfry/contracts/identifiers";
import { momentOf } from "@belfry/contracts/scheduled";

/** The most fields of a form or a query. The largest form of the pages has a few hundred. */
export const MAX_FORM_FIELDS = 2_000;

const OFFSET = /(Z|[+-]\d\d:\d\d)$/;

/**
 * Reads the time of a field or an address; undefined if it is not valid. The page's script sends an offset; without the
 * script the field is in UTC, as its label says.
 */
export function readMoment(text: string): Date | undefined {
  return momentOf(OFFSET.test(text) ? text : `${text}Z`);
}

/** Returns the value of a date field, in UTC. The page's script converts it to the reader's time zone. */
export function fieldMoment(moment: Date | string | number): string {
  return new Date(moment).toISOString().slice(0, 16);
}

/** Reads several date fields. Returns the times, the values to show again, and the faults. */
export function readMoments<Name extends string>(
  values: Readonly<Record<Name, string>>,
): {
  moments: Partial<Record<Name, Date>>;
  shown: Record<Name, string>;
  faults: Record<string, string>;
} {
  const moments: Partial<Record<Name, Date>> = {};
  const shown: Record<Name, string> = { ...values };
  const faults: Record<string, string> = {};
  for (const name of Object.keys(values) as Name[]) {
    if (values[name] === "") continue;
    const moment = readMoment(values[name]);
    if (moment === undefined) faults[name] = "must be a date and time";
    else {
      moments[name] = moment;
      shown[name] = fieldMoment(moment);
    }
  }
  return { moments, shown, faults };
}

/** Returns the id in a field of a query or a form; undefined if it is not valid. */
export function idOf(given: URLSearchParams, name: string): string | undefined {
  const id = given.get(name) ?? "";
  return UUID.test(id) ? id : undefined;
}

/** Returns a typed whole number; NaN for any other text, so that the act reports the fault beside its field. */
export function wholeNumber(text: string): number {
  return /^\d{1,15}$/.test(text.trim()) ? Number(text) : Number.NaN;
}

/** Returns fields of a form or a query as they were typed, without the spaces around them. */
export function typedTexts<Name extends string>(
  given: URLSearchParams,
  names: readonly Name[],
): Record<Name, string> {
  const texts = names.map((name) => [name, (given.get(name) ?? "").trim()]);
  return Object.fromEntries(texts) as Record<Name, string>;
}

/** Returns the quiet hours of a form; null if both of its fields are empty. */
export function typedQuietHours({ quietFrom, quietTo }: Record<"quietFrom" | "quietTo", string>) {
  return quietFrom === "" && quietTo === "" ? null : { from: quietFrom, to: quietTo };
}
