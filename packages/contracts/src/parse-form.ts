/**
 * Parses a form or a query. Undefined for more than `maxFields`: counted before anything is parsed, because
 * URLSearchParams takes superlinear time for many (400,000 of `a&` take seconds).
 */
export function parseForm(text: string, maxFields: number): URLSearchParams | undefined {
  return hasMore(text, "&", maxFields - 1) ? undefined : new URLSearchParams(text);
}

/** A part has a boundary, a header, an empty line and a value; a file has another header. */
const LINES_OF_FIELD = 5;

/**
 * Parses a form in parts. Undefined for more lines than `maxFields` have: counted before anything is parsed, because
 * each part and each header costs much more than its bytes. Rejects where the body is no such form.
 */
export async function parseMultipart(
  body: Buffer,
  contentType: string,
  maxFields: number,
): Promise<FormData | undefined> {
  if (hasMore(body, "\r\n", maxFields * LINES_OF_FIELD)) return undefined;
  return await new Response(new Uint8Array(body), {
    headers: { "content-type": contentType },
  }).formData();
}

/** The fields of a form that are no files. */
export function textFields(form: FormData): [name: string, value: string][] {
  return [...form].filter((field): field is [string, string] => typeof field[1] === "string");
}

function hasMore(text: string | Buffer, separator: string, most: number): boolean {
  let count = 0;
  let at = text.indexOf(separator);
  while (at !== -1) {
    count += 1;
    if (count > most) return true;
    at = text.indexOf(separator, at + separator.length);
  }
  return false;
}
