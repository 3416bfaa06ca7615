import { isUtf8 } from "node:buffer";

/**
 * The type of a field's value. `json`: the bytes of a JSON text. `texts`: a map of strings, which is only written.
 * `[Message]`: a repeated message, which is only written.
 */
type Kind =
  | "unsigned"
  | "int32"
  | "int64"
  | "boolean"
  | "text"
  | "json"
  | "texts"
  | Message
  | [Message];

interface Field {
  name: string;
  number: number;
  kind: Kind;
}

/** The fields of a message of `client.proto` that we read or write. All other fields are skipped. */
export class Message {
  readonly byNumber = new Map<number, Field>();
  readonly byName = new Map<string, Field>();

  constructor(fields: Record<string, readonly [number: number, kind: Kind]>) {
    for (const [name, [number, kind]] of Object.entries(fields)) {
      const field = { name, number, kind };
      this.byNumber.set(number, field);
      this.byName.set(name, field);
    }
  }
}

type Fields = Record<string, unknown>;

/** The value of a JSON text that cannot be parsed: a list, which no call accepts. */
const UNREADABLE: readonly never[] = [];

class WireFault extends Error {}

const VARINT = 0;
const FIXED64 = 1;
const DELIMITED = 2;
const GROUP = 3;
const GROUP_END = 4;
const FIXED32 = 5;

/**
 * Reads the messages of one frame, each after its length. Returns the objects that JSON.parse would return for the JSON
 * encoding. Returns undefined if the frame is malformed.
 */
export function readFrame(
  frame: Buffer,
  message: Message,
): { fields: Fields; bytes: number }[] | undefined {
  const reader = new Reader(frame);
  try {
    return reader.messages(message);
  } catch (error) {
    if (error instanceof WireFault) return undefined;
    throw error;
  }
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;
  /** The lower and upper 32 bits of the last varint. */
  #low = 0;
  #high = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  messages(message: Message): { fields: Fields; bytes: number }[] {
    const messages = [];
    const end = this.#bytes.length;
    while (this.#at < end) {
      const messageEnd = this.#lengthEnd(end);
      const bytes = messageEnd - this.#at;
      messages.push({ fields: this.#fields(message, messageEnd, {}), bytes });
    }
    return messages;
  }

  /**
   * Reads fields into `fields`. As Protobuf requires, a repeated message is merged; of other fields, the last counts.
   */
  #fields(message: Message, end: number, fields: Fields): Fields {
    while (this.#at < end) {
      const tag = this.#unsigned(end);
      const wireType = tag % 8;
      const field = message.byNumber.get((tag - wireType) / 8);
      if (field === undefined) this.#skip(tag, end);
      else fields[field.name] = this.#value(field.kind, wireType, end, fields[field.name]);
    }
    return fields;
  }

  #value(kind: Kind, wireType: number, end: number, earlier: unknown): unknown {
    const isVarint = typeof kind === "string" && !["text", "json"].includes(kind);
    if (wireType !== (isVarint ? VARINT : DELIMITED)) throw new WireFault();
    if (kind instanceof Message) {
      return this.#fields(kind, this.#lengthEnd(end), (earlier ?? {}) as Fields);
    }
    switch (kind) {
      case "unsigned":
        return this.#unsigned(end);
      case "int32":
        this.#varint(end);
        return this.#low | 0;
      case "int64":
        this.#varint(end);
        return this.#high * 2 ** 32 + (this.#low >>> 0);
      case "boolean":
        this.#varint(end);
        return (this.#low | this.#high) !== 0;
      case "text":
        return this.#text(end);
      case "json":
        return readJson(this.#delimited(end));
      default:
        throw new Error("a field that is only written");
    }
  }

  #text(end: number): string {
    const bytes = this.#delimited(end);
    if (!isUtf8(bytes)) throw new WireFault();
    return bytes.toString();
  }

  #delimited(end: number): Buffer {
    const to = this.#lengthEnd(end);
    const bytes = this.#bytes.subarray(this.#at, to);
    this.#at = to;
    return bytes;
  }

  /** Reads a length and returns the offset at which the data of this length end. */
  #lengthEnd(end: number): number {
    const length = this.#unsigned(end);
    if (length > end - this.#at) throw new WireFault();
    return this.#at + length;
  }

  /** Reads an unsigned varint. The result is exact up to 2^53; a larger value is rounded, but never below 2^53. */
  #unsigned(end: number): number {
    this.#varint(end);
    return (this.#high >>> 0) * 2 ** 32 + (this.#low >>> 0);
  }

  /** Reads a varint of up to 64 bits, 7 bits per byte, into the halves. The bits at shift 28 belong to both halves. */
  #varint(end: number): void {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.#at >= end) throw new WireFault();
      const byte = this.#bytes[this.#at]!;
      this.#at += 1;
      const bits = byte & 0x7f;
      if (shift < 32) low |= bits << shift;
      if (shift === 28) high |= bits >> 4;
      if (shift > 28) high |= bits << (shift - 32);
      if (byte < 0x80) {
        // The tenth byte has only the last of the 64 bits.
        if (shift === 63 && bits > 1) break;
        this.#low = low;
        this.#high = high;
        return;
      }
    }
    throw new WireFault();
  }

  /** Skips an unknown field. Groups may be nested deeply, so a list of their numbers is kept instead of recursing. */
  #skip(firstTag: number, end: number): void {
    const open: number[] = [];
    let tag = firstTag;
    for (;;) {
      const wireType = tag % 8;
      const number = (tag - wireType) / 8;
      if (number === 0 || tag >= 2 ** 32) throw new WireFault();
      if (wireType === VARINT) this.#varint(end);
      else if (wireType === FIXED64) this.#pass(8, end);
      else if (wireType === DELIMITED) this.#at = this.#lengthEnd(end);
      else if (wireType === FIXED32) this.#pass(4, end);
      else if (wireType === GROUP) open.push(number);
      else if (wireType !== GROUP_END || open.pop() !== number) throw new WireFault();
      if (open.length === 0) return;
      tag = this.#unsigned(end);
    }
  }

  #pass(bytes: number, end: number): void {
    if (bytes > end - this.#at) throw new WireFault();
    this.#at += bytes;
  }
}

/** Parses the data of a call; empty data are absent. */
function readJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) return UNREADABLE;
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return UNREADABLE;
  }
}

/** Writes a message, one character per byte. Omits values that are zero, empty, false or undefined, as proto3 does. */
export function writeMessage(message: Message, fields: object): string {
  let written = "";
  for (const [name, value] of Object.entries(fields)) {
    const field = message.byName.get(name);
    if (field === undefined) throw new Error(`no such field: ${name}`);
    const isGiven = field.kind === "json" ? value !== undefined : Boolean(value);
    if (isGiven) written += writeField(field, value);
  }
  return written;
}

function writeField({ number, kind }: Field, value: unknown): string {
  if (kind instanceof Message) return delimited(number, writeMessage(kind, value as object));
  if (Array.isArray(kind)) {
    return (value as object[])
      .map((item) => delimited(number, writeMessage(kind[0], item)))
      .join("");
  }
  switch (kind) {
    case "text":
      return delimited(number, utf8Bytes(value as string));
    case "json":
      return delimited(number, utf8Bytes(JSON.stringify(value)));
    case "texts":
      return writeTexts(number, value as object);
    default:
      return varint(number * 8 + VARINT) + varint(Number(value));
  }
}

export function writeTexts(number: number, texts: object): string {
  let written = "";
  for (const [key, text] of Object.entries(texts)) written += writeText(number, key, text);
  return written;
}

/** Writes one entry of a map. */
export function writeText(number: number, key: string, text: string): string {
  return delimited(number, delimited(1, utf8Bytes(key)) + delimited(2, utf8Bytes(text)));
}

/** Writes a length-delimited field. */
export function delimited(number: number, bytes: string): string {
  const tag = number * 8 + DELIMITED;
  const { length } = bytes;
  if (tag < 0x80 && length < 0x80) return String.fromCharCode(tag, length) + bytes;
  return varint(tag) + lengthPrefixed(bytes);
}

/** Writes bytes after their length. */
export function lengthPrefixed(bytes: string): string {
  return varint(bytes.length) + bytes;
}

/** Writes an integer from 0 to 2^53 - 1 as a varint. */
export function varint(value: number): string {
  if (value < 0x80) return String.fromCharCode(value);
  if (value < 0x4000) return String.fromCharCode((value & 0x7f) | 0x80, value >> 7);
  let written = "";
  let rest = value;
  while (rest >= 0x80) {
    written += String.fromCharCode((rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return written + String.fromCharCode(rest);
}

/** Returns a text's UTF-8 as one character per byte. ASCII, which nearly all text is, is returned unchanged. */
export function utf8Bytes(text: string): string {
  return Buffer.byteLength(text) === text.length ? text : Buffer.from(text).toString("latin1");
}
