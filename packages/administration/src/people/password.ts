import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import type { InputFault } from "../input-error.ts";

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);

/** OWASP's scrypt: 64 MiB, some 0.2 s. The costs travel with each hash, so that they can grow. */
const COSTS = { log2N: 16, r: 8, p: 2 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Each takes 64 MiB: a crowd of guesses must not take all there is. */
const MAX_AT_ONCE = 2;
const MIN_CHARACTERS = 12;
const MAX_CHARACTERS = 256;

/** `scrypt$16$8$2$salt$hash`. */
export async function hashPassword(password: string, costs = COSTS): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await queued(() => deriveKey(password, salt, costs));
  const { log2N, r, p } = costs;
  return ["scrypt", log2N, r, p, salt.toString("base64url"), hash.toString("base64url")].join("$");
}

/** Takes as long for a person who is not there (`undefined`) as for one who is. */
export async function verifyPassword(password: string, stored: string | undefined) {
  const [, log2N, r, p, salt, hash] = (stored ?? NOBODY).split("$");
  const costs = { log2N: Number(log2N), r: Number(r), p: Number(p) };
  const expected = Buffer.from(hash ?? "", "base64url");
  const found = await queued(() =>
    deriveKey(password, Buffer.from(salt ?? "", "base64url"), costs),
  );
  return (
    found.length === expected.length && timingSafeEqual(found, expected) && stored !== undefined
  );
}

export function passwordFault(password: string, field = "password"): InputFault | undefined {
  const { length } = [...password];
  if (length < MIN_CHARACTERS) {
    return { field, message: `must be at least ${MIN_CHARACTERS} characters` };
  }
  if (length > MAX_CHARACTERS) {
    return { field, message: `must be at most ${MAX_CHARACTERS} characters` };
  }
  if (new Set(password).size < 5) return { field, message: "is too easy to guess" };
  return undefined;
}

const NOBODY = ["scrypt", COSTS.log2N, COSTS.r, COSTS.p, "AAAAAAAAAAAAAAAAAAAAAA", "AAAA"].join(
  "$",
);

function deriveKey(password: string, salt: Buffer, costs: typeof COSTS): Promise<Buffer> {
  const { log2N, r, p } = costs;
  const N = 2 ** log2N;
  return derive(password.normalize("NFKC"), salt, HASH_BYTES, { N, r, p, maxmem: 256 * N * r });
}

let running = 0;
const waiting: (() => void)[] = [];

async function queued<T>(work: () => Promise<T>): Promise<T> {
  if (running >= MAX_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    return await work();
  } finally {
    // Whoever waits takes over this place.
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}
