import { createHmac } from "node:crypto";
import { MAX_INBOUND_CHARACTERS, type OptKeyword } from "@belfry/contracts/inbound";
import type { Receipt } from "@belfry/contracts/sending";
import {
  deliveryOfAddress,
  headerOf,
  type InboundReader,
  isSameSignature,
  type ReceiptReader,
  type ReceiptRequest,
  receiptText,
  textSetting,
} from "./receipt.ts";

/** The vendor's status callback of one message: a form, signed over its address and its fields. */
export const twilioReceipts: ReceiptReader = {
  kind: "twilio",
  content: "text",
  keyOf: twilioKey,
  signsAddress: true,
  askedByMessage: true,
  async read(request, keys) {
    const form = twilioForm(request, keys);
    if (form === undefined) return { ok: false, fault: "forged" };
    const messageId = form.get("MessageSid");
    if (!isTwilioMessageId(messageId)) return { ok: false, fault: "unreadable" };
    const status = form.get("MessageStatus") ?? "";
    const kind = Object.hasOwn(KINDS, status) ? KINDS[status] : undefined;
    // The vendor repeats no text of ours but the address, which it signs.
    const deliveryId = deliveryOfAddress(request.url);
    if (kind === undefined || deliveryId === null) return { ok: true, receipts: [] };
    const code = /^\d{5}$/.exec(form.get("ErrorCode") ?? "")?.[0] ?? null;
    const known = code !== null && Object.hasOwn(CODES, code) ? CODES[code] : undefined;
    const receipt: Receipt = {
      // The vendor gives its callbacks no id; it tells each status of a message once.
      vendorEvent: `${messageId}:${status}`,
      deliveryId,
      kind,
      reason: receiptText(form.get("ErrorMessage")) ?? known?.words ?? null,
      vendorStatus: code,
      occurredAt: null,
      suppress: kind === "bounced" ? (known?.suppress ?? null) : null,
    };
    return { ok: true, receipts: [receipt] };
  },
};

const KINDS: Readonly<Record<string, Receipt["kind"]>> = {
  accepted: "accepted",
  scheduled: "accepted",
  queued: "accepted",
  sending: "accepted",
  sent: "accepted",
  delivered: "delivered",
  read: "delivered",
  undelivered: "bounced",
  failed: "bounced",
  canceled: "bounced",
};

/**
 * Error codes of `undelivered` and `failed` messages. The callback carries the number alone. A code that says
 * that the number takes no text messages suppresses it; one that may pass, or that is about the text or the
 * sender, does not.
 */
const CODES: Readonly<Record<string, { words: string; suppress?: Receipt["suppress"] }>> = {
  21211: { words: "the number is not valid", suppress: "bounced" },
  21610: { words: "the recipient has answered STOP", suppress: "opted out" },
  21614: { words: "the number takes no text messages", suppress: "bounced" },
  30001: { words: "the queue of the account is full" },
  30002: { words: "the account is suspended" },
  30003: { words: "the phone is unreachable or switched off" },
  30004: { words: "the carrier or the recipient's phone blocks the message" },
  30005: { words: "the number is unknown or no longer in service", suppress: "bounced" },
  30006: { words: "the number is a landline or its carrier unreachable" },
  30007: { words: "the carrier or Twilio filtered the message" },
  30008: { words: "the carrier gives no reason" },
  30034: { words: "the sender is not registered for A2P 10DLC" },
  30036: { words: "the message's validity ended before it was delivered" },
};

const MAX_NUMBER_CHARACTERS = 64;

/** The vendor's webhook of a number or messaging service: a form, signed over its address and its fields. */
export const twilioInbound: InboundReader = {
  kind: "twilio",
  content: "text",
  keyOf: twilioKey,
  signsAddress: true,
  // An answer without a verb sends nothing.
  answer: { type: "text/xml; charset=utf-8", body: "<Response/>" },
  async read(request, keys) {
    const form = twilioForm(request, keys);
    if (form === undefined) return { ok: false, fault: "forged" };
    const vendorId = form.get("MessageSid");
    const sender = receiptText(form.get("From"), MAX_NUMBER_CHARACTERS);
    if (!isTwilioMessageId(vendorId) || sender === null) {
      return { ok: false, fault: "unreadable" };
    }
    const text = receiptText(form.get("Body"), MAX_INBOUND_CHARACTERS) ?? "";
    const keyword = KEYWORDS.get(form.get("OptOutType") ?? "");
    // A picture alone, or a place: nothing to read.
    if (text === "" && keyword === undefined) return { ok: true, message: undefined };
    const recipient = receiptText(form.get("To"), MAX_NUMBER_CHARACTERS) ?? "";
    return { ok: true, message: { vendorId, sender, recipient, text, keyword } };
  },
};

/** The keyword that the vendor's own opt-out handling recognized. */
const KEYWORDS: ReadonlyMap<string, OptKeyword> = new Map([
  ["STOP", "stop"],
  ["START", "start"],
]);

const MAX_FIELDS = 200;

/** The account's own token signs webhooks, also where an API key makes the requests. */
export function twilioKey(settings: Readonly<Record<string, unknown>>): string | undefined {
  const ownToken = settings.apiKeySid === undefined ? "authToken" : "webhookAuthToken";
  return textSetting(settings, "webhookAuthToken") ?? textSetting(settings, ownToken);
}

/** The form that the vendor posted; undefined where its signature is missing or wrong. */
export function twilioForm(
  request: ReceiptRequest,
  keys: readonly string[],
): URLSearchParams | undefined {
  const form = new URLSearchParams(request.body.toString());
  const signature = headerOf(request, "x-twilio-signature");
  if (signature === undefined || form.size > MAX_FIELDS) return undefined;
  const isTheirs = addressForms(request.url).some((url) =>
    keys.some((key) => isSigned(signature, key, url, form)),
  );
  return isTheirs ? form : undefined;
}

/** The vendor signs an address with its port or without, as its own libraries know. */
function addressForms(url: string): string[] {
  const withoutPort = url.replace(/^(https?:\/\/[^/:]+):\d+/, "$1");
  return [url, withoutPort, withoutPort.replace(/^https:\/\/[^/:]+/, "$&:443")];
}

/** HMAC-SHA1 over the address, then each field's name and value by the order of names; a value named twice once. */
export function twilioSignature(key: string, url: string, form: URLSearchParams): string {
  const names = [...new Set(form.keys())].sort();
  const fields = names.flatMap((name) =>
    [...new Set(form.getAll(name))].sort().map((value) => name + value),
  );
  return createHmac("sha1", key)
    .update(url + fields.join(""))
    .digest("base64");
}

function isSigned(signature: string, key: string, url: string, form: URLSearchParams): boolean {
  return isSameSignature(Buffer.from(signature), Buffer.from(twilioSignature(key, url, form)));
}

export function isTwilioMessageId(value: unknown): value is string {
  return typeof value === "string" && /^(SM|MM)[0-9a-fA-F]{32}$/.test(value);
}
