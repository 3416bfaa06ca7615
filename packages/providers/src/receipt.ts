import { createHash, timingSafeEqual } from "node:crypto";
import { emailAddress } from "@belfry/contracts/addresses";
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
type Proof<Content extends object> = (
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
 * Returns the URL at which a vendor is asked to post a message's receipts. Undefined if the vendor could not reach us
 * or we could not verify the receipts: vendors refuse messages with a URL that is not public.
 */
export function receiptsAddress(
  reader: ReceiptReader,
  settings: Readonly<Record<string, unknown>>,
  {
    publicUrl = "",
    allowPrivateAddresses,
  }: { publicUrl?: string | undefined; allowPrivateAddresses: boolean },
): ((tenantId: string) => string) | undefined {
  const isReached = publicUrl.startsWith("https:") || (allowPrivateAddresses && publicUrl !== "");
  if (!isReached || reader.keyOf(settings) === undefined) return undefined;
  return (tenantId) => publicUrl + webhookPath(reader.kind, tenantId);
}

/** Returns a setting if it is a text. */
export function textSetting(settings: Readonly<Record<string, unknown>>, name: string) {
  const value = settings[name];
  return typeof value === "string" ? value : undefined;
}

/** The meaning of a vendor's event, and the reason to suppress its address. */
export type ReceiptOutcome = Pick<Receipt, "kind" | "suppress">;

/** Returns the meaning of an event in a vendor's table; undefined if the event says nothing for us. */
export function outcomeOf<Details extends unknown[]>(
  table: Readonly<Record<string, (...details: Details) => ReceiptOutcome | undefined>>,
  name: string,
  ...details: Details
): ReceiptOutcome | undefined {
  return Object.hasOwn(table, name) ? table[name]?.(...details) : undefined;
}

/** An event of a vendor of mail, with unchecked parts. */
interface MailEvent {
  /** Identifies a repeated event. */
  id: string | null;
  /** The delivery's id, as it was given to the vendor. */
  delivery: unknown;
  outcome: ReceiptOutcome | undefined;
  /** The address that the event is about, perhaps with a name before it. */
  address: unknown;
  /** The first item that is a text is the reason. */
  reasons: readonly unknown[];
  status: unknown;
  occurredAt: Date | null;
}

/** Returns the event's receipt; none for mail that is not ours, and for an event that says nothing for us. */
export function mailReceipts(event: MailEvent): Receipt[] {
  const { id: vendorEvent, outcome, occurredAt } = event;
  const deliveryId = deliveryIdOf(event.delivery);
  if (deliveryId === null || vendorEvent === null || outcome === undefined) return [];
  const reason = event.reasons.reduce<string | null>(
    (found, one) => found ?? receiptText(one),
    null,
  );
  const vendorStatus = receiptText(event.status, 64);
  const address = event.address === ONE_OF_SEVERAL ? ONE_OF_SEVERAL : addressOf(event.address);
  return [{ vendorEvent, deliveryId, ...outcome, address, reason, vendorStatus, occurredAt }];
}

/** The address of a receipt that is about one of several recipients, if the vendor does not say which one. */
export const ONE_OF_SEVERAL = "";

function addressOf(value: unknown): string | null {
  if (typeof value !== "string") return null;
  const inBrackets = /<([^<>]*)>$/.exec(value.trim())?.[1];
  return emailAddress(inBrackets ?? value.trim()) ?? null;
}

/** Returns a hash of an address for the id of an event per address: an id must not contain the address. */
export function addressMark(value: unknown): string {
  const address = addressOf(value);
  if (address === null) return "";
  return createHash("sha256").update(address.toLowerCase()).digest("base64url").slice(0, 12);
}

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

const MAX_NUMBER_CHARACTERS = 64;

/** Returns a vendor's phone number, with a plus added if it has none, or other text in its place; else null. */
export function phoneOf(value: unknown): string | null {
  const text = receiptText(value, MAX_NUMBER_CHARACTERS);
  return text !== null && PHONE.test(`+${text}`) ? `+${text}` : text;
}

/** The query parameter of a URL that we give to a vendor with a message: the delivery's id. */
export const DELIVERY_PARAMETER = "delivery";

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

/** Verifies JSON by basic authentication, with one of the keys as its password and any user name. */
export function withPassword(head: WebhookHead, keys: readonly string[]) {
  const [, encoded = ""] =
    /^Basic ([A-Za-z0-9+/=]+)$/i.exec(headerOf(head, "authorization") ?? "") ?? [];
  const pair = Buffer.from(encoded, "base64").toString();
  const password = pair.slice(pair.indexOf(":") + 1);
  const isTheirs = pair.includes(":") && keys.some((key) => isSameText(password, key));
  return isTheirs ? (body: Buffer) => ({ json: parseReceiptBody(body) }) : "forged";
}

/** Compares a secret in a time that does not depend on where the texts differ. */
export function isSameText(given: string, right: string): boolean {
  const [one, other] = [given, right].map((text) => createHash("sha256").update(text).digest());
  return timingSafeEqual(one!, other!);
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

/** Our clock may be behind the vendor's. */
const MAX_AHEAD_SECONDS = 15 * 60;

/** Returns whether a signed time (epoch seconds) is recent. Repeated events are recognized by their ids. */
export function isRecent(seconds: string, now: Date, maxAgeSeconds: number): boolean {
  if (!/^\d{1,12}$/.test(seconds)) return false;
  const ageSeconds = now.getTime() / 1000 - Number(seconds);
  return ageSeconds <= maxAgeSeconds && ageSeconds >= -MAX_AHEAD_SECONDS;
}
