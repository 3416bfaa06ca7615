import { createHmac, timingSafeEqual } from "node:crypto";
import { signedText } from "@belfry/administration/act-http";
import { Problem } from "@belfry/contracts/problems";
import { HEADERS } from "@belfry/contracts/trigger";
import type { FastifyRequest } from "fastify";
import type { WebhookSecret } from "./tenant-directory.ts";

const HEX_SHA256 = /^[0-9a-f]{64}$/;
const UNIX_SECONDS = /^[1-9]\d{8,10}$/;
/** How far the clock of who signs may be from ours, either way. */
const MAX_CLOCK_SECONDS = 300;

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
 * For `preValidation` of management: where the tenant has a webhook secret, every call is signed with its time, method,
 * path and body, so that a signature of nothing authorises nothing. The 401 says what is wrong: the key was right.
 */
export function requireTimedSignature(now: () => Date) {
  return (request: FastifyRequest, _reply: unknown, done: () => void): void => {
    const { webhookSecrets } = request.tenant;
    if (webhookSecrets.length > 0) {
      const at = now();
      const timestamp = timestampOf(request, at);
      const { method = "", url: path = "" } = request.raw;
      const head = Buffer.from(signedText(timestamp, { method, path }));
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const signature = request.headers[HEADERS.signature];
      const message =
        signature === undefined
          ? "This tenant signs its calls: the header X-Service-Signature is missing"
          : "X-Service-Signature is not that of timestamp.METHOD.path?query.body with the webhook secret";
      verifySignature(webhookSecrets, Buffer.concat([head, body]), signature, at, message);
    }
    done();
  };
}

function timestampOf({ headers }: FastifyRequest, now: Date): string {
  const given = headers[HEADERS.timestamp];
  const nowSeconds = Math.floor(now.getTime() / 1000);
  if (typeof given !== "string" || !UNIX_SECONDS.test(given)) {
    const message = "This tenant signs its calls: X-Service-Timestamp must be the Unix seconds";
    throw unsigned(given === undefined ? "missing" : "invalid", message);
  }
  if (Math.abs(Number(given) - nowSeconds) > MAX_CLOCK_SECONDS) {
    const message = `X-Service-Timestamp must be within 5 minutes of this server's ${nowSeconds}`;
    throw unsigned("invalid", message);
  }
  return given;
}

/**
 * Verifies `X-Service-Signature`: HMAC-SHA256 over the raw body exactly as sent, in lowercase hex, by one
 * of the secrets that have not ended, compared in constant time. Throws a 401 Problem that names the
 * cause in a header, and in `message` where it is given.
 */
export function verifySignature(
  secrets: readonly WebhookSecret[],
  body: Buffer,
  signature: unknown,
  now: Date,
  message?: string,
): void {
  if (signature === undefined) throw unsigned("missing", message);
  if (typeof signature !== "string" || !HEX_SHA256.test(signature)) {
    throw unsigned("invalid", message);
  }
  const given = Buffer.from(signature);
  const isRight = secrets.some(({ secret, endsAt }) => {
    if (endsAt !== null && endsAt <= now) return false;
    const expected = createHmac("sha256", secret).update(body).digest("hex");
    return timingSafeEqual(Buffer.from(expected), given);
  });
  if (!isRight) throw unsigned("invalid", message);
}

function unsigned(error: "missing" | "invalid", message?: string): Problem {
  return new Problem("unauthorized", {
    ...(message !== undefined && { message }),
    headers: { "www-authenticate": `X-Service-Signature error="${error}"` },
    cause: new Error(`signature ${error}`),
  });
}
