import { randomUUID } from "node:crypto";
import type { OutgoingAttachment } from "@belfry/contracts/sending";

/** Small, so that progress is reported often. A multiple of 3, so that a full piece leaves no rest for `inBase64`. */
const PIECE_BYTES = 48 * 1024;

/** A file within a body, written as raw bytes or as base64. */
export interface FilePart {
  file: OutgoingAttachment;
  encoding: "bytes" | "base64";
}

/** A request body with files. They are read while the body is written, so they are never in memory as a whole. */
export class StreamedBody {
  readonly bytes: number;
  readonly #parts: readonly (string | FilePart)[];

  constructor(parts: readonly (string | FilePart)[]) {
    this.#parts = parts.filter((part) => part !== "");
    this.bytes = parts.reduce((sum, part) => sum + bytesOf(part), 0);
  }

  /** Returns the bytes of the body. Each call reads the files again. Rejects if a file cannot be read. */
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

/** Returns a file's bytes in pieces of at most PIECE_BYTES. */
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

/** A placeholder for the base64 of a file in a value for `jsonBody`. */
export class Base64Of {
  readonly #file: OutgoingAttachment;
  constructor(file: OutgoingAttachment) {
    this.#file = file;
  }
  static fileOf(content: Base64Of): OutgoingAttachment {
    return content.#file;
  }
}

/** Returns a value as JSON with each `Base64Of` replaced by its file in base64. Returns a string if there are none. */
export function jsonBody(value: object): string | StreamedBody {
  const files: OutgoingAttachment[] = [];
  // The mark is random, so no value contains it.
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

/** Returns a multipart form with text fields and files (RFC 7578). */
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
