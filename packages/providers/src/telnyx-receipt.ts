import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { MAX_INBOUND_CHARACTERS } from "@belfry/contracts/inbound";
import type { Receipt } from "@belfry/contracts/sending";
import {
  deliveryOfAddress,
  formedHeader,
  headerOf,
  type InboundReader,
  isRecent,
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

const keyOf = (settings: Readonly<Record<string, unknown>>) =>
  textSetting(settings, "webhookPublicKey");

/** The vendor's webhook about one message, signed over its time and body. */
export const telnyxReceipts: ReceiptReader = {
  kind: "telnyx",
  content: "text",
  maxBytes: ONE_EVENT_BYTES,
  keyOf,
  signsAddress: false,
  askedByMessage: true,
  read: provenBy(signedEvent, (event) => {
    const receipt = OUTBOUND.has(event.type) ? toReceipt(event) : null;
    return { receipts: receipt === null ? [] : [receipt] };
  }),
};

const OUTBOUND = new Set(["message.sent", "message.finalized"]);

const KINDS: Readonly<Record<string, Receipt["kind"]>> = {
  queued: "accepted",
  sending: "accepted",
  sent: "accepted",
  // The carrier never reported the result.
  delivery_unconfirmed: "accepted",
  delivered: "delivered",
  sending_failed: "bounced",
  delivery_failed: "bounced",
  expired: "bounced",
};

/** The number is a landline, or no carrier serves it. */
const NOT_ROUTABLE = "40001";
/** The message was blocked. The recipient has answered STOP only if the error's text says so. */
const BLOCKED = "40300";

function toReceipt({ payload, occurredAt, id }: TelnyxEvent): Receipt | null {
  const [recipient] = Array.isArray(payload.to) ? payload.to : [];
  const status = String(recordOf(recipient).status ?? "");
  const kind = Object.hasOwn(KINDS, status) ? KINDS[status] : undefined;
  // We read the delivery from the signed body, because the request's URL is not signed.
  const deliveryId = deliveryOfAddress(payload.webhook_url);
  if (kind === undefined || deliveryId === null) return null;
  const [first] = Array.isArray(payload.errors) ? payload.errors : [];
  const error = recordOf(first);
  const code = /^\d{5,8}$/.exec(String(error.code ?? ""))?.[0] ?? null;
  const words = [receiptText(error.title), receiptText(error.detail)];
  const isStop = code === BLOCKED && words.some((text) => text !== null && /\bSTOP\b/.test(text));
  const suppress = isStop ? "opted out" : code === NOT_ROUTABLE ? "bounced" : null;
  return {
    vendorEvent: `${id.slice(0, 200)}:${status}`,
    deliveryId,
    kind,
    reason: words[1] ?? words[0] ?? null,
    vendorStatus: code,
    occurredAt,
    suppress: kind === "bounced" ? suppress : null,
  };
}

/** The vendor's webhook of a messaging profile for incoming messages, signed like receipts. */
export const telnyxInbound: InboundReader = {
  kind: "telnyx",
  content: "text",
  maxBytes: ONE_EVENT_BYTES,
  keyOf,
  signsAddress: false,
  answer: { type: "application/json; charset=utf-8", body: "{}" },
  read: provenBy(signedEvent, (event) => {
    // A profile posts all its events to one URL.
    if (event.type !== "message.received") return { message: undefined };
    const { id: vendorId, payload } = event;
    const sender = phoneOf(recordOf(payload.from).phone_number);
    if (sender === null) return "unreadable";
    const text = receiptText(payload.text, MAX_INBOUND_CHARACTERS);
    // The message is only a picture.
    if (text === null) return { message: undefined };
    const [to] = Array.isArray(payload.to) ? payload.to : [];
    const recipient = phoneOf(recordOf(to).phone_number) ?? "";
    return { message: { vendorId, sender, recipient, text } };
  }),
};

interface TelnyxEvent {
  type: string;
  /** The message's id. */
  id: string;
  payload: Record<string, unknown>;
  occurredAt: Date | null;
}

/**
 * The maximum age of an event. The vendor's client accepts 5 minutes; we allow for events that wait on the way. This is
 * safe, because a repeated event is recognized by its message and status.
 */
const MAX_AGE_SECONDS = 15 * 60;

/** An Ed25519 signature in base64. */
const SIGNATURE = /^[A-Za-z0-9+/]{86}==$/;

/** Verifies and reads an event: Ed25519 over its time, a `|` and the raw body. */
function signedEvent(head: WebhookHead, keys: readonly string[], now: Date) {
  const signature = formedHeader(head, "telnyx-signature-ed25519", SIGNATURE);
  const time = headerOf(head, "telnyx-timestamp") ?? "";
  if (signature === undefined || !isRecent(time, now, MAX_AGE_SECONDS)) return "forged";
  const given = Buffer.from(signature, "base64");
  return (body: Buffer): TelnyxEvent | WebhookFault => {
    const signed = Buffer.concat([Buffer.from(`${time}|`), body]);
    const isTheirs = keys.some((text) => {
      const key = telnyxKey(text);
      return key !== undefined && verify(null, signed, key, given);
    });
    if (!isTheirs) return "forged";
    const { data } = recordOf(parseReceiptBody(body));
    const { event_type: type, payload: told, occurred_at: occurredAt } = recordOf(data);
    const payload = recordOf(told);
    const id = vendorEventOf(payload.id);
    if (typeof type !== "string" || id === null) return "unreadable";
    return { type, id, payload, occurredAt: momentOf(occurredAt) };
  };
}

/** The bytes before the 32 bytes of an Ed25519 key in DER form (RFC 8410). */
const DER_PREFIX = Buffer.from("302a300506032b6570032100", "hex");

function telnyxKey(base64: string): KeyObject | undefined {
  try {
    const der = Buffer.concat([DER_PREFIX, Buffer.from(base64, "base64")]);
    return createPublicKey({ key: der, format: "der", type: "spki" });
  } catch {
    return undefined;
  }
}
