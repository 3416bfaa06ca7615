import { hash, randomInt } from "node:crypto";
import { field } from "@belfry/contracts/fields";
import { textFault } from "@belfry/contracts/identifiers";
import type { KeyRole } from "@belfry/contracts/key-roles";
import type { Database } from "@belfry/database/connection";
import type { TUnsafe } from "@sinclair/typebox";
import { sql } from "kysely";
import { uuidv7 } from "uuidv7";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const TENANT_ID_CHARACTERS = "0123456789abcdefghijklmnopqrstuvwxyz";

/** Length of a key's secret in base62: 238 bits. */
const SECRET_CHARACTERS = 40;
const SHOWN_SECRET_CHARACTERS = 6;
/** Prefixes of tenants' keys and of platform keys. */
export const KEY_MARKS = { tenant: "bf_", platform: "bfp_" } as const;

interface NewApiKey {
  /** The whole key: its mark and 40 characters. It is shown once and never stored. */
  apiKey: string;
  /** SHA-256 of the whole key. It is stored, and calls are looked up by it. */
  sha256: Buffer;
  /** The key's first characters, by which people tell keys apart. */
  prefix: string;
}

export function newApiKey(of: keyof typeof KEY_MARKS = "tenant"): NewApiKey {
  return knownApiKey(`${KEY_MARKS[of]}${randomText(BASE62, SECRET_CHARACTERS)}`, of);
}

/** Returns the hash and the prefix of a given key, which must have passed `apiKeyFault`. */
export function knownApiKey(apiKey: string, of: keyof typeof KEY_MARKS = "tenant"): NewApiKey {
  return {
    apiKey,
    sha256: hash("sha256", apiKey, "buffer"),
    prefix: apiKey.slice(0, KEY_MARKS[of].length + SHOWN_SECRET_CHARACTERS),
  };
}

export function apiKeyFault(apiKey: unknown, of: keyof typeof KEY_MARKS): string | undefined {
  const mark = KEY_MARKS[of];
  const secret =
    typeof apiKey === "string" && apiKey.startsWith(mark) ? apiKey.slice(mark.length) : "";
  return /^[A-Za-z0-9]{40}$/.test(secret)
    ? undefined
    : `must be ${mark} and ${SECRET_CHARACTERS} letters and digits`;
}

/** A key's name; absent or "" means that it has none. */
export function apiKeyName(description: string): TUnsafe<string> {
  return field({ type: "string", description }, (name) => {
    if (typeof name !== "string") return "must be a string";
    return name === "" ? undefined : textFault(name);
  });
}

/** Returns 12 random characters, which reveal nothing about the tenant. */
export function newTenantId(): string {
  return randomText(TENANT_ID_CHARACTERS, 12);
}

function randomText(characters: string, length: number): string {
  return Array.from({ length }, () => characters[randomInt(characters.length)]).join("");
}

/** Inserts a key. Only its SHA-256 is stored. */
export async function insertApiKey(
  db: Database,
  tenantId: string,
  key: { sha256: Buffer; prefix: string; name: string | null; role: KeyRole },
): Promise<void> {
  await db
    .insertInto("api_keys")
    .values({ id: uuidv7(), tenant_id: tenantId, ...key })
    .execute();
}

/** Returns the keys of these tenants that have not expired, newest first. */
export async function liveApiKeys(db: Database, tenantIds: readonly string[]) {
  if (tenantIds.length === 0) return [];
  return await db
    .selectFrom("api_keys")
    .select(["id", "tenant_id as tenantId", "prefix", "name", "role", "created_at as createdAt"])
    .select(["expires_at as expiresAt", "last_used_at as lastUsedAt"])
    .where("tenant_id", "in", tenantIds)
    .where((key) =>
      key.or([key("expires_at", "is", null), key("expires_at", ">", sql<Date>`now()`)]),
    )
    .orderBy("id", "desc")
    .execute();
}

/** `role`: the calls that the key may make. `expiresAt`: null until the key is rotated. */
export type ApiKeyRow = Awaited<ReturnType<typeof liveApiKeys>>[number];

/** Makes every valid key of a tenant with this role expire after `afterSeconds`, unless it expires sooner. */
export async function expireApiKeys(
  db: Database,
  tenantId: string,
  role: KeyRole,
  afterSeconds: number,
): Promise<void> {
  await sql`
    with locked as materialized (
      select id from api_keys
      where tenant_id = ${tenantId} and role = ${role} and (expires_at is null or expires_at > now())
      order by id for update
    )
    update api_keys
    set expires_at = least(expires_at, now() + make_interval(secs => ${afterSeconds}))
    where id = any (array(select id from locked))`.execute(db);
}

/** Deletes keys that expired more than 30 days ago. */
export async function deleteOldApiKeys(db: Database, tenantId: string): Promise<void> {
  await sql`
    with locked as materialized (
      select id from api_keys
      where tenant_id = ${tenantId} and expires_at < now() - interval '30 days'
      order by id for update
    )
    delete from api_keys where id = any (array(select id from locked))`.execute(db);
}

/** Deletes a key and returns it; undefined if the tenant has no key with this id. */
export async function deleteApiKey(db: Database, tenantId: string, id: string) {
  return await db
    .deleteFrom("api_keys")
    .where("id", "=", id)
    .where("tenant_id", "=", tenantId)
    .returning(["prefix", "name", "role"])
    .executeTakeFirst();
}
