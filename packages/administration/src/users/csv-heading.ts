import { type IgnoredColumn, MAX_IGNORED_COLUMNS } from "@belfry/contracts/imports";
import { nearestName, plainName } from "@belfry/contracts/nearest-name";

/** The names that a heading may give each column, the most usual first; case, blanks and punctuation do not count. */
export type ColumnNames = Readonly<Record<string, readonly string[]>>;

const MAX_NAME_CHARACTERS = 80;

/** The meaning of the first line of a CSV file. */
export interface Heading {
  /** The column of each field, or an empty text; without the fields at the end that have no name. */
  columns: string[];
  /** The names that are read as no column. */
  ignored: IgnoredColumn[];
}

/** Finds each column once: where two fields have names of it, by the more usual one. */
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

/** Whether a text without any digit is a slip of a column's name: short ids are as near to one by chance. */
export function isMisspelt(names: ColumnNames, text: string): boolean {
  if (text.length < 5 || /\d/.test(text)) return false;
  return nearestName(text, Object.values(names).flat()) !== undefined;
}

/** The fault of a record that has a text where the heading names nothing; undefined: it has none. */
export function widthFault(fields: readonly string[], width: number): string | undefined {
  return fields.slice(width).some((text) => text !== "")
    ? "has more fields than the first line"
    : undefined;
}
