import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";
import { REALTIME_TOKEN_SECONDS } from "@belfry/contracts/bounds";
import { TENANT_ID, textFault } from "@belfry/contracts/identifiers";
import type { RealtimeTokenClaims } from "@belfry/contracts/realtime-token";
import { SignJWT } from "jose";

/** Pinned: a token never chooses how it is verified. */
const ALGORITHM = "HS256";
const MIN_KEY_BYTES = 32;
/** The header's name of it, and what must be understood (RFC 7515, 4.1.11). */
const CONCEALED = "concealed";
/** How far the clock of who signed may be ahead of ours. */
const CLOCK_SKEW_SECONDS = 600;
const KEY_ID = /^[A-Za-z0-9._-]{1,32}$/;

/** Keys of realtime tokens: the first signs, all verify, so that a retired one can run out. */
export interface TokenKeys {
  current: { kid: string; key: KeyObject };
  byKid: ReadonlyMap<string, KeyObject>;
}

/**
 * Reads `kid:base64,kid2:base64`, each key at least 32 bytes. Throws on a fault, naming the entry by
 * its place and never its text.
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
  // split() gives at least one entry.
  return { current: current!, byKid };
}

/** Signs a connection token; two hours of life unless said. */
export async function signRealtimeToken(
  keys: TokenKeys,
  holder: Pick<RealtimeTokenClaims, "sub" | "tenant" | "concealed">,
  options: { nowSeconds?: number; lifetimeSeconds?: number } = {},
): Promise<string> {
  const issuedAt = options.nowSeconds ?? Math.floor(Date.now() / 1000);
  const lifetimeSeconds = options.lifetimeSeconds ?? REALTIME_TOKEN_SECONDS;
  return await new SignJWT({ tenant: holder.tenant })
    .setProtectedHeader({
      ...{ alg: ALGORITHM, kid: keys.current.kid, typ: "JWT" },
      ...(holder.concealed && { crit: [CONCEALED], [CONCEALED]: true }),
    })
    .setSubject(holder.sub)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifetimeSeconds)
    .sign(keys.current.key, { crit: { [CONCEALED]: true } });
}

export type VerifiedToken =
  | { ok: true; claims: RealtimeTokenClaims }
  /** `expired`: one of ours whose time is over (or has not come); everything else is `invalid`. */
  | { ok: false; fault: "expired" | "invalid" };

const INVALID = { ok: false, fault: "invalid" } as const;
const EXPIRED = { ok: false, fault: "expired" } as const;
/** The signature is one of SHA-256. */
const COMPACT = /^([\w-]+)\.([\w-]+)\.([\w-]{43})$/;

/**
 * Never throws, whatever the text. Here rather than in the library, which hands each HMAC to a thread:
 * a thread's memory stays behind, some 3 KiB a connection after ten thousand connects.
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
  // What must be understood is this, and nothing else.
  const isUnderstood = isConcealed
    ? Array.isArray(crit) && crit.length === 1 && crit[0] === CONCEALED
    : crit === undefined && conceals === undefined;
  if (alg !== ALGORITHM || !isUnderstood || b64 !== undefined) return INVALID;
  const key = typeof kid === "string" ? keys.byKid.get(kid) : undefined;
  if (key === undefined) return INVALID;
  const expected = createHmac("sha256", key).update(`${header}.${payload}`).digest("base64url");
  // As texts, of one length: a signature is written in one way only.
  if (!timingSafeEqual(Buffer.from(signature), Buffer.from(expected))) return INVALID;

  const { sub, tenant, iat, exp, nbf, channel } = parseObject(payload);
  // User ids were checked when the token was signed; checked again, whoever holds the key.
  if (typeof sub !== "string" || textFault(sub) !== undefined) return INVALID;
  if (typeof tenant !== "string" || !TENANT_ID.test(tenant)) return INVALID;
  if (!isMoment(iat) || !isMoment(exp)) return INVALID;
  // Whoever signs, no token outlives the two hours of ours.
  if (iat > nowSeconds + CLOCK_SKEW_SECONDS) return INVALID;
  if (exp - iat > REALTIME_TOKEN_SECONDS) return INVALID;
  // A token for one channel is not one for a connection.
  if (channel !== undefined) return INVALID;
  if (nbf !== undefined && (!isMoment(nbf) || nbf > exp)) return INVALID;
  if (exp <= nowSeconds || (nbf !== undefined && nbf > nowSeconds)) return EXPIRED;
  return { ok: true, claims: { sub, tenant, iat, exp, ...(isConcealed && { concealed: true }) } };
}

/** Seconds since 1970: a fraction is allowed, a number that is no time of ours is not. */
function isMoment(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= Number.MAX_SAFE_INTEGER;
}

/** The object in a part of a token; an empty one where there is none. */
function parseObject(part: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString());
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
