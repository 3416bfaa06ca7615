/** Thrown for bytes that are no text. */
export class NotUtf8 extends Error {
  override readonly name = "NotUtf8";
}

/**
 * The lines of a file as it is read, without their ends; a mark of the byte order is left out. Of a line that is
 * longer than `most` comes its beginning, one character longer than that.
 */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  most: number,
): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let rest = "";
  for await (const chunk of chunks) {
    const text = decode(decoder, chunk);
    let from = 0;
    for (;;) {
      const end = text.indexOf("\n", from);
      const piece = text.slice(from, end < 0 ? undefined : end);
      // What is too long is not kept: what comes after its beginning changes nothing.
      rest += piece.slice(0, most + 1 - rest.length);
      if (end < 0) break;
      yield rest.endsWith("\r") ? rest.slice(0, -1) : rest;
      rest = "";
      from = end + 1;
    }
  }
  rest += decode(decoder, undefined);
  if (rest !== "") yield rest;
}

function decode(decoder: InstanceType<typeof TextDecoder>, chunk: Uint8Array | undefined): string {
  try {
    return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
  } catch (cause) {
    throw new NotUtf8("not UTF-8", { cause });
  }
}
