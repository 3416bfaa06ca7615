import type { Database } from "@belfry/database/connection";
import type { Audited, AuditNote } from "../audited.ts";
import { InvalidInput, invalid } from "../input-error.ts";
import { MAX_LINE_CHARACTERS } from "./csv-line.ts";
import { linesOf, NotUtf8 } from "./lines-of.ts";

export type FileOfLines = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** What a line says; undefined where it is a bad one, for these reasons. */
export interface ReadLine<Row> {
  row?: Row;
  faults?: string[];
  /** It names the columns: left out where it is the first. */
  isHeading?: boolean;
}

/** What a file says. */
export interface FileRows<Row> {
  /** The good ones, each once, those of one user one after the other. */
  rows: Row[];
  /** Without the heading and empty ones. */
  lines: number;
  /** Bad lines. */
  leftOut: number;
  /** What is wrong with them, each with its number: at most 50, and how many more there are. */
  faults: string[];
}

const ROWS_PER_TRANSACTION = 1_000;
const MAX_TOLD = 50;

/**
 * Reads the rows of a file. A bad line refuses all: throws `InvalidInput` with a fault a bad line, at most 50 and how
 * many more there are; with `leaveOutBad` they are returned instead.
 */
export async function readRows<Row>(
  file: FileOfLines,
  how: {
    read(line: string): ReadLine<Row>;
    notUtf8(line: number): string;
    leaveOutBad?: boolean;
  },
): Promise<FileRows<Row>> {
  const { read, notUtf8, leaveOutBad = false } = how;
  const told: string[] = [];
  const rows = new Map<string, Row>();
  let [number, lines, leftOut, count] = [0, 0, 0, 0];
  try {
    for await (const line of linesOf(file, MAX_LINE_CHARACTERS)) {
      number += 1;
      if (line.trim() === "") continue;
      const { row, faults = [], isHeading = false } = read(line);
      if (number === 1 && isHeading) continue;
      lines += 1;
      count += faults.length;
      const room = MAX_TOLD - told.length;
      told.push(...faults.slice(0, room).map((fault) => `line ${number}: ${fault}`));
      if (row === undefined) leftOut += 1;
      else if (count === 0 || leaveOutBad) rows.set(JSON.stringify(row), row);
    }
  } catch (error) {
    if (!(error instanceof NotUtf8)) throw error;
    throw invalid("file", notUtf8(number + 1));
  }
  const faults = count > told.length ? [...told, `and ${count - told.length} more`] : told;
  if (count > 0 && !leaveOutBad) {
    throw new InvalidInput(faults.map((message) => ({ field: "file", message })));
  }
  const sorted = [...rows.keys()].sort().map((key) => rows.get(key)!);
  return { rows: sorted, lines, leftOut, faults };
}

/**
 * Writes rows a thousand at a time, each part in a transaction of its own with its entry in the audit log: nothing is
 * locked for longer than a part takes. After a failure the parts before it stay. Returns the result of each part.
 */
export async function writeInParts<Row, Result>(
  audited: Audited,
  rows: readonly Row[],
  write: (transaction: Database, part: readonly Row[]) => Promise<Result>,
  note: (result: Result, part: { name: string }) => AuditNote,
): Promise<Result[]> {
  const parts = Math.ceil(rows.length / ROWS_PER_TRANSACTION);
  const results: Result[] = [];
  for (let at = 0; at < parts; at += 1) {
    const part = rows.slice(at * ROWS_PER_TRANSACTION, (at + 1) * ROWS_PER_TRANSACTION);
    const name = parts === 1 ? "" : `, part ${at + 1} of ${parts}`;
    results.push(
      await audited(
        (transaction) => write(transaction, part),
        (result) => note(result, { name }),
      ),
    );
  }
  return results;
}
