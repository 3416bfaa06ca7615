import { createHmac } from "node:crypto";
import { parseForm } from "@belfry/contracts/parse-form";
import type { Receipt, SmsMessage } from "@belfry/contracts/sending";
import { type Static, Type } from "@sinclair/typebox";
import { apiUrl, basicAuthorization, createHttpVendor, JSON_HEADERS } from "./http-vendor.ts";
import { defineProvider } from "./provider.ts";
import {
  callbackAddress,
  deliveryOfAddress,
  entryOf,
  headerOf,
  isSameSignature,
  listOf,
  MAX_FORM_FIELDS,
  phoneOf,
  sortedFields,
  textSetting,
  vendorEventOf,
  type WebhookHead,
} from "./receipt.ts";
import { baseUrlField, lineField, secretField } from "./settings.ts";
import { NO_ANSWER, textWebhooks } from "./text-webhooks.ts";

const VENDOR_URL = "https://api.plivo.com";
const CONSOLE = "https://console.plivo.com/dashboard/";
const UUID = "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";
const POWERPACK = new RegExp(`^${UUID}$`);

const SETTINGS = Type.Object(
  {
    authId: lineField({
      title: "Auth ID",
      description: "The id of the account (MA…) or of a subaccount (SA…).",
      link: CONSOLE,
      pattern: "^(MA|SA)[A-Z0-9]{18}$",
      fault: "must be MA or SA and 18 capital letters or digits",
    }),
    authToken: secretField({
      title: "Auth token",
      description:
        "It also signs what Plivo posts to /webhooks/plivo/<tenant>: what became of each message, and to /webhooks/plivo/<tenant>/inbound: the answers of people.",
      link: CONSOLE,
    }),
    sender: lineField({
      title: "Sender",
      description:
        "A number (+12025550100), short code, name of up to 11 letters and digits, or a Powerpack's UUID.",
      link: CONSOLE,
      pattern: `^(\\+?[1-9][0-9]{2,14}|[A-Za-z0-9]{1,11}|${UUID})$`,
      fault:
        "must be a phone number, a short code, a name of up to 11 letters and digits or a Powerpack's UUID",
    }),
    baseUrl: baseUrlField(VENDOR_URL),
  },
  { additionalProperties: false },
);

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

/** The callback about a message and the webhook of an application: forms. The signature covers the URL and the fields. */
const webhooks = textWebhooks<URLSearchParams>({
  kind: "plivo",
  keyOf: (settings) => textSetting(settings, "authToken"),
  signsAddress: true,
  askedByMessage: true,
  proof: plivoForm,
  statuses: {
    accepted: ["queued", "sent"],
    delivered: ["delivered", "read"],
    bounced: ["undelivered", "failed", "rejected"],
  },
  result(form, { url }) {
    const code = /^\d{1,4}$/.exec(form.get("ErrorCode") ?? "")?.[0] ?? null;
    const { words = null, suppress } = entryOf(CODES, code) ?? {};
    return {
      id: vendorEventOf(form.get("MessageUUID")),
      status: form.get("Status"),
      deliveryId: deliveryOfAddress(url),
      reason: words,
      code,
      occurredAt: null,
      suppress,
    };
  },
  reply: (form) => ({
    id: vendorEventOf(form.get("MessageUUID")),
    sender: phoneOf(form.get("From")),
    recipient: phoneOf(form.get("To")),
    text: form.get("Text"),
  }),
  answer: NO_ANSWER.xml,
});

/** Headers of the signatures by the token of the sending account and by the token of its main account. */
const SIGNATURE_HEADERS = ["x-plivo-signature-v3", "x-plivo-signature-ma-v3"];

/** HMAC-SHA256 in base64. */
const SIGNATURE = /^[A-Za-z0-9+/]{43}=$/;
const MAX_SIGNATURES = 8;

/** Returns a function that verifies and reads the form that the vendor posted. The vendor signs no time. */
function plivoForm(head: WebhookHead, keys: readonly string[]) {
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

/** Text messages through Plivo's Message API, `POST /v1/Account/{auth_id}/Message/`. */
export const plivo = defineProvider<SmsMessage, typeof SETTINGS>({
  kind: "plivo",
  content: "text",
  title: "Plivo",
  ...webhooks,
  settings: SETTINGS,
  create: createHttpVendor<SmsMessage, Static<typeof SETTINGS>>({
    name: "Plivo",
    request(message, settings, context) {
      const { authId, authToken, sender } = settings;
      const callback = callbackAddress(webhooks.receipts, settings, context, message);
      const body = {
        ...(POWERPACK.test(sender)
          ? { powerpack_uuid: sender }
          : { src: sender.replace(/^\+/, "") }),
        dst: message.to.slice(1),
        text: message.text,
        ...(callback && { url: callback, method: "POST" }),
      };
      return {
        url: `${apiUrl(settings, VENDOR_URL)}/v1/Account/${authId}/Message/`,
        headers: { ...JSON_HEADERS, authorization: basicAuthorization(authId, authToken) },
        body: JSON.stringify(body),
      };
    },
    acceptedId(body, { status }) {
      const [id] = listOf(body.message_uuid);
      return status === 202 && typeof id === "string" && POWERPACK.test(id) ? id : undefined;
    },
    // The vendor reports errors by their HTTP status, and in texts that it may change.
    meaning(body, { status }) {
      // The vendor left out the number, which was the only one.
      if (status === 202 && listOf(body.invalid_number).length > 0) {
        return { code: "invalid_number", class: "permanent", suppress: "bounced" };
      }
      // The URL names only the account, so the account does not exist.
      return status === 404 && typeof body.api_id === "string" ? { class: "credentials" } : {};
    },
  }),
});
