import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";
import { REALTIME_TOKEN_SECONDS, TENANT_ID, textFault } from "@belfry/contracts/identifiers";
import type { RealtimeTokenClaims } from "@belfry/contracts/realtime-token";
import { SignJWT } from "jose";

/** The only algorithm, so that a token cannot choose how it is verified. */
const ALGORITHM = "HS256";
const MIN_KEY_BYTES = 32;
/** The name of a header parameter, listed in `crit` (RFC 7515, 4.1.11). */
const CONCEALED = "concealed";
/** How far the signer's clock may be ahead of ours. */
const CLOCK_SKEW_SECONDS = 600;
const KEY_ID = /^[A-Za-z0-9._-]{1,32}$/;

/** Keys of realtime tokens. The first signs. All verify, so that tokens of an old key stay valid until they expire. */
export interface TokenKeys {
  current: { kid: string; key: KeyObject };
  byKid: ReadonlyMap<string, KeyObject>;
}

/**
 * Reads `kid:base64,kid2:base64`. Each key has at least 32 bytes. Throws on a fault; the error has the entry's number,
 * but not its text.
 */
export function parseTokenKeys(text: string): TokenKeys {
  const byKid = new Map<string, KeyObject>();
  let current: TokenKeys["current"] | undefined;
  for (const [index, entry] of text.split(",").entries()) {
    const what = `realtime token key ${index + 1}`;
    const colon = entry.indexOf(":");
    const kid = entry.slice(0, Math.max(colon, 0)).trim();
    const encoded = entry.slice(colon + 1).trim();
    if (!KEY_ID.test(kid)) throw new Error(`${what} must be kid:base64`);
    if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(encoded)) throw new Error(`${what} is not base64`);
    const bytes = Buffer.from(encoded, "base64");
    if (bytes.length < MIN_KEY_BYTES) throw new Error(`${what} is under ${MIN_KEY_BYTES} bytes`);
    if (byKid.has(kid)) throw new Error(`${what} has the kid of another`);
    const key = createSecretKey(bytes);
    byKid.set(kid, key);
    current ??= { kid, key };
  }
  // split() returns at least one entry.
  return { current: current!, byKid };
}

/** Signs a connection token, valid for two hours by default. */
export async function signRealtimeToken(
  keys: TokenKeys,
  holder: Pick<RealtimeTokenClaims, "sub" | "tenant" | "concealed">,
  options: { nowSeconds?: number; lifetimeSeconds?: number } = {},
): Promise<string> {
  const issuedAt = options.nowSeconds ?? Math.floor(Date.now() / 1000);
  const lifetimeSeconds = options.lifetimeSeconds ?? REALTIME_TOKEN_SECONDS;
  return await new SignJWT({ tenant: holder.tenant })
    .setProtectedHeader({
      alg: ALGORITHM,
      kid: keys.current.kid,
      typ: "JWT",
      ...(holder.concealed && { crit: [CONCEALED], [CONCEALED]: true }),
    })
    .setSubject(holder.sub)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifetimeSeconds)
    .sign(keys.current.key, { crit: { [CONCEALED]: true } });
}

export type VerifiedToken =
  | { ok: true; claims: RealtimeTokenClaims }
  /** `expired`: one of our tokens, but expired or not valid yet. Every other fault is `invalid`. */
  | { ok: false; fault: "expired" | "invalid" };

const INVALID = { ok: false, fault: "invalid" } as const;
const EXPIRED = { ok: false, fault: "expired" } as const;
/** Matches header, payload and a SHA-256 signature. */
const COMPACT = /^([\w-]+)\.([\w-]+)\.([\w-]{43})$/;

/**
 * Verifies a connection token. Never throws. We do not use the library, because it runs each HMAC on a thread, which
 * leaves some 3 KiB of memory per connection after ten thousand connects.
 */
export async function verifyRealtimeToken(
  keys: TokenKeys,
  token: string,
  nowSeconds: number,
): Promise<VerifiedToken> {
  const [, header, payload, signature] = COMPACT.exec(token) ?? [];
  if (header === undefined || payload === undefined || signature === undefined) return INVALID;
  const { alg, kid, crit, b64, [CONCEALED]: conceals } = parseObject(header);
  const isConcealed = conceals === true;
  // `crit` may name this parameter and no other.
  const isUnderstood = isConcealed
    ? Array.isArray(crit) && crit.length === 1 && crit[0] === CONCEALED
    : crit === undefined && conceals === undefined;
  if (alg !== ALGORITHM || !isUnderstood || b64 !== undefined) return INVALID;
  const key = typeof kid === "string" ? keys.byKid.get(kid) : undefined;
  if (key === undefined) return INVALID;
  const expected = createHmac("sha256", key).update(`${header}.${payload}`).digest("base64url");
  // The texts have the same length and can be compared, because a signature has only one form in base64url.
  if (!timingSafeEqual(Buffer.from(signature), Buffer.from(expected))) return INVALID;

  const { sub, tenant, iat, exp, nbf, channel } = parseObject(payload);
  // Signing checks this too, but other programs may also have the key.
  if (typeof sub !== "string" || textFault(sub) !== undefined) return INVALID;
  if (typeof tenant !== "string" || !TENANT_ID.test(tenant)) return INVALID;
  if (!isMoment(iat) || !isMoment(exp)) return INVALID;
  // No token lives longer than two hours, whoever signed it.
  if (iat > nowSeconds + CLOCK_SKEW_SECONDS) return INVALID;
  if (exp - iat > REALTIME_TOKEN_SECONDS) return INVALID;
  // A token for a channel does not open a connection.
  if (channel !== undefined) return INVALID;
  if (nbf !== undefined && (!isMoment(nbf) || nbf > exp)) return INVALID;
  if (exp <= nowSeconds || (nbf !== undefined && nbf > nowSeconds)) return EXPIRED;
  return { ok: true, claims: { sub, tenant, iat, exp, ...(isConcealed && { concealed: true }) } };
}

/** Whether a value is a time in seconds since 1970; fractions are allowed. */
function isMoment(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= Number.MAX_SAFE_INTEGER;
}

/** Returns the JSON object in a part of a token, or an empty object if there is none. */
function parseObject(part: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString());
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
