import { Problem } from "./problems.ts";

/** Parses a form or a query. Throws a 413 Problem for more than `maxFields`. */
export function boundedForm(text: string, maxFields: number): URLSearchParams {
  return parseForm(text, maxFields) ?? refuseForm(maxFields);
}

/** Parses a form in parts. Throws as `boundedForm`, and a 400 Problem for a body that is no such form. */
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
