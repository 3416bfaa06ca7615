import { hash, randomInt } from "node:crypto";
import { field } from "@belfry/contracts/fields";
import { textFault } from "@belfry/contracts/identifiers";
import type { TUnsafe } from "@sinclair/typebox";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const TENANT_ID_CHARACTERS = "0123456789abcdefghijklmnopqrstuvwxyz";

/** 40 characters of base62: 238 bits. */
const SECRET_CHARACTERS = 40;
const SHOWN_SECRET_CHARACTERS = 6;
/** Of a tenant's keys, and of those of the platform. */
export const KEY_MARKS = { tenant: "bf_", platform: "bfp_" } as const;

export interface NewApiKey {
  /** Its mark and 40 characters; shown once, never stored. */
  apiKey: string;
  /** Of the whole key: what is stored and looked up. */
  sha256: Buffer;
  /** Its first characters, for people to tell keys apart. */
  prefix: string;
}

export function newApiKey(of: keyof typeof KEY_MARKS = "tenant"): NewApiKey {
  return knownApiKey(`${KEY_MARKS[of]}${randomText(BASE62, SECRET_CHARACTERS)}`, of);
}

/** The same of a key that somebody else has made, as `apiKeyFault` wants it. */
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

/** What people call a key; none or "": it has no name. */
export function apiKeyName(description: string): TUnsafe<string> {
  return field({ type: "string", description }, (name) => {
    if (typeof name !== "string") return "must be a string";
    return name === "" ? undefined : textFault(name);
  });
}

/** 12 characters that say nothing of the tenant. */
export function newTenantId(): string {
  return randomText(TENANT_ID_CHARACTERS, 12);
}

function randomText(characters: string, length: number): string {
  return Array.from({ length }, () => characters[randomInt(characters.length)]).join("");
}
