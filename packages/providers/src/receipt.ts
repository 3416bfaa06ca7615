import { createHash, createPublicKey, type KeyObject, timingSafeEqual } from "node:crypto";
import type { Content } from "@belfry/contracts/channels";
import { PHONE } from "@belfry/contracts/identifiers";
import type { InboundText } from "@belfry/contracts/inbound";
import { jsonValues } from "@belfry/contracts/json-values";
import { parseForm } from "@belfry/contracts/parse-form";
import { type Receipt, webhookPath } from "@belfry/contracts/sending";

/** A provider's request before its body is read. */
export interface WebhookHead {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The URL as the vendor got it from us or a person, with its query. */
  url: string;
}

/**
 * The faults: forged: the signature is wrong, too old, or missing from a vendor that always signs · unsigned: it is
 * missing, and the provider sends the call again with one when it is asked to · unreachable: a server of the vendor,
 * which verifies it, did not answer · unreadable: signed, but not what the webhook is for.
 */
export type WebhookRead<Held> = ({ ok: true } & Held) | { ok: false; fault: WebhookFault };
export type WebhookFault = "forged" | "unsigned" | "unreachable" | "unreadable";

/** GETs a URL of a vendor: resolves to the answer's body, or undefined unless it is a 200 in time. */
export type GetText = (url: string) => Promise<string | undefined>;

/** Most bytes of a vendor's callback about one message. */
export const ONE_EVENT_BYTES = 64 * 1024;
/** Most bytes of a batch of events (SendGrid's have up to 768 KB), and of a body whose headers hold the whole proof. */
export const BATCH_BYTES = 1024 * 1024;

/** How a kind of provider's webhook is verified and read. */
export interface WebhookReader<Held> {
  kind: string;
  content: Content;
  /** The largest body that the vendor sends. */
  maxBytes: number;
  /** Returns the key in a provider's settings, or undefined. Several providers of one kind have several keys. */
  keyOf(settings: Readonly<Record<string, unknown>>): string | undefined;
  /** Whether the vendor also signs the URL, which therefore has to be known: `PUBLIC_URL`. */
  signsAddress: boolean;
  /**
   * Checks the headers. Returns a fault if they hold no proof, or else a function that verifies and reads the body
   * (byte for byte). Neither throws because of the request's content. `get` by default uses the Internet.
   */
  read(
    head: WebhookHead,
    keys: readonly string[],
    now: Date,
    get?: GetText,
  ): Promise<WebhookFault | ((body: Buffer) => Promise<WebhookRead<Held>>)>;
}

type Awaitable<Value> = Value | Promise<Value>;

/** How a vendor proves a webhook: returns a fault in the headers, or a function that verifies and reads the body. */
export type Proof<Content extends object> = (
  head: WebhookHead,
  keys: readonly string[],
  now: Date,
  get?: GetText,
) => Awaitable<WebhookFault | ((body: Buffer) => Awaitable<WebhookFault | Content>)>;

/** Returns a `read` that verifies by `proof`. `read` returns a fault if content is not what the webhook is for. */
export function provenBy<Content extends object, Held extends object>(
  proof: Proof<Content>,
  read: (content: Content, head: WebhookHead) => Held | WebhookFault,
): WebhookReader<Held>["read"] {
  return async (head, keys, now, get) => {
    const verify = await proof(head, keys, now, get);
    if (typeof verify === "string") return verify;
    return async (body) => {
      const content = await verify(body);
      const held = typeof content === "string" ? content : read(content, head);
      return typeof held === "string" ? { ok: false, fault: held } : { ok: true, ...held };
    };
  };
}

/** Reads a vendor's receipts, which report the results of messages. */
export interface ReceiptReader extends WebhookReader<{ receipts: Receipt[] }> {
  /** Whether we give the vendor the URL with each message. If not, a person enters it in the vendor's console. */
  askedByMessage: boolean;
  /** Set if the vendor signs nothing, but sends the key as the password of basic authentication. */
  basicAuth?: true;
  /** Tells a person where to enter the address and what to choose there. */
  setUp?: { text: string; link: string };
}

/** Reads people's answers to messages; `message` is undefined for one without text. */
export interface InboundReader extends WebhookReader<{ message: InboundText | undefined }> {
  /** Our answer on success. It must hold no text that the vendor would send as a message. */
  answer: { type: string; body: string };
}

/**
 * Returns the URL at which a vendor is asked to post a message's receipts; its query names the delivery, if one is
 * given. Undefined if the vendor could not reach us or we could not verify the receipts: vendors refuse messages with a
 * URL that is not public.
 */
export function callbackAddress(
  { kind, keyOf }: ReceiptReader,
  settings: Readonly<Record<string, unknown>>,
  {
    publicUrl = "",
    allowPrivateAddresses,
  }: { publicUrl?: string | undefined; allowPrivateAddresses: boolean },
  { tenantId, deliveryId }: { tenantId: string; deliveryId?: string },
): string | undefined {
  const isReached = publicUrl.startsWith("https:") || (allowPrivateAddresses && publicUrl !== "");
  if (!isReached || keyOf(settings) === undefined) return undefined;
  const query = deliveryId === undefined ? "" : `?${DELIVERY_PARAMETER}=${deliveryId}`;
  return publicUrl + webhookPath(kind, tenantId) + query;
}

/** Returns a setting if it is a text. */
export function textSetting(settings: Readonly<Record<string, unknown>>, name: string) {
  const value = settings[name];
  return typeof value === "string" ? value : undefined;
}

/** The address of a receipt that is about one of several recipients, if the vendor does not say which one. */
export const ONE_OF_SEVERAL = "";

const MAX_REASON_CHARACTERS = 500;
const MAX_EVENT_CHARACTERS = 255;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns a vendor's text in a form that may be stored, or null. */
export function receiptText(value: unknown, most = MAX_REASON_CHARACTERS): string | null {
  if (typeof value === "number") return String(value);
  if (typeof value !== "string") return null;
  // A text column of Postgres can hold neither U+0000 nor a lone surrogate.
  const text = value.replaceAll("\u0000", "").toWellFormed().trim().slice(0, most).toWellFormed();
  return text === "" ? null : text;
}

/** Returns a table's entry for a vendor's text or number; undefined if there is none. */
export function entryOf<Value>(table: Readonly<Record<string, Value>>, name: unknown) {
  const isName = typeof name === "string" || typeof name === "number";
  return isName && Object.hasOwn(table, name) ? table[name] : undefined;
}

/** Most characters of a phone number, or of the text in its place. */
export const MAX_NUMBER_CHARACTERS = 64;

/** Returns a vendor's phone number, with a plus added if it has none, or other text in its place; else null. */
export function phoneOf(value: unknown): string | null {
  const text = receiptText(value, MAX_NUMBER_CHARACTERS);
  return text !== null && PHONE.test(`+${text}`) ? `+${text}` : text;
}

/** The query parameter of a URL that we give to a vendor with a message: the delivery's id. */
const DELIVERY_PARAMETER = "delivery";

/** Returns Belfry's id of the delivery, or null for a message that is not ours. */
export function deliveryIdOf(value: unknown): string | null {
  return typeof value === "string" && UUID.test(value) ? value.toLowerCase() : null;
}

/** Returns the delivery that `DELIVERY_PARAMETER` of a URL names, or null. */
export function deliveryOfAddress(address: unknown): string | null {
  const url = typeof address === "string" ? URL.parse(address) : null;
  return deliveryIdOf(parseForm(url?.search ?? "", MAX_FORM_FIELDS)?.get(DELIVERY_PARAMETER));
}

/** Returns the vendor's id of an event, or null if it cannot be stored. */
export function vendorEventOf(value: unknown): string | null {
  return typeof value === "string" && /^[\x21-\x7e]+$/.test(value)
    ? value.slice(0, MAX_EVENT_CHARACTERS)
    : null;
}

/** Most fields of a form or a query. A vendor's has a few dozen. */
export const MAX_FORM_FIELDS = 200;
/** Most values of a JSON body. A batch of 768 KB has about 70,000. */
const MAX_JSON_VALUES = 100_000;

export type Field = [name: string, value: string];

/** Returns the fields of a form as vendors sign them: by name, then by value, compared by code units. */
export function sortedFields(form: URLSearchParams): Field[] {
  return [...form].sort(([name, value], [other, another]) =>
    name === other ? compare(value, another) : compare(name, other),
  );
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** Returns the value of a JSON body; undefined if it is not JSON, or would take long to parse. */
export function parseReceiptBody(body: Buffer): unknown {
  if (jsonValues(body, MAX_JSON_VALUES) > MAX_JSON_VALUES) return undefined;
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

interface SignedJson<Event> {
  /** The header with the signature in base64, and the form of that text. */
  signature: readonly [header: string, form: RegExp];
  /** The header with the signed time in epoch seconds, and the age at which it is too old. */
  time: readonly [header: string, maxAgeSeconds: number];
  isSigned(
    given: Buffer,
    signed: { key: string; time: string; url: string; body: Buffer },
  ): boolean;
  /** Reads the body of a verified request. */
  event(json: unknown): Event | WebhookFault;
}

/** Verifies JSON by a signature over its time and its bytes. Parses it only after that. */
export function signedJson<Event extends object>(vendor: SignedJson<Event>): Proof<Event> {
  const [signatureHeader, form] = vendor.signature;
  const [timeHeader, maxAgeSeconds] = vendor.time;
  return (head, keys, now) => {
    const signature = formedHeader(head, signatureHeader, form);
    const time = headerOf(head, timeHeader) ?? "";
    if (signature === undefined || !isRecent(time, now, maxAgeSeconds)) return "forged";
    const given = Buffer.from(signature, "base64");
    return (body) => {
      const isTheirs = keys.some((key) =>
        vendor.isSigned(given, { key, time, url: head.url, body }),
      );
      return isTheirs ? vendor.event(parseReceiptBody(body)) : "forged";
    };
  };
}

/** Parses a vendor's public key in DER form; undefined if it is none. */
export function publicKeyOf(der: Buffer): KeyObject | undefined {
  try {
    return createPublicKey({ key: der, format: "der", type: "spki" });
  } catch {
    return undefined;
  }
}

/** Compares a secret in a time that does not depend on where the texts differ. */
export function isSameText(given: string, right: string): boolean {
  const [one, other] = [given, right].map((text) => createHash("sha256").update(text).digest());
  return timingSafeEqual(one!, other!);
}

/** Returns a list of a webhook, or an empty one if the value is something else. */
export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns an object of a webhook, or an empty one if the value is something else. */
export function recordOf(value: unknown): Record<string, unknown> {
  const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
  return isRecord ? (value as Record<string, unknown>) : {};
}

/** Returns the moment of an ISO 8601 text; null for anything else. */
export function momentOf(value: unknown): Date | null {
  if (typeof value !== "string" || !/^\d{4}-\d\d-\d\dT/.test(value)) return null;
  const moment = new Date(value);
  return Number.isNaN(moment.getTime()) ? null : moment;
}

export function headerOf(head: WebhookHead, name: string): string | undefined {
  const value = head.headers[name];
  return typeof value === "string" ? value : undefined;
}

/** Returns a header if it has this form; undefined if it is missing or has another. */
export function formedHeader(head: WebhookHead, name: string, form: RegExp): string | undefined {
  const value = headerOf(head, name);
  return value !== undefined && form.test(value) ? value : undefined;
}

/** Returns whether a signature is right, in a time that does not depend on where they differ. */
export function isSameSignature(given: Buffer, right: Buffer): boolean {
  return given.length === right.length && timingSafeEqual(given, right);
}

/** How far a signed time may be in the future, because our clock may be behind the vendor's. */
const MAX_AHEAD_SECONDS = 15 * 60;

/** Returns whether a signed time (epoch seconds) is recent. Repeated events are recognized by their ids. */
export function isRecent(
  seconds: string,
  now: Date,
  maxAgeSeconds: number,
  maxAheadSeconds = MAX_AHEAD_SECONDS,
): boolean {
  if (!/^\d{1,12}$/.test(seconds)) return false;
  const ageSeconds = now.getTime() / 1000 - Number(seconds);
  return ageSeconds <= maxAgeSeconds && ageSeconds >= -maxAheadSeconds;
}
