import { Problem } from "@belfry/contracts/problems";
import type { FastifyRequest } from "fastify";

/** A hundred categories with every box of theirs fit. */
export const MAX_FORM_BYTES = 96 * 1024;
const MAX_FIELDS = 2_000;

/** The text fields of a request's form: urlencoded, or in parts as some mailbox providers send it. */
export async function formOf(request: FastifyRequest): Promise<URLSearchParams> {
  const { body } = request;
  if (!Buffer.isBuffer(body)) return new URLSearchParams();
  const type = request.headers["content-type"] ?? "";
  if (!/^multipart\//i.test(type)) return new URLSearchParams(body.toString().trimEnd());
  const form = new URLSearchParams();
  try {
    // The platform's own parser: a body of one small field is not worth a library.
    const parts = await new Response(new Uint8Array(body), {
      headers: { "content-type": type },
    }).formData();
    for (const [name, value] of parts) {
      if (form.size < MAX_FIELDS && typeof value === "string") form.append(name, value);
    }
  } catch (cause) {
    throw new Problem("badRequest", { cause });
  }
  return form;
}
