import { createHmac, timingSafeEqual } from "node:crypto";
import { Problem } from "@belfry/contracts/problems";
import { HEADERS } from "@belfry/contracts/trigger";
import type { FastifyRequest } from "fastify";
import type { WebhookSecret } from "./tenant-directory.ts";

const HEX_SHA256 = /^[0-9a-f]{64}$/;

/**
 * For `preValidation`, of what makes or moves messages or changes users: where the tenant has a webhook secret,
 * the raw body must be signed, an empty one too.
 */
export function requireSignature(request: FastifyRequest, _reply: unknown, done: () => void): void {
  const { webhookSecrets } = request.tenant;
  if (webhookSecrets.length > 0) {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    verifySignature(webhookSecrets, body, request.headers[HEADERS.signature], new Date());
  }
  done();
}

/**
 * Verifies `X-Service-Signature`: HMAC-SHA256 over the raw body exactly as sent, in lowercase hex, by one
 * of the secrets that have not ended, compared in constant time. Throws a 401 Problem that names the
 * cause in a header only.
 */
export function verifySignature(
  secrets: readonly WebhookSecret[],
  body: Buffer,
  signature: unknown,
  now: Date,
): void {
  if (signature === undefined) throw unsigned("missing");
  if (typeof signature !== "string" || !HEX_SHA256.test(signature)) throw unsigned("invalid");
  const given = Buffer.from(signature);
  const isRight = secrets.some(({ secret, endsAt }) => {
    if (endsAt !== null && endsAt <= now) return false;
    const expected = createHmac("sha256", secret).update(body).digest("hex");
    return timingSafeEqual(Buffer.from(expected), given);
  });
  if (!isRight) throw unsigned("invalid");
}

function unsigned(error: "missing" | "invalid"): Problem {
  return new Problem("unauthorized", {
    headers: { "www-authenticate": `X-Service-Signature error="${error}"` },
    cause: new Error(`signature ${error}`),
  });
}
