import { field, integer } from "@belfry/contracts/fields";
import type { IgnoredColumn } from "@belfry/contracts/imports";
import type { Database } from "@belfry/database/connection";
import type { TUnsafe } from "@sinclair/typebox";
import { optional } from "../act.ts";
import type { Audited, AuditNote } from "../audited.ts";
import { InvalidInput, invalid } from "../input-error.ts";
import { type ColumnNames, type Heading, readHeading, widthFault } from "./csv-heading.ts";
import { csvRecords, NotText } from "./csv-records.ts";

/** The text of a file or, within this process, a stream of its bytes. */
export type FileOfLines = string | AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Returns the field of an act's input for a CSV file. */
export function csvFile(words: { description: string }): TUnsafe<FileOfLines> {
  return field({ type: "string", contentMediaType: "text/csv", ...words }, (value) =>
    typeof value === "string" || Symbol.asyncIterator in Object(value)
      ? undefined
      : "must be the text of a file",
  );
}

/** A parsed record. If it is bad, it has no row, and `faults` says why. */
export interface ReadRecord<Row> {
  row?: Row;
  faults?: string[];
}

/** The rows of a file. */
interface FileRows<Row> {
  /** The good rows without duplicates, sorted by their JSON text, so that rows of one user follow each other. */
  rows: Row[];
  /** Lines without the heading and empty ones. */
  lines: number;
  /** Number of bad lines. */
  leftOut: number;
  /** Faults of bad lines with their line numbers: at most 50, and then the number of further faults. */
  faults: string[];
  ignoredColumns: IgnoredColumn[];
}

const ROWS_PER_TRANSACTION = 1_000;
const MAX_TOLD = 50;

/**
 * Reads the rows of a CSV file. If the first record is a heading with all `columns`, `read` gets the fields of these
 * columns; otherwise it gets all fields in their order. If a record is bad, throws `InvalidInput` with one fault per
 * bad record, at most 50, and the number of further ones. With `leaveOutBad`, the faults are returned instead.
 */
export async function readRows<Row>(
  file: FileOfLines,
  how: {
    columns: ColumnNames;
    read(fields: readonly string[]): ReadRecord<Row>;
    leaveOutBad?: boolean;
  },
): Promise<FileRows<Row>> {
  const { columns, read, leaveOutBad = false } = how;
  const told: string[] = [];
  const rows = new Map<string, Row>();
  let [lines, leftOut, count] = [0, 0, 0];
  let heading: Heading | undefined;
  let isFirst = true;
  const names = Object.keys(columns);
  const rowOf = ({ fields }: { fields: readonly string[] }): ReadRecord<Row> => {
    if (heading === undefined) return read(fields);
    const { columns: found } = heading;
    const fault = widthFault(fields, found.length);
    if (fault !== undefined) return { faults: [fault] };
    return read(names.map((name) => fields[found.indexOf(name)] ?? ""));
  };
  try {
    for await (const record of csvRecords(typeof file === "string" ? [Buffer.from(file)] : file)) {
      if (isFirst && "fields" in record) {
        const found = readHeading(columns, record.fields);
        isFirst = false;
        if (names.every((name) => found.columns.includes(name))) {
          heading = found;
          continue;
        }
      }
      isFirst = false;
      lines += 1;
      const { row, faults = [] } = "fault" in record ? { faults: [record.fault] } : rowOf(record);
      count += faults.length;
      const room = MAX_TOLD - told.length;
      told.push(...faults.slice(0, room).map((fault) => `line ${record.line}: ${fault}`));
      if (row === undefined) leftOut += 1;
      else if (count === 0 || leaveOutBad) rows.set(JSON.stringify(row), row);
    }
  } catch (error) {
    if (!(error instanceof NotText)) throw error;
    throw invalid(
      "file",
      `must be UTF-8 (in Excel "CSV UTF-8"): line ${error.line}, or one after it, is not`,
    );
  }
  const faults = count > told.length ? [...told, `and ${count - told.length} more`] : told;
  if (count > 0 && !leaveOutBad) {
    throw new InvalidInput(faults.map((message) => ({ field: "file", message })));
  }
  const sorted = [...rows.keys()].sort().map((key) => rows.get(key)!);
  return { rows: sorted, lines, leftOut, faults, ignoredColumns: heading?.ignored ?? [] };
}

const MOST_SHARES = 100;
const share = (words: { description: string }) =>
  optional(integer({ minimum: 1, maximum: MOST_SHARES }, words));

/** Input fields of an import that a caller may run share by share, to show the progress. */
export const SHARES = {
  parts: share({
    description: `into how many shares the rows are divided, 1 to ${MOST_SHARES}; default: 1`,
  }),
  part: share({
    description: "the number of the share to write; each call reads the whole file; default: 1",
  }),
};

/** The share of a file's rows to write: number `part` of `parts`. */
interface Share {
  part?: number | undefined;
  parts?: number | undefined;
}

/** Throws `InvalidInput` if there is no such share. */
export function checkShare({ part = 1, parts = 1 }: Share): void {
  if (part > parts) throw invalid("part", `must be at most parts, ${parts}`);
}

/**
 * Writes the rows of a share in parts of a thousand, so that locks are short. Each part has its own transaction and
 * audit entry. After a failure, the earlier parts stay. Returns the result of each part.
 */
export async function writeInParts<Row, Result>(
  audited: Audited,
  rows: readonly Row[],
  write: (transaction: Database, part: readonly Row[]) => Promise<Result>,
  note: (result: Result, part: { name: string }) => AuditNote,
  { part = 1, parts = 1 }: Share = {},
): Promise<Result[]> {
  const size = Math.ceil(rows.length / parts);
  const own = rows.slice((part - 1) * size, part * size);
  const each = Math.ceil(size / ROWS_PER_TRANSACTION);
  const results: Result[] = [];
  for (let at = 0; at * ROWS_PER_TRANSACTION < own.length; at += 1) {
    const some = own.slice(at * ROWS_PER_TRANSACTION, (at + 1) * ROWS_PER_TRANSACTION);
    const all = parts * each;
    const name = all === 1 ? "" : `, part ${(part - 1) * each + at + 1} of ${all}`;
    results.push(
      await audited(
        (transaction) => write(transaction, some),
        (result) => note(result, { name }),
      ),
    );
  }
  return results;
}
