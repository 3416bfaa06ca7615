import { hash, randomInt } from "node:crypto";
import { listed } from "@belfry/contracts/channels";
import { textFault } from "@belfry/contracts/identifiers";
import { isKeyRole, KEY_ROLES, type KeyRole } from "@belfry/contracts/key-roles";
import { faultAt, invalid, refuseFaults } from "../input-error.ts";

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

/** As it is stored: null for none. Throws `InvalidInput`. */
export function keyName(name: string | undefined, field = "keyName"): string | null {
  if (name === undefined || name === "") return null;
  refuseFaults([faultAt(field, textFault(name))]);
  return name;
}

/** Throws `InvalidInput` for what is none. */
export function keyRole(role: string, field = "role"): KeyRole {
  if (isKeyRole(role)) return role;
  throw invalid(field, `must be ${listed(KEY_ROLES, "or")}`);
}

/** 12 characters that say nothing of the tenant. */
export function newTenantId(): string {
  return randomText(TENANT_ID_CHARACTERS, 12);
}

function randomText(characters: string, length: number): string {
  return Array.from({ length }, () => characters[randomInt(characters.length)]).join("");
}
