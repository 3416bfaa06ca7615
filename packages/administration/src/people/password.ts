import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { type InputFault, refuseFaults } from "../input-error.ts";
import { type HashClient, scryptQueue } from "./scrypt-queue.ts";

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);

/**
 * The scrypt costs that OWASP recommends: 64 MiB and some 0.2 s. Each hash stores its costs, so that they can be
 * raised.
 */
const COSTS = { log2N: 16, r: 8, p: 2 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const MIN_CHARACTERS = 12;
const MAX_CHARACTERS = 256;

/** The format `scrypt$<log2N>$<r>$<p>$<salt>$<hash>`, such as `scrypt$16$8$2$…$…`. */
export type HashedPassword = string & { readonly isHashed: true };

/**
 * Hashes a password after a wait in the queue of `client`. Never call it in a transaction, because the wait would keep
 * a database connection. Throws `TooBusy`.
 */
export async function hashPassword(password: string, client: HashClient, costs = COSTS) {
  const salt = randomBytes(SALT_BYTES);
  const hash = await scryptQueue.run(client, () => deriveKey(password, salt, costs));
  const { log2N, r, p } = costs;
  const parts = ["scrypt", log2N, r, p, salt.toString("base64url"), hash.toString("base64url")];
  return parts.join("$") as HashedPassword;
}

/**
 * Checks a password. Takes the same time if no such person exists (`stored` is undefined). Otherwise like
 * `hashPassword`.
 */
export async function verifyPassword(
  password: string,
  stored: string | undefined,
  client: HashClient,
) {
  const [, log2N, r, p, salt, hash] = (stored ?? NOBODY).split("$");
  const costs = { log2N: Number(log2N), r: Number(r), p: Number(p) };
  const expected = Buffer.from(hash ?? "", "base64url");
  const found = await scryptQueue.run(client, () =>
    deriveKey(password, Buffer.from(salt ?? "", "base64url"), costs),
  );
  return (
    found.length === expected.length && timingSafeEqual(found, expected) && stored !== undefined
  );
}

/** Checks and hashes a password that a person has chosen. Throws `InvalidInput`; otherwise like `hashPassword`. */
export async function newPassword(password: string, client: HashClient): Promise<HashedPassword> {
  refuseFaults([passwordFault(password)]);
  return await hashPassword(password, client);
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

/** A hash that no password has. It is used if no such person exists, so that the check takes the same time. */
const NOBODY = ["scrypt", COSTS.log2N, COSTS.r, COSTS.p, "AAAAAAAAAAAAAAAAAAAAAA", "AAAA"].join(
  "$",
);

function deriveKey(password: string, salt: Buffer, costs: typeof COSTS): Promise<Buffer> {
  const { log2N, r, p } = costs;
  const N = 2 ** log2N;
  // scrypt needs somewhat more than 128 * N * r bytes, and Node's default limit is 32 MiB.
  return derive(password.normalize("NFKC"), salt, HASH_BYTES, { N, r, p, maxmem: 256 * N * r });
}
