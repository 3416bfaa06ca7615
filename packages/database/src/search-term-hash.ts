import { createHmac, createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import type { Database } from "./connection.ts";
import { searchKeyOwner } from "./secret-owners.ts";
import { decryptSecret, encryptSecret, type SecretKeys } from "./secrets.ts";

/**
 * What search_terms holds instead of values: 16 bytes, by a key that no table has in the clear. The first 8 are of
 * the value, so that all tenants' are one range of the index; the others are of the value and the tenant.
 */

/** What a value is; the same text of another kind has another hash. */
export type TermKind = "user" | "email" | "phone" | "phone end" | "trace" | "message";

const KEY_BYTES = 32;
const HALF_BYTES = 8;
const HALF_DIGITS = 2 * HALF_BYTES;
const MOST_TENANTS = 10_000;

export interface SearchKey {
  key: KeyObject;
  /** What a tenant's terms are told apart by; bounded, made again when it is full. */
  tenants: Map<string, Buffer>;
}

export function searchKeyOf(bytes: Uint8Array): SearchKey {
  return { key: createSecretKey(bytes), tenants: new Map() };
}

/**
 * The key of an installation. It stands in the database encrypted by SECRETS_KEYS: what these are changed to changes
 * no term. undefined: there is none yet. Throws where no key of SECRETS_KEYS opens it.
 */
export async function readSearchKey(db: Database, keys: SecretKeys) {
  const row = await db.selectFrom("search_key").select("secret").executeTakeFirst();
  if (row === undefined) return undefined;
  return searchKeyOf(
    Buffer.from(await decryptSecret(keys, searchKeyOwner(), row.secret), "base64"),
  );
}

/** The same; made where there is none. Safe from many replicas at once. */
export async function ensureSearchKey(db: Database, keys: SecretKeys): Promise<SearchKey> {
  const found = await readSearchKey(db, keys);
  if (found !== undefined) return found;
  const text = randomBytes(KEY_BYTES).toString("base64");
  const secret = await encryptSecret(keys, searchKeyOwner(), text);
  await db
    .insertInto("search_key")
    .values({ id: "search", secret })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const stored = await readSearchKey(db, keys);
  if (stored === undefined) throw new Error("the search key is gone as soon as it was made");
  return stored;
}

/** The hash of a tenant's value, written as a UUID. The value is to be normalised: see search-terms.ts. */
export function termHash(search: SearchKey, kind: TermKind, tenantId: string, value: string) {
  const digest = digestOf(search, kind, value);
  const own = tenantBytes(search, tenantId);
  for (let at = 0; at < HALF_BYTES; at += 1) {
    digest[HALF_BYTES + at] = digest[HALF_BYTES + at]! ^ own[at]!;
  }
  return asUuid(digest.toString("hex", 0, 2 * HALF_BYTES));
}

/** The ends of the range that has a value's hashes of all tenants. */
export function termRange(search: SearchKey, kind: TermKind, value: string) {
  const start = digestOf(search, kind, value).toString("hex", 0, HALF_BYTES);
  return {
    low: asUuid(start.padEnd(2 * HALF_DIGITS, "0")),
    high: asUuid(start.padEnd(2 * HALF_DIGITS, "f")),
  };
}

function digestOf({ key }: SearchKey, kind: string, value: string): Buffer {
  return createHmac("sha256", key).update(`${kind}\n${value}`).digest();
}

function tenantBytes(search: SearchKey, tenantId: string): Buffer {
  const known = search.tenants.get(tenantId);
  if (known !== undefined) return known;
  if (search.tenants.size >= MOST_TENANTS) search.tenants.clear();
  const bytes = digestOf(search, "tenant", tenantId);
  search.tenants.set(tenantId, bytes);
  return bytes;
}

function asUuid(hex: string): string {
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)];
  return `${parts.join("-")}-${hex.slice(20)}`;
}
