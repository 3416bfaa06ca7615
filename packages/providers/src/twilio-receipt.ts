import { createHmac } from "node:crypto";
import { MAX_INBOUND_CHARACTERS, type OptKeyword } from "@belfry/contracts/inbound";
import { parseForm } from "@belfry/contracts/parse-form";
import type { Receipt } from "@belfry/contracts/sending";
import {
  deliveryOfAddress,
  type Field,
  formedHeader,
  type InboundReader,
  isSameSignature,
  MAX_FORM_FIELDS,
  ONE_EVENT_BYTES,
  provenBy,
  type ReceiptReader,
  receiptText,
  sortedFields,
  textSetting,
  type WebhookHead,
} from "./receipt.ts";

/** The vendor's status callback for one message: a form, signed over the request's URL and the form's fields. */
export const twilioReceipts: ReceiptReader = {
  kind: "twilio",
  content: "text",
  maxBytes: ONE_EVENT_BYTES,
  keyOf: twilioKey,
  signsAddress: true,
  askedByMessage: true,
  read: provenBy(twilioForm, (form, { url }) => {
    const messageId = form.get("MessageSid");
    if (!isTwilioMessageId(messageId)) return "unreadable";
    const status = form.get("MessageStatus") ?? "";
    const kind = Object.hasOwn(KINDS, status) ? KINDS[status] : undefined;
    // We read the delivery from the URL, which is signed. The callback contains no other text of ours.
    const deliveryId = deliveryOfAddress(url);
    if (kind === undefined || deliveryId === null) return { receipts: [] };
    const code = /^\d{5}$/.exec(form.get("ErrorCode") ?? "")?.[0] ?? null;
    const known = code !== null && Object.hasOwn(CODES, code) ? CODES[code] : undefined;
    const receipt: Receipt = {
      // Callbacks have no id. The vendor reports each status of a message once.
      vendorEvent: `${messageId}:${status}`,
      deliveryId,
      kind,
      reason: receiptText(form.get("ErrorMessage")) ?? known?.words ?? null,
      vendorStatus: code,
      occurredAt: null,
      suppress: kind === "bounced" ? (known?.suppress ?? null) : null,
    };
    return { receipts: [receipt] };
  }),
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
 * Error codes of `undelivered` and `failed` messages, with our texts, because the callback contains only the code. A
 * code suppresses the number if the number cannot get text messages. It does not if the fault may pass, or if it is
 * about the text or the sender.
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

/** The webhook of a number or messaging service: a form, signed over the request's URL and the form's fields. */
export const twilioInbound: InboundReader = {
  kind: "twilio",
  content: "text",
  maxBytes: ONE_EVENT_BYTES,
  keyOf: twilioKey,
  signsAddress: true,
  // A TwiML answer without a verb sends no reply.
  answer: { type: "text/xml; charset=utf-8", body: "<Response/>" },
  read: provenBy(twilioForm, (form) => {
    const vendorId = form.get("MessageSid");
    const sender = receiptText(form.get("From"), MAX_NUMBER_CHARACTERS);
    if (!isTwilioMessageId(vendorId) || sender === null) {
      return "unreadable";
    }
    const text = receiptText(form.get("Body"), MAX_INBOUND_CHARACTERS) ?? "";
    const keyword = KEYWORDS.get(form.get("OptOutType") ?? "");
    // The message is only a picture or a location.
    if (text === "" && keyword === undefined) return { message: undefined };
    const recipient = receiptText(form.get("To"), MAX_NUMBER_CHARACTERS) ?? "";
    return { message: { vendorId, sender, recipient, text, keyword } };
  }),
};

/** Keywords that the vendor's own opt-out handling reports. */
const KEYWORDS: ReadonlyMap<string, OptKeyword> = new Map([
  ["STOP", "stop"],
  ["START", "start"],
]);

/** Returns the key of webhooks: the account's auth token, which signs them even if an API key makes the requests. */
export function twilioKey(settings: Readonly<Record<string, unknown>>): string | undefined {
  const ownToken = settings.apiKeySid === undefined ? "authToken" : "webhookAuthToken";
  return textSetting(settings, "webhookAuthToken") ?? textSetting(settings, ownToken);
}

/** HMAC-SHA1 in base64. */
const SIGNATURE = /^[A-Za-z0-9+/]{27}=$/;

/** Verifies and reads the form that the vendor posted. */
export function twilioForm(head: WebhookHead, keys: readonly string[]) {
  const signature = formedHeader(head, "x-twilio-signature", SIGNATURE);
  if (signature === undefined) return "forged";
  const given = Buffer.from(signature);
  return (body: Buffer) => {
    const form = parseForm(body.toString(), MAX_FORM_FIELDS);
    if (form === undefined) return "forged";
    const fields = signedFields(form);
    const isTheirs = addressForms(head.url).some((url) =>
      keys.some((key) => isSameSignature(given, Buffer.from(signatureOf(key, url + fields)))),
    );
    return isTheirs ? form : "forged";
  };
}

/** Returns the URL with and without its port. The vendor signs one of the forms; its libraries try these, too. */
function addressForms(url: string): string[] {
  const withoutPort = url.replace(/^(https?:\/\/[^/:]+):\d+/, "$1");
  const withPort = withoutPort.replace(/^https:\/\/[^/:]+/, "$&:443");
  return [...new Set([url, withoutPort, withPort])];
}

/** Returns the signature of a form: HMAC-SHA1 over the URL and the form's fields. */
export function twilioSignature(key: string, url: string, form: URLSearchParams): string {
  return signatureOf(key, url + signedFields(form));
}

function signatureOf(key: string, text: string): string {
  return createHmac("sha1", key).update(text).digest("base64");
}

/** Joins each field's name and value, sorted by name, then by value. A repeated pair counts once. */
function signedFields(form: URLSearchParams): string {
  const fields = sortedFields(form);
  const isRepeated = ([name, value]: Field, at: number) =>
    fields[at - 1]?.[0] === name && fields[at - 1]?.[1] === value;
  return fields
    .filter((field, at) => !isRepeated(field, at))
    .flat()
    .join("");
}

export function isTwilioMessageId(value: unknown): value is string {
  return typeof value === "string" && /^(SM|MM)[0-9a-fA-F]{32}$/.test(value);
}
