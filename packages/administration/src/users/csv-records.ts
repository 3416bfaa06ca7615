import { MARK_BYTES, textDecoder } from "../file-text.ts";

/** A row of a CSV file, or its fault. `line`: the number of its first line, from 1. */
type CsvRecord = { line: number } & ({ fields: string[] } | { fault: string });

/**
 * Most characters of a record. Records of imports are shorter: three texts of 255 characters of four bytes, all quoted.
 */
export const MAX_RECORD_CHARACTERS = 4_000;

const DELIMITERS = [",", ";", "\t"] as const;
/** A line that names the delimiter. Excel writes it before the heading, and does not show it. */
const DELIMITER_LINE = /^"?sep=([,;\t])"?$/i;
const NO_END = "has a quote that does not end";

/** Thrown if a file is not text. */
export class NotText extends Error {
  override readonly name = "NotText";
  readonly line: number;
  constructor(line: number, cause: unknown) {
    super("neither UTF-8 nor UTF-16", { cause });
    this.line = line;
  }
}

/**
 * Reads the records of a CSV file (RFC 4180), also in the forms that spreadsheets write. Fields end at commas,
 * semicolons or tabs: at the one that is most frequent in the first line. Blanks around a field are removed unless it
 * is quoted. A quoted field may have several lines. The text is UTF-8 with or without a byte order mark, or UTF-16 with
 * one. Records without text and without a quote are left out. After a bad record, the next line is read as a new
 * record.
 */
export async function* csvRecords(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<CsvRecord> {
  const reader = csvReader();
  for await (const text of csvTexts(chunks)) yield* reader.read(text);
  yield* reader.end();
}

/** Decodes a file to text without the byte order mark. Throws `NotText`. */
export async function* csvTexts(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  let held: Uint8Array = new Uint8Array();
  let line = 1;
  const decode = (bytes: Uint8Array, more: boolean): string => {
    decoder ??= textDecoder(bytes);
    try {
      const text = decoder.decode(bytes, { stream: more });
      for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) line += 1;
      return text;
    } catch (cause) {
      throw new NotText(line, cause);
    }
  };
  for await (const chunk of chunks) {
    let bytes = chunk;
    // Waits for enough bytes to detect a byte order mark.
    if (decoder === undefined) {
      bytes = Buffer.concat([held, chunk]);
      held = bytes;
      if (bytes.length < MARK_BYTES) continue;
    }
    yield decode(bytes, true);
  }
  yield decode(decoder === undefined ? held : new Uint8Array(), false);
}

/** The state of a reader between two parts of a file: a few kilobytes of JSON. */
export interface CsvPlace {
  delimiter?: string;
  /** Number of the line that `rest` begins. */
  line: number;
  /** The beginning of an unfinished line, cut if it is too long for a record. */
  rest: string;
  /** Lines of a record whose quote has not ended yet, and the number of the first. */
  open: string[];
  openLine: number;
}

/** Reads the records of a text that arrives in parts. Can continue from the state of another reader. */
export function csvReader(from: CsvPlace = { line: 1, rest: "", open: [], openLine: 0 }) {
  let { delimiter, line: number, rest, openLine } = from;
  let open = [...from.open];
  let openLength = open.join("\n").length;
  let record = newRecord(delimiter ?? "");
  for (const line of open) record.add(line);

  /**
   * Reads the first line of a record. If a quoted field continues in the next line, keeps the record open, or reports a
   * fault if `isAlone`.
   */
  function* begin(text: string, line: number, isAlone: boolean): Generator<CsvRecord> {
    if (text.trim() === "") return;
    if (delimiter === undefined) {
      const named = DELIMITER_LINE.exec(text)?.[1];
      delimiter = named ?? mostOf(text);
      if (named !== undefined) return;
    }
    record = newRecord(delimiter);
    if (text.length > MAX_RECORD_CHARACTERS) {
      yield { line, fault: `must be at most ${MAX_RECORD_CHARACTERS} characters` };
    } else if (record.add(text)) {
      if (isAlone) yield { line, fault: NO_END };
      else [open, openLine, openLength] = [[text], line, text.length];
    } else yield* whole(line);
  }

  function* whole(line: number): Generator<CsvRecord> {
    if (record.fault !== undefined) yield { line, fault: record.fault };
    else if (record.hasQuote || record.fields.some((field) => field !== ""))
      yield { line, fields: record.fields };
  }

  /**
   * Reports a quote without an end as a fault of its first line. Then reads each later line as a record of its own, so
   * that no line is read more than twice.
   */
  function* giveUp(): Generator<CsvRecord> {
    const [lines, first] = [open, openLine];
    open = [];
    yield { line: first, fault: NO_END };
    for (const [at, text] of lines.entries()) if (at > 0) yield* begin(text, first + at, true);
  }

  function* take(text: string): Generator<CsvRecord> {
    const line = number;
    number += 1;
    if (open.length === 0) {
      yield* begin(text, line, false);
      return;
    }
    open.push(text);
    openLength += 1 + text.length;
    if (openLength > MAX_RECORD_CHARACTERS) yield* giveUp();
    else if (!record.add(text)) {
      open = [];
      yield* whole(openLine);
    }
  }

  const ended = (text: string) => (text.endsWith("\r") ? text.slice(0, -1) : text);
  return {
    /** Reads a part, and returns the records that end in it. */
    *read(text: string): Generator<CsvRecord> {
      for (let from = 0; ; ) {
        const end = text.indexOf("\n", from);
        const piece = text.slice(from, end < 0 ? undefined : end);
        // Drops the part beyond the bound: the record is refused anyway.
        rest += piece.slice(0, MAX_RECORD_CHARACTERS + 2 - rest.length);
        if (end < 0) return;
        const line = ended(rest);
        rest = "";
        from = end + 1;
        yield* take(line);
      }
    },
    /** Returns the last records at the end of the file. */
    *end(): Generator<CsvRecord> {
      if (rest !== "") yield* take(ended(rest));
      rest = "";
      if (open.length > 0) yield* giveUp();
    },
    /** Returns the state for a reader of the next part. */
    place: (): CsvPlace => ({
      ...(delimiter !== undefined && { delimiter }),
      line: number,
      rest,
      open,
      openLine,
    }),
  };
}

/** Reads one record line by line, and each character once. */
function newRecord(delimiter: string) {
  const fields: string[] = [];
  let quoted: string | undefined;
  let hasQuote = false;
  let fault: string | undefined;
  const isBlank = (character: string | undefined) =>
    character === " " || (character === "\t" && delimiter !== "\t");

  /** Adds a line. Returns whether a quoted field continues in the next line. */
  const add = (line: string): boolean => {
    let at = 0;
    for (;;) {
      if (quoted === undefined) {
        while (isBlank(line[at])) at += 1;
        if (line[at] === '"') {
          quoted = "";
          hasQuote = true;
          at += 1;
        }
      }
      if (quoted === undefined) {
        const next = line.indexOf(delimiter, at);
        const end = next < 0 ? line.length : next;
        fields.push(line.slice(at, end).trim());
        at = end;
      } else {
        const quote = line.indexOf('"', at);
        if (quote < 0) {
          quoted += `${line.slice(at)}\n`;
          return true;
        }
        quoted += line.slice(at, quote);
        at = quote + 1;
        if (line[at] === '"') {
          quoted += '"';
          at += 1;
          continue;
        }
        while (isBlank(line[at])) at += 1;
        if (at < line.length && line[at] !== delimiter) {
          fault = "has something between a quote and the end of its field";
          return false;
        }
        fields.push(quoted);
        quoted = undefined;
      }
      if (at >= line.length) return false;
      at += 1;
    }
  };
  return {
    add,
    fields,
    get hasQuote() {
      return hasQuote;
    },
    get fault() {
      return fault;
    },
  };
}

/** Returns the delimiter that occurs most outside of quotes; a comma if there is none. */
function mostOf(line: string): string {
  const counts = new Map<string, number>(DELIMITERS.map((one) => [one, 0]));
  let isQuoted = false;
  for (const character of line) {
    if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && counts.has(character)) counts.set(character, counts.get(character)! + 1);
  }
  return DELIMITERS.reduce((most, one) => (counts.get(one)! > counts.get(most)! ? one : most));
}
