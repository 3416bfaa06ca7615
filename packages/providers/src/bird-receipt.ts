import { createHash, createHmac } from "node:crypto";
import { MAX_INBOUND_CHARACTERS } from "@belfry/contracts/inbound";
import type { Receipt } from "@belfry/contracts/sending";
import {
  deliveryIdOf,
  headerOf,
  type InboundReader,
  isRecent,
  isSameSignature,
  momentOf,
  parseReceiptBody,
  phoneOf,
  type ReceiptReader,
  type ReceiptRequest,
  receiptText,
  recordOf,
  textSetting,
  vendorEventOf,
} from "./receipt.ts";

const keyOf = (settings: Readonly<Record<string, unknown>>) => textSetting(settings, "signingKey");

/** The vendor's webhook subscription to `sms.outbound`, signed over its time, address and body. */
export const birdReceipts: ReceiptReader = {
  kind: "bird",
  content: "text",
  keyOf,
  signsAddress: true,
  askedByMessage: false,
  setUp: {
    text: "Create a webhook subscription to sms.outbound with this address, and another to sms.inbound with /inbound at its end. Give both the signing key that stands above.",
    link: "https://app.bird.com/developers/webhooks",
  },
  async read(request, keys, now) {
    const event = signedEvent(request, keys, now);
    if (typeof event === "string") return { ok: false, fault: event };
    const receipt = event.name === "sms.outbound" ? toReceipt(event) : null;
    return { ok: true, receipts: receipt === null ? [] : [receipt] };
  },
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

/** The platform's `details` that are about the number. All others may pass, or are about the message or the sender. */
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

/** The vendor's webhook subscription to `sms.inbound`, signed as its receipts are. */
export const birdInbound: InboundReader = {
  kind: "bird",
  content: "text",
  keyOf,
  signsAddress: true,
  answer: { type: "application/json; charset=utf-8", body: "{}" },
  async read(request, keys, now) {
    const event = signedEvent(request, keys, now);
    if (typeof event === "string") return { ok: false, fault: event };
    if (event.name !== "sms.inbound") return { ok: true, message: undefined };
    const { id: vendorId, payload } = event;
    const sender = phoneOf(recordOf(recordOf(payload.sender).contact).identifierValue);
    if (sender === null) return { ok: false, fault: "unreadable" };
    const text = receiptText(recordOf(recordOf(payload.body).text).text, MAX_INBOUND_CHARACTERS);
    // A picture alone: nothing to read.
    if (text === null) return { ok: true, message: undefined };
    const receiver = recordOf(recordOf(payload.receiver).connector).identifierValue;
    return { ok: true, message: { vendorId, sender, recipient: phoneOf(receiver) ?? "", text } };
  },
};

interface BirdEvent {
  name: string;
  /** Of the message. */
  id: string;
  payload: Record<string, unknown>;
}

/** The vendor tries for 8 hours, with the first try's time and signature. What is repeated is known by its id. */
const MAX_AGE_SECONDS = 24 * 60 * 60;

function signedEvent(
  request: ReceiptRequest,
  keys: readonly string[],
  now: Date,
): BirdEvent | "forged" | "unreadable" {
  const signature = headerOf(request, "messagebird-signature");
  const time = headerOf(request, "messagebird-request-timestamp");
  if (signature === undefined || time === undefined) return "forged";
  if (!isRecent(time, now, MAX_AGE_SECONDS)) return "forged";
  const given = Buffer.from(signature, "base64");
  const isTheirs = keys.some((key) =>
    isSameSignature(given, birdSignature(key, time, request.url, request.body)),
  );
  if (!isTheirs) return "forged";
  const { event: name, payload: told } = recordOf(parseReceiptBody(request.body));
  const payload = recordOf(told);
  const id = vendorEventOf(payload.id);
  if (typeof name !== "string" || id === null) return "unreadable";
  return { name, id, payload };
}

/** HMAC-SHA256 over the time, the address and the body's SHA-256 as bytes, each on a line. */
export function birdSignature(key: string, time: string, address: string, body: Buffer): Buffer {
  const bodyHash = createHash("sha256").update(body).digest();
  return createHmac("sha256", key).update(`${time}\n${address}\n`).update(bodyHash).digest();
}
