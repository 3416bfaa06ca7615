import { field, integer } from "@belfry/contracts/fields";
import { textFault } from "@belfry/contracts/identifiers";
import { type TSchema, Type } from "@sinclair/typebox";
import { sql } from "kysely";

/**
 * The range of a search by ids, newest first. A page reads a bounded number of rows and reports how far back it came.
 */
export interface ScannedRange {
  /** The `next` of the previous page. */
  before?: string | undefined;
  /** Earliest time, inclusive. */
  from?: Date | undefined;
  /** Latest time, exclusive. */
  to?: Date | undefined;
}

/** SQL for the conditions of the range, to append to another condition. */
export function inRange(row: "a" | "e", { before, from, to }: ScannedRange) {
  const id = sql.ref(`${row}.id`);
  return sql`
    ${before === undefined ? sql`` : sql`and ${id} < ${before}::uuid`}
    ${from === undefined ? sql`` : sql`and ${id} >= ${idAt(from)}::uuid`}
    ${to === undefined ? sql`` : sql`and ${id} < ${idAt(to)}::uuid`}`;
}

/** SQL for one row about the rows in `scanned`. Every row of the page repeats it. */
export function reachOf(at: string) {
  return sql`
    select (select id from scanned order by id limit 1) as "lastId",
           (select ${sql.ref(at)} from scanned order by id limit 1) as "lastAt",
           (select count(*)::integer from scanned) as "lookedAt"`;
}

/** A row that was found. If there is none, one row without an id says how far the search came. */
export type ScannedRow<Found> = Reach & (Found | { id: null });
type Reach = { lastId: string | null; lastAt: Date | null; lookedAt: number };

/** Returns one page. `next` is the value of `before` for older rows; undefined if there are none. */
export function scannedPage<Found extends { id: string }>(
  rows: readonly ScannedRow<Found>[],
  limit: number,
  scanned: number,
) {
  const [reach] = rows;
  const all = rows.filter(({ id }) => id !== null);
  const found = all.slice(0, limit).map(({ lastId: _, lastAt: __, lookedAt: ___, ...row }) => row);
  const page = found as unknown as Found[];
  const searchedTo = reach?.lastAt ?? undefined;
  if (all.length > limit) return { page, next: page.at(-1)?.id, searchedTo };
  const wasBounded = (reach?.lookedAt ?? 0) >= scanned;
  return { page, next: wasBounded ? (reach?.lastId ?? undefined) : undefined, searchedTo };
}

/** Returns the smallest UUIDv7 of a time. */
export function idAt(moment: Date): string {
  const hex = Math.max(0, moment.getTime()).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7000-8000-000000000000`;
}

/** Returns the time in a UUIDv7, exact to the millisecond. */
export function momentOfId(id: string): Date {
  return new Date(Number.parseInt(id.replace("-", "").slice(0, 12), 16));
}

/** The type of one page of a list. */
export function pageOf<T extends TSchema>(item: T) {
  return Type.Object({
    items: Type.Array(item),
    next: Type.Optional(
      Type.String({
        description: "Pass it as `after` to get the next page; absent on the last page",
      }),
    ),
  });
}

/**
 * Returns one page of the rows. The caller reads one row more than the limit, which shows that there is a next page.
 */
export function pageFrom<T>(rows: readonly T[], limit: number, placeOf: (last: T) => string) {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return rows.length > limit && last !== undefined ? { items, next: placeOf(last) } : { items };
}

/** Returns the input fields of a paged list. `isPlace` tells whether a text is a `next` of the list. */
export function pageFields(
  most: number,
  usual: number,
  isPlace: (text: string) => boolean = (text) => textFault(text) === undefined,
) {
  return {
    limit: Type.Optional(
      integer({ minimum: 1, maximum: most }, { description: `at most so many; default: ${usual}` }),
    ),
    after: Type.Optional(
      field<string>({ type: "string", description: "`next` of the page before" }, (value) =>
        typeof value === "string" && isPlace(value) ? undefined : "must be the next of a page",
      ),
    ),
  };
}

/** A field for the number of a list's items, at least one. */
export function countUpTo(most: number) {
  return field<number>({ type: "integer", minimum: 1, maximum: most }, (value) =>
    Number.isInteger(value) && Number(value) >= 1 && Number(value) <= most
      ? undefined
      : `must be from 1 to ${most}`,
  );
}

/** A row in which each time is text in ISO 8601, UTC. */
export type IsoTimes<Row> = {
  [Name in keyof Row]: Extract<Row[Name], Date> extends never
    ? Row[Name]
    : Exclude<Row[Name], Date> | string;
};

export function isoTimes<Row extends object>(row: Row): IsoTimes<Row> {
  const seen = Object.entries(row).map(([name, value]) => [
    name,
    value instanceof Date ? value.toISOString() : value,
  ]);
  return Object.fromEntries(seen) as IsoTimes<Row>;
}
