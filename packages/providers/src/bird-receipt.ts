import { createHash, createHmac } from "node:crypto";
import { MAX_INBOUND_CHARACTERS } from "@belfry/contracts/inbound";
import type { Receipt } from "@belfry/contracts/sending";
import {
  deliveryIdOf,
  formedHeader,
  headerOf,
  type InboundReader,
  isRecent,
  isSameSignature,
  momentOf,
  ONE_EVENT_BYTES,
  parseReceiptBody,
  phoneOf,
  provenBy,
  type ReceiptReader,
  receiptText,
  recordOf,
  textSetting,
  vendorEventOf,
  type WebhookFault,
  type WebhookHead,
} from "./receipt.ts";

const keyOf = (settings: Readonly<Record<string, unknown>>) => textSetting(settings, "signingKey");

/** The vendor's webhook subscription to `sms.outbound`. The signature covers the time, the URL and the body. */
export const birdReceipts: ReceiptReader = {
  kind: "bird",
  content: "text",
  maxBytes: ONE_EVENT_BYTES,
  keyOf,
  signsAddress: true,
  askedByMessage: false,
  setUp: {
    text: "Create a webhook subscription to sms.outbound with this address, and another to sms.inbound with /inbound at its end. Give both the signing key that stands above.",
    link: "https://app.bird.com/developers/webhooks",
  },
  read: provenBy(signedEvent, (event) => {
    const receipt = event.name === "sms.outbound" ? toReceipt(event) : null;
    return { receipts: receipt === null ? [] : [receipt] };
  }),
};

const KINDS: Readonly<Record<string, Receipt["kind"]>> = {
  accepted: "accepted",
  scheduled: "accepted",
  processing: "accepted",
  sent: "accepted",
  delivered: "delivered",
  rejected: "bounced",
  skipped: "bounced",
  sending_failed: "bounced",
  delivery_failed: "bounced",
};

/** Values of `details` that are about the number. Others may be temporary, or are about the message or sender. */
const SUPPRESSED: Readonly<Record<string, Receipt["suppress"]>> = {
  unknown_subscriber: "bounced",
  incorrect_number: "bounced",
  opted_out: "opted out",
};

function toReceipt({ id, payload }: BirdEvent): Receipt | null {
  const status = String(payload.status ?? "");
  const kind = Object.hasOwn(KINDS, status) ? KINDS[status] : undefined;
  const deliveryId = deliveryIdOf(payload.reference);
  if (kind === undefined || deliveryId === null) return null;
  const details = String(payload.details ?? "");
  const suppress = Object.hasOwn(SUPPRESSED, details) ? SUPPRESSED[details] : undefined;
  return {
    vendorEvent: `${id.slice(0, 200)}:${status}`,
    deliveryId,
    kind,
    reason: receiptText(payload.reason),
    vendorStatus: /^\d{1,6}$/.exec(String(recordOf(payload.failure).code ?? ""))?.[0] ?? null,
    occurredAt: momentOf(payload.updatedAt),
    suppress: kind === "bounced" ? (suppress ?? null) : null,
  };
}

/** The vendor's webhook subscription to `sms.inbound`, signed like its receipts. */
export const birdInbound: InboundReader = {
  kind: "bird",
  content: "text",
  maxBytes: ONE_EVENT_BYTES,
  keyOf,
  signsAddress: true,
  answer: { type: "application/json; charset=utf-8", body: "{}" },
  read: provenBy(signedEvent, (event) => {
    if (event.name !== "sms.inbound") return { message: undefined };
    const { id: vendorId, payload } = event;
    const sender = phoneOf(recordOf(recordOf(payload.sender).contact).identifierValue);
    if (sender === null) return "unreadable";
    const text = receiptText(recordOf(recordOf(payload.body).text).text, MAX_INBOUND_CHARACTERS);
    // A message with only a picture has nothing to read.
    if (text === null) return { message: undefined };
    const receiver = recordOf(recordOf(payload.receiver).connector).identifierValue;
    return { message: { vendorId, sender, recipient: phoneOf(receiver) ?? "", text } };
  }),
};

interface BirdEvent {
  name: string;
  /** The message's id. */
  id: string;
  payload: Record<string, unknown>;
}

/** The vendor retries for 8 hours with the time and signature of the first try. Repeated events have the same ids. */
const MAX_AGE_SECONDS = 24 * 60 * 60;

/** HMAC-SHA256 in base64. */
const SIGNATURE = /^[A-Za-z0-9+/]{43}=$/;

function signedEvent(head: WebhookHead, keys: readonly string[], now: Date) {
  const signature = formedHeader(head, "messagebird-signature", SIGNATURE);
  const time = headerOf(head, "messagebird-request-timestamp") ?? "";
  if (signature === undefined || !isRecent(time, now, MAX_AGE_SECONDS)) return "forged";
  const given = Buffer.from(signature, "base64");
  return (body: Buffer): BirdEvent | WebhookFault => {
    const signed = signedBytes(time, head.url, body);
    if (!keys.some((key) => isSameSignature(given, signatureOf(key, signed)))) return "forged";
    const { event: name, payload: told } = recordOf(parseReceiptBody(body));
    const payload = recordOf(told);
    const id = vendorEventOf(payload.id);
    if (typeof name !== "string" || id === null) return "unreadable";
    return { name, id, payload };
  };
}

/** Returns the HMAC-SHA256 over the time, the URL and the SHA-256 of the body as bytes, each on a line. */
export function birdSignature(key: string, time: string, address: string, body: Buffer): Buffer {
  return signatureOf(key, signedBytes(time, address, body));
}

function signatureOf(key: string, signed: Buffer): Buffer {
  return createHmac("sha256", key).update(signed).digest();
}

function signedBytes(time: string, address: string, body: Buffer): Buffer {
  const bodyHash = createHash("sha256").update(body).digest();
  return Buffer.concat([Buffer.from(`${time}\n${address}\n`), bodyHash]);
}
