/** RFC 9110, 5.6.2. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const HEADER_VALUE = /^[\t\x20-\x7e]{1,4096}$/;
const MAX_HEADERS = 20;
/** These fields belong to the connection, which is ours. */
const OWN_HEADERS =
  /^(?:host|connection|content-length|content-encoding|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*)$/;

/** Fields that hold no secret. */
export const OPEN_HEADERS = new Set(["accept", "accept-language", "content-type", "user-agent"]);

interface HeaderLine {
  /** Counts from 1. */
  line: number;
  name: string;
  value: string;
}

/** Returns the header fields of a text as a person writes them: one per line, with a name, a colon and a value. */
export function headerLines(text: string): HeaderLine[] {
  return text
    .split("\n")
    .map((written, index) => {
      const colon = written.indexOf(":");
      const name = colon === -1 ? "" : written.slice(0, colon).trim();
      return { line: index + 1, written, name, value: written.slice(colon + 1).trim() };
    })
    .filter(({ written }) => written.trim() !== "");
}

/** Returns the faults of such a text. No fault repeats a value. */
export function headerFaults(text: string): string[] {
  const lines = headerLines(text);
  if (lines.length > MAX_HEADERS) return [`there are more than ${MAX_HEADERS}`];
  const seen = new Set<string>();
  return lines.flatMap(({ line, name, value }) => {
    const known = name.toLowerCase();
    const isTwice = seen.has(known);
    seen.add(known);
    const rule = !HEADER_NAME.test(name)
      ? "must be a name, a colon and a value"
      : OWN_HEADERS.test(known)
        ? "is a header field of the connection, which cannot be set"
        : isTwice
          ? "names a header field that stands above"
          : HEADER_VALUE.test(value)
            ? null
            : "must have a value of printable ASCII, of at most 4,096 characters";
    return rule === null ? [] : [`line ${line}: ${rule}`];
  });
}
