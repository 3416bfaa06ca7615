import { randomUUID } from "node:crypto";
import type { OutgoingAttachment } from "@belfry/contracts/sending";

/** A multiple of 3, so that pieces of base64 can follow one another; small, so that each shows that bytes still flow. */
const PIECE_BYTES = 48 * 1024;

/** A file within a body: as its bytes, or as base64. */
export interface FilePart {
  file: OutgoingAttachment;
  encoding: "bytes" | "base64";
}

/** A request's body that holds files: their bytes are read while it is written, and are never in memory together. */
export class StreamedBody {
  readonly bytes: number;
  readonly #parts: readonly (string | FilePart)[];

  constructor(parts: readonly (string | FilePart)[]) {
    this.#parts = parts.filter((part) => part !== "");
    this.bytes = parts.reduce((sum, part) => sum + bytesOf(part), 0);
  }

  /** Reads the files anew. Rejects if one cannot be read. */
  async *read(): AsyncGenerator<Buffer> {
    for (const part of this.#parts) {
      if (typeof part === "string") yield Buffer.from(part);
      else yield* part.encoding === "bytes" ? inPieces(part.file) : inBase64(part.file);
    }
  }
}

function bytesOf(part: string | FilePart): number {
  if (typeof part === "string") return Buffer.byteLength(part);
  const { file, encoding } = part;
  return encoding === "bytes" ? file.bytes : Math.ceil(file.bytes / 3) * 4;
}

/** A file's bytes, a few at a time. */
export async function* inPieces(file: OutgoingAttachment): AsyncGenerator<Buffer> {
  for await (const chunk of file.read()) {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      yield chunk.subarray(at, at + PIECE_BYTES);
    }
  }
}

async function* inBase64(file: OutgoingAttachment): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of inPieces(file)) {
    const whole = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    const end = whole.length - (whole.length % 3);
    if (end > 0) yield Buffer.from(whole.toString("base64", 0, end), "latin1");
    rest = whole.subarray(end);
  }
  if (rest.length > 0) yield Buffer.from(rest.toString("base64"), "latin1");
}

/** Stands in a value for JSON where a file's base64 comes. */
export class Base64Of {
  readonly #file: OutgoingAttachment;
  constructor(file: OutgoingAttachment) {
    this.#file = file;
  }
  static fileOf(content: Base64Of): OutgoingAttachment {
    return content.#file;
  }
}

/** JSON in which each `Base64Of` is a string of its file; a text where there is none. */
export function jsonBody(value: object): string | StreamedBody {
  const files: OutgoingAttachment[] = [];
  // Nobody can know it beforehand, so no value holds it.
  const mark = randomUUID();
  const text = JSON.stringify(value, (_key, one) => {
    if (!(one instanceof Base64Of)) return one;
    files.push(Base64Of.fileOf(one));
    return mark;
  });
  if (files.length === 0) return text;
  const texts = text.split(mark);
  return new StreamedBody(
    texts.flatMap((part, at) => {
      const file = files[at];
      return file === undefined ? [part] : [part, { file, encoding: "base64" as const }];
    }),
  );
}

/** A form of text fields and files (RFC 7578). */
export function multipartBody(
  fields: Iterable<readonly [string, string]>,
  files: readonly { field: string; name: string; file: OutgoingAttachment }[],
): { type: string; body: StreamedBody } {
  const boundary = `belfry-${randomUUID()}`;
  const parts: (string | FilePart)[] = [];
  for (const [name, value] of fields) {
    parts.push(
      `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"\r\n\r\n${value}\r\n`,
    );
  }
  for (const { field, name, file } of files) {
    parts.push(
      `--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="${quoted(name)}"\r\nContent-Type: ${file.type}\r\n\r\n`,
      { file, encoding: "bytes" },
      "\r\n",
    );
  }
  parts.push(`--${boundary}--\r\n`);
  return { type: `multipart/form-data; boundary=${boundary}`, body: new StreamedBody(parts) };
}

/** Writes a name as browsers do (Fetch standard, multipart/form-data encoding). */
function quoted(name: string): string {
  return name.replaceAll("\n", "%0A").replaceAll("\r", "%0D").replaceAll('"', "%22");
}
