import { createHmac, timingSafeEqual } from "node:crypto";
import { Problem } from "@belfry/contracts/problems";

const HEX_SHA256 = /^[0-9a-f]{64}$/;

/**
 * Verifies `X-Service-Signature`: HMAC-SHA256 over the raw body exactly as sent, in lowercase hex,
 * compared in constant time. Throws a 401 Problem that names the cause in a header only.
 */
export function verifySignature(secret: string, body: Buffer, signature: unknown): void {
  if (signature === undefined) throw unsigned("missing");
  if (typeof signature !== "string" || !HEX_SHA256.test(signature)) throw unsigned("invalid");
  const expected = createHmac("sha256", secret).update(body).digest("hex");
  if (!timingSafeEqual(Buffer.from(expected), Buffer.from(signature))) throw unsigned("invalid");
}

function unsigned(error: "missing" | "invalid"): Problem {
  return new Problem("unauthorized", {
    headers: { "www-authenticate": `X-Service-Signature error="${error}"` },
    cause: new Error(`signature ${error}`),
  });
}
