/** Longer than any line of ours: three texts of 255 characters of four bytes, all of them quoted. */
export const MAX_LINE_CHARACTERS = 4_000;

/**
 * The fields of a line of CSV (RFC 4180), without blanks around them unless they are quoted; or what is wrong.
 * A field does not go on in the next line.
 */
export function csvFields(line: string): { fields: string[] } | { fault: string } {
  if (line.length > MAX_LINE_CHARACTERS) {
    return { fault: `must be at most ${MAX_LINE_CHARACTERS} characters` };
  }
  const fields: string[] = [];
  let at = 0;
  for (;;) {
    while (line[at] === " " || line[at] === "\t") at += 1;
    let text = "";
    if (line[at] === '"') {
      for (at += 1; ; ) {
        const quote = line.indexOf('"', at);
        if (quote < 0) return { fault: "has a quote that does not end" };
        text += line.slice(at, quote);
        at = quote + 1;
        if (line[at] !== '"') break;
        text += '"';
        at += 1;
      }
      while (line[at] === " " || line[at] === "\t") at += 1;
      if (at < line.length && line[at] !== ",") {
        return { fault: "has something between a quote and the next comma" };
      }
    } else {
      const comma = line.indexOf(",", at);
      const end = comma < 0 ? line.length : comma;
      text = line.slice(at, end).trimEnd();
      at = end;
    }
    fields.push(text);
    if (at >= line.length) return { fields };
    at += 1;
  }
}
