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

export const ROWS_PER_STATEMENT = 5_000;
const MAX_TOLD = 50;

/**
 * Stores the rows of a file, some thousands at a time. A bad line refuses all: throws `InvalidInput` with a fault a
 * bad line, at most 50 and how many more there are; with `leaveOutBad` they are returned instead.
 */
export async function readRows<Row>(
  file: FileOfLines,
  how: {
    read(line: string): ReadLine<Row>;
    store(rows: Row[]): Promise<void>;
    notUtf8(line: number): string;
    leaveOutBad?: boolean;
  },
) {
  const { read, store, notUtf8, leaveOutBad = false } = how;
  const told: string[] = [];
  let [number, lines, leftOut, count] = [0, 0, 0, 0];
  let batch: Row[] = [];
  const flush = async () => {
    if (batch.length > 0 && (count === 0 || leaveOutBad)) await store(batch);
    batch = [];
  };
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
      else batch.push(row);
      if (batch.length === ROWS_PER_STATEMENT) await flush();
    }
  } catch (error) {
    if (!(error instanceof NotUtf8)) throw error;
    throw invalid("file", notUtf8(number + 1));
  }
  await flush();
  const faults = count > told.length ? [...told, `and ${count - told.length} more`] : told;
  if (count > 0 && !leaveOutBad) {
    throw new InvalidInput(faults.map((message) => ({ field: "file", message })));
  }
  return { lines, leftOut, faults };
}
