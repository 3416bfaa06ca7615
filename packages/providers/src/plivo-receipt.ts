import { createHmac } from "node:crypto";
import { MAX_INBOUND_CHARACTERS } from "@belfry/contracts/inbound";
import type { Receipt } from "@belfry/contracts/sending";
import {
  deliveryOfAddress,
  headerOf,
  type InboundReader,
  isSameSignature,
  phoneOf,
  type ReceiptReader,
  type ReceiptRequest,
  receiptText,
  textSetting,
  vendorEventOf,
} from "./receipt.ts";

/** The vendor's status callback of one message: a form, signed over its address and its fields. */
export const plivoReceipts: ReceiptReader = {
  kind: "plivo",
  content: "text",
  keyOf: (settings) => textSetting(settings, "authToken"),
  signsAddress: true,
  askedByMessage: true,
  async read(request, keys) {
    const form = plivoForm(request, keys);
    if (form === undefined) return { ok: false, fault: "forged" };
    const messageId = vendorEventOf(form.get("MessageUUID"));
    if (messageId === null) return { ok: false, fault: "unreadable" };
    const status = form.get("Status") ?? "";
    const kind = Object.hasOwn(KINDS, status) ? KINDS[status] : undefined;
    const deliveryId = deliveryOfAddress(request.url);
    if (kind === undefined || deliveryId === null) return { ok: true, receipts: [] };
    const code = /^\d{1,4}$/.exec(form.get("ErrorCode") ?? "")?.[0] ?? null;
    const known = code !== null && Object.hasOwn(CODES, code) ? CODES[code] : undefined;
    const receipt: Receipt = {
      // The signature's nonce is another one each time: the vendor tells each status of a message once.
      vendorEvent: `${messageId.slice(0, 200)}:${status}`,
      deliveryId,
      kind,
      reason: known?.words ?? null,
      vendorStatus: code,
      occurredAt: null,
      suppress: kind === "bounced" ? (known?.suppress ?? null) : null,
    };
    return { ok: true, receipts: [receipt] };
  },
};

const KINDS: Readonly<Record<string, Receipt["kind"]>> = {
  queued: "accepted",
  sent: "accepted",
  delivered: "delivered",
  read: "delivered",
  undelivered: "bounced",
  failed: "bounced",
  rejected: "bounced",
};

/**
 * Error codes of messages that were not delivered. Only those that say that the number takes no text messages, or
 * that its owner wants none, suppress it.
 */
const CODES: Readonly<Record<string, { words: string; suppress?: Receipt["suppress"] }>> = {
  10: { words: "the carrier rejected the message as invalid" },
  20: { words: "the carrier's network has a fault" },
  30: { words: "the carrier took the message for spam" },
  40: { words: "the sender's number cannot send text messages" },
  50: { words: "the number is invalid or takes no text messages", suppress: "bounced" },
  60: { words: "the carrier detected a loop of messages" },
  70: { words: "the number is no longer in service", suppress: "bounced" },
  80: { words: "the phone is unreachable or switched off" },
  90: { words: "no carrier has a route to the number" },
  100: { words: "the carrier does not take the message" },
  110: { words: "the text is too long" },
  200: { words: "the recipient has answered STOP", suppress: "opted out" },
  201: { words: "a toll-free number of the US cannot send to Canada" },
  450: { words: "the account may not send to this country" },
  1000: { words: "the carrier gives no reason" },
};

/** The vendor's webhook of an application: a form, signed over its address and its fields. */
export const plivoInbound: InboundReader = {
  kind: "plivo",
  content: "text",
  keyOf: (settings) => textSetting(settings, "authToken"),
  signsAddress: true,
  // An answer without a verb sends nothing.
  answer: { type: "text/xml; charset=utf-8", body: "<Response/>" },
  async read(request, keys) {
    const form = plivoForm(request, keys);
    if (form === undefined) return { ok: false, fault: "forged" };
    const vendorId = vendorEventOf(form.get("MessageUUID"));
    const sender = phoneOf(form.get("From"));
    if (vendorId === null || sender === null) return { ok: false, fault: "unreadable" };
    const text = receiptText(form.get("Text"), MAX_INBOUND_CHARACTERS);
    // A picture alone: nothing to read.
    if (text === null) return { ok: true, message: undefined };
    return {
      ok: true,
      message: { vendorId, sender, recipient: phoneOf(form.get("To")) ?? "", text },
    };
  },
};

const MAX_FIELDS = 200;
/** By the token of the account that sent the message, and by that of its main account. */
const SIGNATURE_HEADERS = ["x-plivo-signature-v3", "x-plivo-signature-ma-v3"];

/** The form that the vendor posted; undefined where its signature is missing or wrong. It signs no time. */
export function plivoForm(
  request: ReceiptRequest,
  keys: readonly string[],
): URLSearchParams | undefined {
  const form = new URLSearchParams(request.body.toString());
  const nonce = headerOf(request, "x-plivo-signature-v3-nonce");
  if (nonce === undefined || form.size > MAX_FIELDS) return undefined;
  const given = SIGNATURE_HEADERS.flatMap((name) => headerOf(request, name)?.split(",", 8) ?? []);
  const rights = keys.map((key) => Buffer.from(plivoSignature(key, request.url, nonce, form)));
  const isTheirs = given.some((signature) =>
    rights.some((right) => isSameSignature(Buffer.from(signature.trim()), right)),
  );
  return isTheirs ? form : undefined;
}

/**
 * Signature V3 of a POST: HMAC-SHA256 over the address with its query in order, the form's fields in order and the
 * nonce, with dots between them.
 */
export function plivoSignature(
  key: string,
  address: string,
  nonce: string,
  form: URLSearchParams,
): string {
  const [place = "", asked] = address.split("?", 2);
  const query = inOrder(new URLSearchParams(asked), "=").join("&");
  const fields = inOrder(form, "").join("");
  const mark = query !== "" || fields !== "" ? "?" : "";
  const dot = query !== "" && fields !== "" ? "." : "";
  const signed = `${place}${mark}${query}${dot}${fields}.${nonce}`;
  return createHmac("sha256", key).update(signed).digest("base64");
}

function inOrder(values: URLSearchParams, between: string): string[] {
  return [...new Set(values.keys())].sort().flatMap((name) =>
    values
      .getAll(name)
      .sort()
      .map((value) => name + between + value),
  );
}
