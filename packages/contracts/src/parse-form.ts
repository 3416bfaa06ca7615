import { Problem } from "./problems.ts";

/** Parses a form or a query. Throws a 413 Problem for more than `maxFields`. */
export function boundedForm(text: string, maxFields: number): URLSearchParams {
  return parseForm(text, maxFields) ?? refuseForm(maxFields);
}

/** Parses a multipart form. Throws a 413 Problem for more than `maxFields`, and a 400 Problem for an invalid body. */
export async function boundedMultipart(
  body: Buffer,
  contentType: string,
  maxFields: number,
): Promise<FormData> {
  const form = await parseMultipart(body, contentType, maxFields).catch((cause: unknown) => {
    throw new Problem("badRequest", { cause });
  });
  return form ?? refuseForm(maxFields);
}

function refuseForm(maxFields: number): never {
  throw new Problem("tooLarge", { message: `The form has more than ${maxFields} fields` });
}

/**
 * Parses a form or a query. Returns undefined for more than `maxFields`. They are counted before parsing, because
 * URLSearchParams takes superlinear time for many fields (seconds for 400,000 of `a&`).
 */
export function parseForm(text: string, maxFields: number): URLSearchParams | undefined {
  return hasMore(text, "&", maxFields - 1) ? undefined : new URLSearchParams(text);
}

/** A part has a boundary, a header, an empty line and a value; the part of a file has one more header. */
const LINES_OF_FIELD = 5;

/**
 * Parses a multipart form. Returns undefined if it has more lines than `maxFields` can have. They are counted before
 * parsing, because each part and each header costs much more than its bytes. Rejects for an invalid body.
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

/** Returns the fields of a form that are not files. */
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
