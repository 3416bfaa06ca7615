import { createHmac, createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { chatKindOf, emailAddress } from "@belfry/contracts/addresses";
import { PHONE, TRACE_ID } from "@belfry/contracts/identifiers";
import type { Database } from "./connection.ts";
import { decryptSecret, encryptSecret, type SecretKeys, searchKeyOwner } from "./secrets.ts";

/**
 * The table search_terms holds keyed hashes of 16 bytes in place of values. No table has the key in clear text. The first 8
 * bytes depend on the value alone, so that the hashes of all tenants are one range of the index. The others depend on the
 * value and the tenant.
 */

/** A value's kind. The same text of another kind has another hash. */
export type TermKind = "user" | "email" | "phone" | "phone end" | "chat" | "trace" | "message";

const KEY_BYTES = 32;
const HALF_BYTES = 8;
const HALF_DIGITS = 2 * HALF_BYTES;
const MOST_TENANTS = 10_000;

export interface SearchKey {
  key: KeyObject;
  /** Derived keys by tenant; bounded, and cleared when it is full. */
  tenants: Map<string, Buffer>;
}

function searchKeyOf(bytes: Uint8Array): SearchKey {
  return { key: createSecretKey(bytes), tenants: new Map() };
}

/**
 * Reads the installation's key. The database stores it encrypted by SECRETS_KEYS, so a change of SECRETS_KEYS changes
 * no term. Returns undefined if there is none yet. Throws if no key of SECRETS_KEYS decrypts it.
 */
export async function readSearchKey(db: Database, keys: SecretKeys) {
  const row = await db.selectFrom("search_key").select("secret").executeTakeFirst();
  if (row === undefined) return undefined;
  return searchKeyOf(
    Buffer.from(await decryptSecret(keys, searchKeyOwner(), row.secret), "base64"),
  );
}

/** Reads the installation's key, and creates it if there is none. Safe from many replicas at once. */
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

/** Returns the hash of a tenant's value, written as a UUID. The value must be normalised. */
export function termHash(search: SearchKey, kind: TermKind, tenantId: string, value: string) {
  const digest = digestOf(search, kind, value);
  const own = tenantBytes(search, tenantId);
  for (let at = 0; at < HALF_BYTES; at += 1) {
    digest[HALF_BYTES + at] = digest[HALF_BYTES + at]! ^ own[at]!;
  }
  return asUuid(digest.toString("hex", 0, 2 * HALF_BYTES));
}

/** Returns the ends of the range that contains a value's hashes of all tenants. */
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

/** A value by which an event is found, normalised for storing and for searching. */
export interface SearchTerm {
  kind: TermKind;
  value: string;
}

/** The last digits of a phone number, which are the same with and without a country code. */
const END_DIGITS = 8;
const LEAST_DIGITS = 6;
const MOST_DIGITS = 15;
const SEPARATORS = new Set(" \t\u00a0\u2009\u202f()[]./-\u2010\u2011\u2012\u2013\u2212");

/** Returns the terms of a message's address on any channel. */
export function addressTerms(address: string): SearchTerm[] {
  if (PHONE.test(address)) {
    return [
      { kind: "phone", value: address },
      { kind: "phone end", value: address.slice(-END_DIGITS) },
    ];
  }
  if (chatKindOf(address) !== undefined) return [{ kind: "chat", value: address }];
  return address.includes("@") ? [{ kind: "email", value: mailbox(address) }] : [];
}

/** Returns the term of a vendor's message id, without the angle brackets that some vendors write only in some places. */
export function messageTerm(messageId: string): SearchTerm {
  return { kind: "message", value: unbracketed(messageId) };
}

/** Direction marks, joiners and soft hyphens: nobody sees them, but they are copied with a text. */
const UNSEEN = /\p{Cf}/gu;

/** Returns the forms in which an id that looks like the text may be stored: at most four, the text itself first. */
export function formsOfText(text: string): string[] {
  const seen = seenOf(text);
  return [...new Set([text, seen, seen.normalize("NFC"), seen.normalize("NFD")])];
}

/** Returns a term for each meaning that a person's text may have. Takes time linear in its length. */
export function termsOfText(given: string): SearchTerm[] {
  const terms = formsOfText(given).map((value): SearchTerm => ({ kind: "user", value }));
  const text = seenOf(given);
  const email = emailAddress(addressIn(text));
  if (email !== undefined) terms.push({ kind: "email", value: mailbox(email) });
  const phone = phoneIn(text);
  if (phone?.whole !== undefined) terms.push({ kind: "phone", value: phone.whole });
  else if (phone !== undefined && phone.digits.length >= END_DIGITS) {
    terms.push({ kind: "phone end", value: phone.digits.slice(-END_DIGITS) });
  }
  if (chatKindOf(text) !== undefined) terms.push({ kind: "chat", value: text });
  if (TRACE_ID.test(text)) terms.push({ kind: "trace", value: text });
  const message = unbracketed(text);
  terms.push({ kind: "message", value: message });
  // SendGrid's webhooks append more to the id that its API has returned.
  const dot = message.indexOf(".");
  if (dot > 0) terms.push({ kind: "message", value: message.slice(0, dot) });
  return terms;
}

interface PhoneNumber {
  /** E.164; undefined if the text has no country code. */
  whole: string | undefined;
  /** Digits without the country code, or without the zero in its place. */
  digits: string;
}

/** Reads any usual form of a number: +49 (0)171 123-4567, 0049171…, 0171/1234567, (202) 555 0123; else undefined. */
export function phoneIn(text: string): PhoneNumber | undefined {
  const plain = seenOf(text).normalize("NFKC").replace(/^tel:/i, "").replace("(0)", "");
  let digits = "";
  for (const letter of plain) {
    if (letter >= "0" && letter <= "9") digits += letter;
    else if (letter === "+" && digits === "") digits = "00";
    else if (!SEPARATORS.has(letter)) return undefined;
    if (digits.length > MOST_DIGITS + 3) return undefined;
  }
  const whole = digits.startsWith("00") ? `+${digits.slice(2)}` : undefined;
  if (whole !== undefined) {
    return PHONE.test(whole) ? { whole, digits: whole.slice(1) } : undefined;
  }
  const own = digits.startsWith("0") ? digits.slice(1) : digits;
  return own.length >= LEAST_DIGITS && own.length <= MOST_DIGITS
    ? { whole: undefined, digits: own }
    : undefined;
}

/** Removes invisible characters. Returns the text itself if nothing visible is left. */
function seenOf(text: string): string {
  return text.replace(UNSEEN, "").trim() || text;
}

/** Returns the address in `Ann <ann@example.com>` or `mailto:ann@example.com`, with ordinary letters for wide ones. */
export function addressIn(given: string): string {
  const text = given.normalize("NFKC");
  const close = text.endsWith(">") ? text.lastIndexOf("<") : -1;
  const inner = close < 0 ? text : text.slice(close + 1, -1);
  return inner.trim().replace(/^mailto:/i, "");
}

/** Returns the beginning of an address as the directory searches for it; for a whole address, its stored form. */
export function addressBeginning(given: string): string {
  const text = addressIn(seenOf(given));
  return mailbox(emailAddress(text) ?? text);
}

/** Returns the form that suppressions have: ASCII letters in lower case. */
export function mailbox(address: string): string {
  return address.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function unbracketed(text: string): string {
  return text.startsWith("<") && text.endsWith(">") ? text.slice(1, -1) : text;
}
