import { createHmac } from "node:crypto";
import { MAX_INBOUND_CHARACTERS } from "@belfry/contracts/inbound";
import { parseForm } from "@belfry/contracts/parse-form";
import type { Receipt } from "@belfry/contracts/sending";
import {
  deliveryOfAddress,
  headerOf,
  type InboundReader,
  isSameSignature,
  MAX_FORM_FIELDS,
  ONE_EVENT_BYTES,
  phoneOf,
  provenBy,
  type ReceiptReader,
  receiptText,
  sortedFields,
  textSetting,
  vendorEventOf,
  type WebhookHead,
} from "./receipt.ts";

/** The vendor's status callback of one message: a form. The signature covers its URL and its fields. */
export const plivoReceipts: ReceiptReader = {
  kind: "plivo",
  content: "text",
  maxBytes: ONE_EVENT_BYTES,
  keyOf: (settings) => textSetting(settings, "authToken"),
  signsAddress: true,
  askedByMessage: true,
  read: provenBy(plivoForm, (form, { url }) => {
    const messageId = vendorEventOf(form.get("MessageUUID"));
    if (messageId === null) return "unreadable";
    const status = form.get("Status") ?? "";
    const kind = Object.hasOwn(KINDS, status) ? KINDS[status] : undefined;
    const deliveryId = deliveryOfAddress(url);
    if (kind === undefined || deliveryId === null) return { receipts: [] };
    const code = /^\d{1,4}$/.exec(form.get("ErrorCode") ?? "")?.[0] ?? null;
    const known = code !== null && Object.hasOwn(CODES, code) ? CODES[code] : undefined;
    const receipt: Receipt = {
      // The signature's nonce differs each time, but the vendor reports each status of a message once.
      vendorEvent: `${messageId.slice(0, 200)}:${status}`,
      deliveryId,
      kind,
      reason: known?.words ?? null,
      vendorStatus: code,
      occurredAt: null,
      suppress: kind === "bounced" ? (known?.suppress ?? null) : null,
    };
    return { receipts: [receipt] };
  }),
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
 * Error codes of messages that were not delivered. A code suppresses the number only if the number accepts no text
 * messages, or its owner wants none.
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

/** The vendor's webhook of an application: a form. The signature covers its URL and its fields. */
export const plivoInbound: InboundReader = {
  kind: "plivo",
  content: "text",
  maxBytes: ONE_EVENT_BYTES,
  keyOf: (settings) => textSetting(settings, "authToken"),
  signsAddress: true,
  // An answer without a verb sends nothing.
  answer: { type: "text/xml; charset=utf-8", body: "<Response/>" },
  read: provenBy(plivoForm, (form) => {
    const vendorId = vendorEventOf(form.get("MessageUUID"));
    const sender = phoneOf(form.get("From"));
    if (vendorId === null || sender === null) return "unreadable";
    const text = receiptText(form.get("Text"), MAX_INBOUND_CHARACTERS);
    // A message with only a picture has nothing to read.
    if (text === null) return { message: undefined };
    return {
      message: { vendorId, sender, recipient: phoneOf(form.get("To")) ?? "", text },
    };
  }),
};

/** Headers of the signatures by the token of the sending account and by the token of its main account. */
const SIGNATURE_HEADERS = ["x-plivo-signature-v3", "x-plivo-signature-ma-v3"];

/** HMAC-SHA256 in base64. */
const SIGNATURE = /^[A-Za-z0-9+/]{43}=$/;
const MAX_SIGNATURES = 8;

/** Returns a function that verifies and reads the form that the vendor posted. The vendor signs no time. */
export function plivoForm(head: WebhookHead, keys: readonly string[]) {
  const nonce = headerOf(head, "x-plivo-signature-v3-nonce");
  const given = SIGNATURE_HEADERS.flatMap((name) =>
    (headerOf(head, name) ?? "").split(",", MAX_SIGNATURES).map((one) => one.trim()),
  ).filter((one) => SIGNATURE.test(one));
  const address = signedAddress(head.url);
  if (nonce === undefined || given.length === 0 || address === undefined) return "forged";
  return (body: Buffer) => {
    const form = parseForm(body.toString(), MAX_FORM_FIELDS);
    if (form === undefined) return "forged";
    const signed = signedText(address, nonce, form);
    const rights = keys.map((key) => Buffer.from(signatureOf(key, signed)));
    const isTheirs = given.some((one) =>
      rights.some((right) => isSameSignature(Buffer.from(one), right)),
    );
    return isTheirs ? form : "forged";
  };
}

/**
 * Returns signature V3 of a POST: HMAC-SHA256 over the URL with its query in order, the form's fields in order and the
 * nonce, with dots between them.
 */
export function plivoSignature(
  key: string,
  address: string,
  nonce: string,
  form: URLSearchParams,
): string {
  return signatureOf(key, signedText(signedAddress(address)!, nonce, form));
}

function signatureOf(key: string, text: string): string {
  return createHmac("sha256", key).update(text).digest("base64");
}

function signedText({ place, query }: SignedAddress, nonce: string, form: URLSearchParams): string {
  const fields = sortedFields(form).flat().join("");
  const mark = query !== "" || fields !== "" ? "?" : "";
  const dot = query !== "" && fields !== "" ? "." : "";
  return `${place}${mark}${query}${dot}${fields}.${nonce}`;
}

interface SignedAddress {
  place: string;
  /** The sorted fields. */
  query: string;
}

/** Returns undefined for a query of more fields than a vendor's has. */
function signedAddress(address: string): SignedAddress | undefined {
  const [place = "", asked = ""] = address.split("?", 2);
  const query = parseForm(asked, MAX_FORM_FIELDS);
  if (query === undefined) return undefined;
  return {
    place,
    query: sortedFields(query)
      .map((field) => field.join("="))
      .join("&"),
  };
}
