const MARK = "\ufeff";
const UTF_16 = [0xff, 0xfe];
/** A decoder can be chosen once so many bytes are there. */
export const MARK_BYTES = UTF_16.length;

/**
 * The decoder of a file that begins so: UTF-8, or UTF-16 where a byte order mark says so. It leaves the
 * mark out, and refuses other bytes.
 */
export function textDecoder(beginning: Uint8Array): InstanceType<typeof TextDecoder> {
  const isWide = UTF_16.every((byte, at) => beginning[at] === byte);
  return new TextDecoder(isWide ? "utf-16le" : "utf-8", { fatal: true });
}

/** Editors on Windows begin a file with it. */
export function withoutMark(text: string): string {
  return text.startsWith(MARK) ? text.slice(MARK.length) : text;
}

/**
 * The text of a file that people bring, whatever editor wrote it: without a byte order mark, each line ending in "\n".
 * Throws for bytes that are no text.
 */
export function fileText(file: string | Uint8Array): string {
  const text = typeof file === "string" ? file : textDecoder(file).decode(file);
  return withoutMark(text).replaceAll("\r\n", "\n");
}
