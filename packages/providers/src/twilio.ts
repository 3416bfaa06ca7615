import { createHmac } from "node:crypto";
import type { OptKeyword } from "@belfry/contracts/inbound";
import { parseForm } from "@belfry/contracts/parse-form";
import type { Receipt, SmsMessage } from "@belfry/contracts/sending";
import { type Static, Type } from "@sinclair/typebox";
import {
  apiUrl,
  basicAuthorization,
  createHttpVendor,
  each,
  JSON_HEADERS,
  meaningOf,
} from "./http-vendor.ts";
import { defineProvider } from "./provider.ts";
import {
  callbackAddress,
  deliveryOfAddress,
  entryOf,
  type Field,
  formedHeader,
  isSameSignature,
  MAX_FORM_FIELDS,
  MAX_NUMBER_CHARACTERS,
  receiptText,
  sortedFields,
  textSetting,
  type WebhookHead,
} from "./receipt.ts";
import { baseUrlField, lineField, secretField } from "./settings.ts";
import { NO_ANSWER, textWebhooks } from "./text-webhooks.ts";

const VENDOR_URL = "https://api.twilio.com";
const MESSAGING_SERVICE = /^MG[0-9a-fA-F]{32}$/;

const SETTINGS = Type.Object(
  {
    accountSid: lineField({
      title: "Account SID",
      description: "The account that sends: AC and 32 hexadecimal digits.",
      link: "https://console.twilio.com/",
      pattern: "^AC[0-9a-fA-F]{32}$",
      fault: "must be AC and 32 hexadecimal digits",
    }),
    apiKeySid: Type.Optional(
      lineField({
        title: "API key SID",
        description:
          "Of an API key, SK and 32 hexadecimal digits; without it the account's own token is used.",
        link: "https://console.twilio.com/us1/account/keys-credentials/api-keys",
        pattern: "^SK[0-9a-fA-F]{32}$",
        fault: "must be SK and 32 hexadecimal digits",
      }),
    ),
    authToken: secretField({
      title: "Secret",
      description: "The API key's secret, or the account's auth token.",
      link: "https://console.twilio.com/us1/account/keys-credentials/api-keys",
    }),
    webhookAuthToken: Type.Optional(
      secretField({
        title: "Auth token for webhooks",
        link: "https://console.twilio.com/",
        description:
          "The account's auth token, which signs what Twilio posts to /webhooks/twilio/<tenant>: what became of each message, and to /webhooks/twilio/<tenant>/inbound: the answers of people. Only with an API key; else the secret above is it.",
      }),
    ),
    sender: lineField({
      title: "Sender",
      description:
        "A number (+12025550100), short code, name of up to 11 characters, or messaging service (MG…).",
      link: "https://console.twilio.com/us1/develop/phone-numbers/manage/incoming",
      pattern:
        "^(\\+[1-9][0-9]{6,14}|MG[0-9a-fA-F]{32}|[0-9]{3,11}|(?=[^A-Za-z]*[A-Za-z])[A-Za-z0-9 ._&+-]{1,11})$",
      fault:
        "must be a phone number, a short code, a name of up to 11 characters or a messaging service's SID",
    }),
    baseUrl: baseUrlField(VENDOR_URL),
  },
  { additionalProperties: false },
);

/** Meanings of error codes for which the HTTP status is not precise enough. */
const ERRORS = {
  // About the account.
  ...each({ class: "credentials" }, 10001, 20003, 20005, 20006, 20008, 20404, 30002),
  // About the sender in the settings.
  ...each({ class: "credentials" }, 21212, 21603, 21606, 21659, 21660, 21701, 21703, 21705),
  // About the recipient or the text.
  ...each({ class: "permanent" }, 21265, 21266, 21602, 21604, 21617, 21635, 30006),
  ...each({ class: "permanent", suppress: "bounced" }, 21211, 21614, 30005),
  ...each({ class: "permanent", suppress: "opted out" }, 21610),
  // This account may not send this message to this recipient, or a carrier blocked it. Another provider may send it.
  ...each({ class: "policy" }, 21408, 21608, 21612, 30004, 30007),
  // Too many requests per second, at once or today.
  ...each({ class: "throttled" }, 14107, 20429, 21611, 30001, 63038),
  // The phone is off or unreachable, or its carrier gives no reason.
  ...each({ class: "deferred" }, 30003, 30008),
  ...each({ class: "transient" }, 20500, 20503),
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

/** The callback about a message and the webhook of a number: forms. The signature covers the URL and the fields. */
const webhooks = textWebhooks<URLSearchParams>({
  kind: "twilio",
  keyOf: webhookKey,
  signsAddress: true,
  askedByMessage: true,
  proof: twilioForm,
  statuses: {
    accepted: ["accepted", "scheduled", "queued", "sending", "sent"],
    delivered: ["delivered", "read"],
    bounced: ["undelivered", "failed", "canceled"],
  },
  result(form, { url }) {
    const code = /^\d{5}$/.exec(form.get("ErrorCode") ?? "")?.[0] ?? null;
    const { words = null, suppress } = entryOf(CODES, code) ?? {};
    return {
      id: messageIdOf(form.get("MessageSid")),
      status: form.get("MessageStatus"),
      // We read the delivery from the URL, which is signed. The callback contains no other text of ours.
      deliveryId: deliveryOfAddress(url),
      reason: receiptText(form.get("ErrorMessage")) ?? words,
      code,
      occurredAt: null,
      suppress,
    };
  },
  reply: (form) => ({
    id: messageIdOf(form.get("MessageSid")),
    sender: receiptText(form.get("From"), MAX_NUMBER_CHARACTERS),
    recipient: receiptText(form.get("To"), MAX_NUMBER_CHARACTERS),
    text: form.get("Body"),
    keyword: entryOf(KEYWORDS, form.get("OptOutType")),
  }),
  answer: NO_ANSWER.xml,
});

/** Keywords that the vendor's own opt-out handling reports. */
const KEYWORDS: Readonly<Record<string, OptKeyword>> = { STOP: "stop", START: "start" };

/** Returns the key of webhooks: the account's auth token, which signs them even if an API key makes the requests. */
function webhookKey(settings: Readonly<Record<string, unknown>>): string | undefined {
  const ownToken = settings.apiKeySid === undefined ? "authToken" : "webhookAuthToken";
  return textSetting(settings, "webhookAuthToken") ?? textSetting(settings, ownToken);
}

/** HMAC-SHA1 in base64. */
const SIGNATURE = /^[A-Za-z0-9+/]{27}=$/;

/** Verifies and reads the form that the vendor posted. */
function twilioForm(head: WebhookHead, keys: readonly string[]) {
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

function messageIdOf(value: unknown): string | null {
  return typeof value === "string" && /^(SM|MM)[0-9a-fA-F]{32}$/.test(value) ? value : null;
}

const ON_ITS_WAY: readonly unknown[] = [
  ...["accepted", "scheduled", "queued", "sending", "sent", "delivered"],
];
const ENDED: readonly unknown[] = ["failed", "undelivered", "canceled"];

/** Text messages through Twilio's Programmable Messaging, `POST /2010-04-01/Accounts/{sid}/Messages.json`. */
export const twilio = defineProvider<SmsMessage, typeof SETTINGS>({
  kind: "twilio",
  content: "text",
  title: "Twilio",
  ...webhooks,
  settings: SETTINGS,
  create: createHttpVendor<SmsMessage, Static<typeof SETTINGS>>({
    name: "Twilio",
    request(message, settings, context) {
      const { accountSid, apiKeySid = accountSid, authToken, sender } = settings;
      const callback = callbackAddress(webhooks.receipts, settings, context, message);
      const form = new URLSearchParams({
        To: message.to,
        [MESSAGING_SERVICE.test(sender) ? "MessagingServiceSid" : "From"]: sender,
        Body: message.text,
        ...(callback && { StatusCallback: callback }),
      });
      return {
        url: `${apiUrl(settings, VENDOR_URL)}/2010-04-01/Accounts/${accountSid}/Messages.json`,
        headers: {
          ...JSON_HEADERS,
          authorization: basicAuthorization(apiKeySid, authToken),
          "content-type": "application/x-www-form-urlencoded",
        },
        body: form.toString(),
      };
    },
    acceptedId: ({ sid, status: state, error_code: code }, { status }) =>
      status === 201 && ON_ITS_WAY.includes(state) && codeOf(code) === null
        ? messageIdOf(sid)
        : undefined,
    meaning({ sid, status: state, code, error_code }, { status }) {
      const meaning = meaningOf(ERRORS, codeOf(status >= 400 ? code : error_code));
      // The message exists and has finally failed, so another call would create another message.
      if (status === 201 && messageIdOf(sid) !== null && ENDED.includes(state)) {
        return { class: "permanent", ...meaning };
      }
      return status < 300 ? { code: meaning.code ?? null, class: "ambiguous" } : meaning;
    },
  }),
});

function codeOf(value: unknown): string | null {
  return (typeof value === "number" || typeof value === "string") && /^\d{5}$/.test(String(value))
    ? String(value)
    : null;
}
