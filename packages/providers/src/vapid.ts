import { createPrivateKey } from "node:crypto";
import { SignJWT } from "jose";
import type { VapidKeys } from "./web-push-encryption.ts";

const HOUR_MS = 60 * 60 * 1000;
/** Push services accept at most 24 hours (RFC 8292, 2). */
const VALID_MS = 12 * HOUR_MS;
/** A token is not used in its last hour, because clocks differ. */
const USED_MS = 11 * HOUR_MS;
/** Users choose the origins, so the number of kept tokens is limited. */
const MAX_TOKENS = 1_000;

/**
 * Returns a function that resolves to the token with which an application server identifies itself to a push service
 * (RFC 8292). It is signed once for each origin and pair of keys and kept until near its end.
 */
export function createVapidTokens(subject: string, now: () => number) {
  const kept = new Map<string, { token: Promise<string>; untilMs: number }>();
  return (origin: string, keys: VapidKeys): Promise<string> => {
    const name = `${keys.publicKey} ${origin}`;
    const nowMs = now();
    let known = kept.get(name);
    if (known === undefined || known.untilMs <= nowMs) {
      const token = sign(keys, { origin, subject, endsAtMs: nowMs + VALID_MS });
      known = { token, untilMs: nowMs + USED_MS };
    }
    // The order of the map is that of the last use.
    kept.delete(name);
    kept.set(name, known);
    if (kept.size > MAX_TOKENS) kept.delete(kept.keys().next().value!);
    return known.token;
  };
}

function sign(
  { publicKey, privateKey }: VapidKeys,
  { origin, subject, endsAtMs }: { origin: string; subject: string; endsAtMs: number },
): Promise<string> {
  // The first byte says that the point is uncompressed.
  const point = Buffer.from(publicKey, "base64url").subarray(1);
  const [x, y] = [point.subarray(0, 32), point.subarray(32)].map((at) => at.toString("base64url"));
  const jwk = { kty: "EC", crv: "P-256", x: x!, y: y!, d: privateKey };
  return new SignJWT()
    .setProtectedHeader({ typ: "JWT", alg: "ES256" })
    .setAudience(origin)
    .setSubject(subject)
    .setExpirationTime(Math.floor(endsAtMs / 1000))
    .sign(createPrivateKey({ key: jwk, format: "jwk" }));
}
