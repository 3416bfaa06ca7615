import { type Static, Type } from "@sinclair/typebox";
import { field, integer, orNull } from "./fields.ts";

/** The kinds of CSV files that are imported in the background. The table of imports has the same list. */
export const IMPORT_KINDS = ["users", "members"] as const;
export type ImportKind = (typeof IMPORT_KINDS)[number];

export const IMPORT_STATES = [
  "receiving",
  "waiting",
  "running",
  "done",
  "failed",
  "cancelled",
] as const;

/** The maximum of bytes of a file, both as received and as stored until its lines are written. */
export const MAX_IMPORT_BYTES = 128 * 1024 * 1024;
export const MAX_IMPORT_LINES = 1_000_000;
/** The maximum of open imports of a tenant. Together with `MAX_IMPORT_BYTES` this limits the stored bytes. */
export const MAX_OPEN_IMPORTS = 4;
export const MAX_PART_CHARACTERS = 500_000;
const MAX_PARTS = 10_000;
/** The maximum of stored faults: the first ones of a file. */
export const MAX_IMPORT_FAULTS = 100;
/** The maximum of reported columns: the first ones of a file, each cut at 80 characters. */
export const MAX_IGNORED_COLUMNS = 50;
/** How many days an import stays visible after its end. */
export const IMPORT_DAYS = 30;
/** An import that gets no part for so long is cancelled. */
export const PART_WITHIN_MINUTES = 60;
/** An import whose parts do not all arrive in this time is cancelled. */
export const PARTS_WITHIN_HOURS = 24;

/** A column of a CSV file that is not read. */
const IgnoredColumn = Type.Object({
  column: Type.String({ description: "Its name in the first line; empty: it has none" }),
  suggestion: orNull(Type.String({ description: "The known column that was probably meant" })),
});
export type IgnoredColumn = Static<typeof IgnoredColumn>;

/** A property of the answers about imports. */
export const IGNORED_COLUMNS = {
  ignoredColumns: Type.Array(IgnoredColumn, {
    description: `Columns that the first line names and that are not read: at most ${MAX_IGNORED_COLUMNS}`,
  }),
};

/** Returns a type for the text of a CSV file or of a part, which may be cut at any position. */
export function csvPart() {
  const keywords = { type: "string", contentMediaType: "text/csv", maxLength: MAX_PART_CHARACTERS };
  const description = `the text of a CSV file, or a part of it: at most ${MAX_PART_CHARACTERS} characters`;
  return field<string>({ ...keywords, description }, (value) => {
    if (typeof value !== "string") return "must be the text of a file";
    if (value.length <= MAX_PART_CHARACTERS) return undefined;
    return `must be at most ${MAX_PART_CHARACTERS} characters`;
  });
}

export function partNumber() {
  return integer(
    { minimum: 2, maximum: MAX_PARTS },
    { description: "the number of this part; the first part came with the start of the import" },
  );
}
