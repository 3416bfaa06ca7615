const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * The text of a header, which Node gives byte by byte: as UTF-8 where the bytes are that, as most
 * clients send it, else as Latin-1, as browsers and `fetch` do.
 */
export function headerText(bytes: string): string {
  if (!/[\u0080-\u00ff]/.test(bytes)) return bytes;
  try {
    return utf8.decode(Buffer.from(bytes, "latin1"));
  } catch {
    return bytes;
  }
}
