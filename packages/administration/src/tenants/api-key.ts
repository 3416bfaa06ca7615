import { hash, randomInt } from "node:crypto";
import { listed } from "@belfry/contracts/channels";
import { textFault } from "@belfry/contracts/identifiers";
import { isKeyRole, KEY_ROLES, type KeyRole } from "@belfry/contracts/key-roles";
import { faultAt, invalid, refuseFaults } from "../input-error.ts";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const TENANT_ID_CHARACTERS = "0123456789abcdefghijklmnopqrstuvwxyz";

/** 40 characters of base62: 238 bits. */
const SECRET_CHARACTERS = 40;
const SHOWN_CHARACTERS = "bf_".length + 6;

export interface NewApiKey {
  /** `bf_` and 40 characters; shown once, never stored. */
  apiKey: string;
  /** Of the whole key: what is stored and looked up. */
  sha256: Buffer;
  /** Its first characters, for people to tell keys apart. */
  prefix: string;
}

export function newApiKey(): NewApiKey {
  const apiKey = `bf_${randomText(BASE62, SECRET_CHARACTERS)}`;
  return {
    apiKey,
    sha256: hash("sha256", apiKey, "buffer"),
    prefix: apiKey.slice(0, SHOWN_CHARACTERS),
  };
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
