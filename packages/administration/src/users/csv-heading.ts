import { type IgnoredColumn, MAX_IGNORED_COLUMNS } from "@belfry/contracts/imports";
import { nearestName, plainName } from "@belfry/contracts/nearest-name";

/** The names that a heading may use for each column, the most usual first. Case, blanks and punctuation are ignored. */
export type ColumnNames = Readonly<Record<string, readonly string[]>>;

const MAX_NAME_CHARACTERS = 80;

/** The meaning of the first line of a CSV file. */
export interface Heading {
  /**
   * The column of each field, or an empty text if a field is no column. Fields without a name at the end are left out.
   */
  columns: string[];
  /** The names in the heading that belong to no column. */
  ignored: IgnoredColumn[];
}

/** Finds a field for each column. If several fields have a name of a column, the more usual name counts. */
export function readHeading(names: ColumnNames, fields: readonly string[]): Heading {
  const plain = fields.map(plainName);
  const end = fields.findLastIndex((text) => text !== "") + 1;
  const columns = Array.from({ length: end }, () => "");
  for (const [column, aliases] of Object.entries(names)) {
    const found = aliases.map((alias) => plain.indexOf(plainName(alias))).find((at) => at >= 0);
    if (found !== undefined) columns[found] = column;
  }
  const missing = Object.entries(names).filter(([column]) => !columns.includes(column));
  const aliases = missing.flatMap(([, all]) => all);
  const ignored = columns
    .flatMap((column, at) => (column === "" ? (fields[at] ?? "") : []))
    .slice(0, MAX_IGNORED_COLUMNS)
    .map((text) => {
      const near = nearestName(text, aliases);
      const suggestion = missing.find(([, all]) => near !== undefined && all.includes(near))?.[0];
      return { column: text.slice(0, MAX_NAME_CHARACTERS), suggestion: suggestion ?? null };
    });
  return { columns, ignored };
}

/**
 * Whether a text is a misspelt name of a column. Short texts and texts with digits never are, because ids can be
 * similar to a name by chance.
 */
export function isMisspelt(names: ColumnNames, text: string): boolean {
  if (text.length < 5 || /\d/.test(text)) return false;
  return nearestName(text, Object.values(names).flat()) !== undefined;
}

/** Returns a fault if a record has a text beyond the columns of the heading; undefined otherwise. */
export function widthFault(fields: readonly string[], width: number): string | undefined {
  return fields.slice(width).some((text) => text !== "")
    ? "has more fields than the first line"
    : undefined;
}
