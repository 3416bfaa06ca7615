import { createSecretKey, type KeyObject } from "node:crypto";
import { REALTIME_TOKEN_SECONDS } from "@belfry/contracts/bounds";
import { TENANT_ID, textFault } from "@belfry/contracts/identifiers";
import type { RealtimeTokenClaims } from "@belfry/contracts/realtime-token";
import { errors, jwtVerify, SignJWT } from "jose";

/** Pinned: a token never chooses how it is verified. */
const ALGORITHM = "HS256";
const MIN_KEY_BYTES = 32;
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
  holder: Pick<RealtimeTokenClaims, "sub" | "tenant">,
  options: { nowSeconds?: number; lifetimeSeconds?: number } = {},
): Promise<string> {
  const issuedAt = options.nowSeconds ?? Math.floor(Date.now() / 1000);
  const lifetimeSeconds = options.lifetimeSeconds ?? REALTIME_TOKEN_SECONDS;
  return await new SignJWT({ tenant: holder.tenant })
    .setProtectedHeader({ alg: ALGORITHM, kid: keys.current.kid, typ: "JWT" })
    .setSubject(holder.sub)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifetimeSeconds)
    .sign(keys.current.key);
}

export type VerifiedToken =
  | { ok: true; claims: RealtimeTokenClaims }
  /** `expired`: one of ours whose time is over (or has not come); everything else is `invalid`. */
  | { ok: false; fault: "expired" | "invalid" };

const INVALID = { ok: false, fault: "invalid" } as const;

/** Never throws, whatever the text. */
export async function verifyRealtimeToken(
  keys: TokenKeys,
  token: string,
  nowSeconds: number,
): Promise<VerifiedToken> {
  try {
    const { payload } = await jwtVerify(
      token,
      ({ kid }) => {
        const key = kid === undefined ? undefined : keys.byKid.get(kid);
        if (key === undefined) throw new Error("unknown kid");
        return key;
      },
      {
        algorithms: [ALGORITHM],
        currentDate: new Date(nowSeconds * 1000),
        requiredClaims: ["sub", "tenant", "iat", "exp"],
      },
    );
    const { sub, tenant, iat, exp } = payload;
    // User ids were checked when the token was signed; checked again, whoever holds the key.
    if (typeof sub !== "string" || textFault(sub) !== undefined) return INVALID;
    if (typeof tenant !== "string" || !TENANT_ID.test(tenant)) return INVALID;
    // A token for one channel is not one for a connection.
    if (payload.channel !== undefined) return INVALID;
    return { ok: true, claims: { sub, tenant, iat: iat!, exp: exp! } };
  } catch (error) {
    const early = error instanceof errors.JWTClaimValidationFailed && error.claim === "nbf";
    const late = error instanceof errors.JWTExpired;
    return early || late ? { ok: false, fault: "expired" } : INVALID;
  }
}
