const MARK = "\ufeff";
const UTF_16 = [0xff, 0xfe];
/** Number of bytes that `textDecoder` needs to choose the encoding. */
export const MARK_BYTES = UTF_16.length;

/**
 * Returns the decoder for a file with this beginning: UTF-16 if it begins with the byte order mark of UTF-16, or else
 * UTF-8. The decoder drops the mark and throws for bytes that are not text.
 */
export function textDecoder(beginning: Uint8Array): InstanceType<typeof TextDecoder> {
  const isWide = UTF_16.every((byte, at) => beginning[at] === byte);
  return new TextDecoder(isWide ? "utf-16le" : "utf-8", { fatal: true });
}

/** Removes the byte order mark, with which editors on Windows begin a file. */
export function withoutMark(text: string): string {
  return text.startsWith(MARK) ? text.slice(MARK.length) : text;
}

/**
 * Returns the text of a file that a person wrote in any editor: without a byte order mark, with "\n" after each line.
 * Throws for bytes that are not text.
 */
export function fileText(file: string | Uint8Array): string {
  const text = typeof file === "string" ? file : textDecoder(file).decode(file);
  return withoutMark(text).replaceAll("\r\n", "\n");
}
