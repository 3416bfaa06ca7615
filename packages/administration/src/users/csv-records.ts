/** One row of a CSV file, or what is wrong with it; `line`: where it begins, from 1. */
type CsvRecord = { line: number } & ({ fields: string[] } | { fault: string });

/** Longer than any record of ours: three texts of 255 characters of four bytes, all of them quoted. */
export const MAX_RECORD_CHARACTERS = 4_000;

const DELIMITERS = [",", ";", "\t"] as const;
/** Excel writes such a line before the heading, and hides it. */
const DELIMITER_LINE = /^"?sep=([,;\t])"?$/i;
const UTF_16 = [0xff, 0xfe];

/** Thrown for bytes that are no text. */
export class NotText extends Error {
  override readonly name = "NotText";
  readonly line: number;
  constructor(line: number, cause: unknown) {
    super("neither UTF-8 nor UTF-16", { cause });
    this.line = line;
  }
}

/**
 * The records of a CSV file as it is read (RFC 4180), as spreadsheets write them, too: fields end at commas,
 * semicolons or tabs, whichever of these the first line has most of; blanks around a field are left out unless it is
 * quoted, and a quoted field may go on over several lines. UTF-8 with or without a byte order mark, or UTF-16 with
 * one. Records without any text are left out. After a bad record the next line is read as a new one.
 */
export async function* csvRecords(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<CsvRecord> {
  const lines = withPushback(linesOf(chunks));
  let delimiter: string | undefined;
  for (;;) {
    const first = await lines.next();
    if (first === undefined) return;
    if (first.text.trim() === "") continue;
    if (delimiter === undefined) {
      const named = DELIMITER_LINE.exec(first.text)?.[1];
      delimiter = named ?? mostOf(first.text);
      if (named !== undefined) continue;
    }
    const record = newRecord(delimiter);
    const taken = [first];
    let length = first.text.length;
    let isOpen = length <= MAX_RECORD_CHARACTERS && record.add(first.text);
    while (isOpen && !first.isAlone && length <= MAX_RECORD_CHARACTERS) {
      const next = await lines.next();
      if (next === undefined) break;
      taken.push(next);
      length += 1 + next.text.length;
      isOpen = length <= MAX_RECORD_CHARACTERS && record.add(next.text);
    }
    const { number: line } = first;
    if (first.text.length > MAX_RECORD_CHARACTERS) {
      yield { line, fault: `must be at most ${MAX_RECORD_CHARACTERS} characters` };
    } else if (isOpen || length > MAX_RECORD_CHARACTERS) {
      // The quote is a slip of this line: what comes after it is read by itself.
      lines.giveBack(taken.slice(1).map((line) => ({ ...line, isAlone: true })));
      yield { line, fault: "has a quote that does not end" };
    } else if (record.fault !== undefined) {
      yield { line, fault: record.fault };
    } else if (record.fields.some((field) => field !== "")) {
      yield { line, fields: record.fields };
    }
  }
}

interface Line {
  number: number;
  text: string;
  /** It was read behind a quote that does not end: it is a record of its own, so that no line is read often. */
  isAlone?: true;
}

/**
 * The lines without their ends. Of a line that is longer than a record comes its beginning, one character longer than
 * that. Throws `NotText`.
 */
async function* linesOf(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Line> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  let held: Uint8Array = new Uint8Array();
  let number = 1;
  let rest = "";
  const decode = (bytes: Uint8Array, more: boolean): string => {
    const isWide = UTF_16.every((byte, at) => bytes[at] === byte);
    decoder ??= new TextDecoder(isWide ? "utf-16le" : "utf-8", { fatal: true });
    try {
      return decoder.decode(bytes, { stream: more });
    } catch (cause) {
      throw new NotText(number, cause);
    }
  };
  const line = (text: string): Line => {
    const ended = text.endsWith("\r") ? text.slice(0, -1) : text;
    number += 1;
    return { number: number - 1, text: ended };
  };
  for await (const chunk of chunks) {
    let bytes = chunk;
    if (decoder === undefined) {
      bytes = Buffer.concat([held, chunk]);
      held = bytes;
      if (bytes.length < UTF_16.length) continue;
    }
    const text = decode(bytes, true);
    let from = 0;
    for (;;) {
      const end = text.indexOf("\n", from);
      const piece = text.slice(from, end < 0 ? undefined : end);
      // What is too long is not kept: what comes after its beginning changes nothing.
      rest += piece.slice(0, MAX_RECORD_CHARACTERS + 2 - rest.length);
      if (end < 0) break;
      yield line(rest);
      rest = "";
      from = end + 1;
    }
  }
  rest += decode(decoder === undefined ? held : new Uint8Array(), false);
  if (rest !== "") yield line(rest);
}

function withPushback(lines: AsyncGenerator<Line>) {
  let returned: Line[] = [];
  return {
    async next(): Promise<Line | undefined> {
      const line = returned.shift();
      if (line !== undefined) return line;
      const { value, done } = await lines.next();
      return done ? undefined : value;
    },
    giveBack(some: Line[]) {
      returned = [...some, ...returned];
    },
  };
}

/** Reads one record, line by line, each character once. */
function newRecord(delimiter: string) {
  const fields: string[] = [];
  let quoted: string | undefined;
  let fault: string | undefined;
  const isBlank = (character: string | undefined) =>
    character === " " || (character === "\t" && delimiter !== "\t");

  /** Returns whether a quoted field goes on in the next line. */
  const add = (line: string): boolean => {
    let at = 0;
    for (;;) {
      if (quoted === undefined) {
        while (isBlank(line[at])) at += 1;
        if (line[at] === '"') {
          quoted = "";
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
    get fault() {
      return fault;
    },
  };
}

/** Of the delimiters the one that the line has most of outside of quotes; a comma where it has none. */
function mostOf(line: string): string {
  const counts = new Map<string, number>(DELIMITERS.map((one) => [one, 0]));
  let isQuoted = false;
  for (const character of line) {
    if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && counts.has(character)) counts.set(character, counts.get(character)! + 1);
  }
  return DELIMITERS.reduce((most, one) => (counts.get(one)! > counts.get(most)! ? one : most));
}
