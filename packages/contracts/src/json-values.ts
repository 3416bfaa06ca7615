const [QUOTE, BACKSLASH, BRACKET, BRACE, COMMA, COLON] = Buffer.from('"\\[{,:');

/**
 * Returns an upper bound of the values inside the outermost value of a JSON text: each follows a bracket, brace, comma
 * or colon outside a string. Stops counting above `most`.
 */
export function jsonValues(json: Buffer, most: number): number {
  let values = 0;
  let isInText = false;
  for (let at = 0; at < json.length && values <= most; at += 1) {
    const byte = json[at] as number;
    if (isInText) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) isInText = false;
    } else if (byte === QUOTE) isInText = true;
    else if (byte === COMMA || byte === COLON || byte === BRACKET || byte === BRACE) values += 1;
  }
  return values;
}
