import { createHash, timingSafeEqual } from "node:crypto";
import { errors, jwtVerify } from "jose";
import { headerOf, type ReceiptRequest } from "./receipt.ts";

const MAX_TOKEN_AGE = "5m";
/** Our clock may be wrong: what comes again is known by its id, so a wider window costs nothing. */
const CLOCK_TOLERANCE = "10m";

/** Whether a webhook of the Messages API is the vendor's: by a token (HS256) over its body's hash. */
export async function vonageSigned(
  request: ReceiptRequest,
  keys: readonly string[],
  now: Date,
): Promise<"signed" | "unsigned" | "forged"> {
  const authorization = headerOf(request, "authorization");
  // Rarely the vendor sends one without; answered with a 5xx it comes again, signed.
  if (authorization === undefined) return "unsigned";
  const token = /^Bearer ([\x21-\x7e]{1,8192})$/i.exec(authorization)?.[1];
  const isGood = token !== undefined && (await isSigned(token, request.body, keys, now));
  return isGood ? "signed" : "forged";
}

async function isSigned(token: string, body: Buffer, keys: readonly string[], now: Date) {
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
      return isHashOf(payload.payload_hash, body);
    } catch (error) {
      // Signed with another key: perhaps the next.
      if (error instanceof errors.JWSSignatureVerificationFailed) continue;
      if (error instanceof errors.JOSEError) return false;
      throw error;
    }
  }
  return false;
}

function isHashOf(hash: unknown, body: Buffer): boolean {
  if (typeof hash !== "string" || !/^[0-9a-f]{64}$/i.test(hash)) return false;
  return timingSafeEqual(Buffer.from(hash, "hex"), createHash("sha256").update(body).digest());
}
