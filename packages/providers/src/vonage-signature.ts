import { createHash, timingSafeEqual } from "node:crypto";
import { errors, jwtVerify } from "jose";
import {
  headerOf,
  parseReceiptBody,
  recordOf,
  type WebhookFault,
  type WebhookHead,
} from "./receipt.ts";

const MAX_TOKEN_AGE = "5m";
/** Our clock may be wrong. Repeated events are recognized by their ids, so a wide tolerance is safe. */
const CLOCK_TOLERANCE = "10m";

/** Verifies and reads an object of the Messages API, signed with a JWT (HS256) that contains the body's hash. */
export async function signedBody(head: WebhookHead, keys: readonly string[], now: Date) {
  const authorization = headerOf(head, "authorization");
  // The vendor sometimes sends an unsigned webhook. It repeats it with a signature if we answer with a 5xx.
  if (authorization === undefined) return "unsigned";
  const token = /^Bearer ([\x21-\x7e]{1,8192})$/i.exec(authorization)?.[1];
  const hash = token === undefined ? undefined : await signedHash(token, keys, now);
  if (hash === undefined) return "forged";
  return (body: Buffer): Record<string, unknown> | WebhookFault => {
    if (!isHashOf(hash, body)) return "forged";
    const json = parseReceiptBody(body);
    const isObject = typeof json === "object" && json !== null && !Array.isArray(json);
    return isObject ? recordOf(json) : "unreadable";
  };
}

/** Returns the body's hash in the token, or undefined if the token is not the vendor's. */
async function signedHash(token: string, keys: readonly string[], now: Date): Promise<unknown> {
  for (const key of keys) {
    try {
      const { payload } = await jwtVerify(token, new TextEncoder().encode(key), {
        algorithms: ["HS256"],
        issuer: "Vonage",
        requiredClaims: ["jti", "payload_hash"],
        maxTokenAge: MAX_TOKEN_AGE,
        clockTolerance: CLOCK_TOLERANCE,
        currentDate: now,
      });
      return payload.payload_hash;
    } catch (error) {
      // The token may be signed with the next key.
      if (error instanceof errors.JWSSignatureVerificationFailed) continue;
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  }
  return undefined;
}

function isHashOf(hash: unknown, body: Buffer): boolean {
  if (typeof hash !== "string" || !/^[0-9a-f]{64}$/i.test(hash)) return false;
  return timingSafeEqual(Buffer.from(hash, "hex"), createHash("sha256").update(body).digest());
}
