import { parseForm, parseMultipart } from "@belfry/contracts/parse-form";
import { Problem } from "@belfry/contracts/problems";

/** The bound of a form or a query. The largest form of the pages has a few hundred. */
const MAX_FIELDS = 2_000;

/** Parses a form or a query. Throws a Problem for more than `MAX_FIELDS`. */
export function boundedForm(text: string): URLSearchParams {
  return parseForm(text, MAX_FIELDS) ?? refuseForm();
}

/** Parses a form with a file. Throws as `boundedForm`, and for a body that is no such form. */
export async function boundedMultipart(body: Buffer, contentType: string): Promise<FormData> {
  const form = await parseMultipart(body, contentType, MAX_FIELDS).catch((cause: unknown) => {
    throw new Problem("badRequest", { cause });
  });
  return form ?? refuseForm();
}

function refuseForm(): never {
  throw new Problem("tooLarge");
}
