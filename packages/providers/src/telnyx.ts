import { verify } from "node:crypto";
import type { SmsMessage } from "@belfry/contracts/sending";
import { type Static, Type } from "@sinclair/typebox";
import { apiUrl, createHttpVendor, each, JSON_HEADERS, meaningOf } from "./http-vendor.ts";
import { defineProvider } from "./provider.ts";
import {
  callbackAddress,
  deliveryOfAddress,
  listOf,
  momentOf,
  phoneOf,
  publicKeyOf,
  receiptText,
  recordOf,
  signedJson,
  textSetting,
  vendorEventOf,
} from "./receipt.ts";
import { baseUrlField, lineField, secretField } from "./settings.ts";
import { NO_ANSWER, textWebhooks } from "./text-webhooks.ts";

const VENDOR_URL = "https://api.telnyx.com";
const PORTAL = "https://portal.telnyx.com/#";

const SETTINGS = Type.Object(
  {
    apiKey: secretField({
      title: "API key",
      description: "A key of API version 2. It begins with KEY.",
      link: `${PORTAL}/api-keys`,
    }),
    sender: Type.Optional(
      lineField({
        title: "Sender",
        description:
          "A number (+12025550100), short code, or name of up to 11 characters. Without it the messaging profile chooses a number of its pool.",
        link: `${PORTAL}/numbers/my-numbers`,
        pattern: "^(\\+[1-9][0-9]{6,14}|[0-9]{3,11}|(?=[^A-Za-z]*[A-Za-z])[A-Za-z0-9 ]{1,11})$",
        fault: "must be a phone number, a short code or a name of up to 11 letters and digits",
      }),
    ),
    messagingProfileId: Type.Optional(
      lineField({
        title: "Messaging profile",
        description: "Its id. It is needed without a sender, and for a name as sender.",
        link: `${PORTAL}/messaging/profiles`,
        pattern: "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$",
        fault: "must be a messaging profile's id",
      }),
    ),
    webhookPublicKey: Type.Optional(
      lineField({
        title: "Public key",
        description:
          "Of the account, 44 characters. It verifies what Telnyx posts to /webhooks/telnyx/<tenant>: what became of each message, and to /webhooks/telnyx/<tenant>/inbound: the answers of people.",
        link: `${PORTAL}/api-keys/public-key`,
        pattern: "^[A-Za-z0-9+/]{43}=$",
        fault: "must be an Ed25519 key: 44 characters of base64",
      }),
    ),
    baseUrl: baseUrlField(VENDOR_URL),
  },
  { additionalProperties: false },
);

/** Meanings by the error's code. The HTTP status may vary. */
const ERRORS = {
  // About the account and its profile.
  ...each({ class: "credentials" }, 10009, 10010, 40311, 40312, 40313, 40314, 40321),
  // About the sender in the settings.
  ...each({ class: "credentials" }, 40013, 40100, 40150, 40151, 40305, 40306, 40308, 40315, 40329),
  // About the recipient or the text.
  ...each({ class: "permanent" }, 10002, 10004, 10015, 10016, 40009, 40012, 40301, 40302, 40304),
  ...each({ class: "permanent" }, 40316, 40317, 40328),
  // In an answer to a request, this code means that the recipient has answered STOP; in a receipt it may not.
  ...each({ class: "permanent", suppress: "opted out" }, 40300),
  ...each({ class: "permanent", suppress: "bounced" }, 40310),
  // This account may not send this message to this recipient. Another provider may send it.
  ...each({ class: "policy" }, 10039, 40309, 40319, 40322),
  ...each({ class: "throttled" }, 10011, 40011, 40016, 40018, 40318),
  ...each({ class: "transient" }, 10007, 10008, 40006, 40320),
};

interface TelnyxEvent {
  type: string;
  /** The message's id. */
  id: string;
  payload: Record<string, unknown>;
  occurredAt: Date | null;
}

/** The webhooks of a message and of a messaging profile. A profile posts all its events to one URL. */
const webhooks = textWebhooks<TelnyxEvent>({
  kind: "telnyx",
  keyOf: (settings) => textSetting(settings, "webhookPublicKey"),
  signsAddress: false,
  askedByMessage: true,
  proof: signedJson({
    // An Ed25519 signature.
    signature: ["telnyx-signature-ed25519", /^[A-Za-z0-9+/]{86}==$/],
    // The vendor's client accepts 5 minutes; we allow for events that wait on the way. This is safe, because a repeated
    // event is recognized by its message and status.
    time: ["telnyx-timestamp", 15 * 60],
    isSigned(given, { key: text, time, body }) {
      const key = publicKeyOf(Buffer.concat([DER_PREFIX, Buffer.from(text, "base64")]));
      const signed = Buffer.concat([Buffer.from(`${time}|`), body]);
      return key !== undefined && verify(null, signed, key, given);
    },
    event(json) {
      const data = recordOf(recordOf(json).data);
      const payload = recordOf(data.payload);
      const { event_type: type, occurred_at: occurredAt } = data;
      const id = vendorEventOf(payload.id);
      if (typeof type !== "string" || id === null) return "unreadable";
      return { type, id, payload, occurredAt: momentOf(occurredAt) };
    },
  }),
  statuses: {
    // The carrier never reported the result of `delivery_unconfirmed`.
    accepted: ["queued", "sending", "sent", "delivery_unconfirmed"],
    delivered: ["delivered"],
    bounced: ["sending_failed", "delivery_failed", "expired"],
  },
  result({ type, id, payload, occurredAt }) {
    if (type !== "message.sent" && type !== "message.finalized") return undefined;
    const [recipient] = listOf(payload.to);
    const { title, detail } = recordOf(listOf(payload.errors)[0]);
    const code = codeOf(payload.errors) ?? null;
    const words = [receiptText(title), receiptText(detail)];
    const isStop = code === BLOCKED && words.some((text) => text !== null && /\bSTOP\b/.test(text));
    return {
      id,
      status: recordOf(recipient).status,
      // We read the delivery from the signed body, because the request's URL is not signed.
      deliveryId: deliveryOfAddress(payload.webhook_url),
      reason: words[1] ?? words[0] ?? null,
      code,
      occurredAt,
      suppress: isStop ? "opted out" : code === NOT_ROUTABLE ? "bounced" : null,
    };
  },
  reply({ type, id, payload }) {
    if (type !== "message.received") return undefined;
    return {
      id,
      sender: phoneOf(recordOf(payload.from).phone_number),
      recipient: phoneOf(recordOf(listOf(payload.to)[0]).phone_number),
      text: payload.text,
    };
  },
  answer: NO_ANSWER.json,
});

/** The number is a landline, or no carrier serves it. */
const NOT_ROUTABLE = "40001";
/** The message was blocked. In a receipt, the recipient has answered STOP only if the error's text says so. */
const BLOCKED = "40300";

/** The bytes before the 32 bytes of an Ed25519 key in DER form (RFC 8410). */
const DER_PREFIX = Buffer.from("302a300506032b6570032100", "hex");

/** Text messages through Telnyx's Messaging API, `POST /v2/messages`. */
export const telnyx = defineProvider<SmsMessage, typeof SETTINGS>({
  kind: "telnyx",
  content: "text",
  title: "Telnyx",
  ...webhooks,
  settings: SETTINGS,
  faults: ({ sender, messagingProfileId }) =>
    sender === undefined && messagingProfileId === undefined
      ? ["sender: give a sender, a messaging profile, or both"]
      : [],
  create: createHttpVendor<SmsMessage, Static<typeof SETTINGS>>({
    name: "Telnyx",
    request(message, settings, context) {
      // JSON.stringify leaves out undefined fields.
      const body = {
        from: settings.sender,
        messaging_profile_id: settings.messagingProfileId,
        to: message.to,
        text: message.text,
        webhook_url: callbackAddress(webhooks.receipts, settings, context, message),
      };
      return {
        url: `${apiUrl(settings, VENDOR_URL)}/v2/messages`,
        headers: { ...JSON_HEADERS, authorization: `Bearer ${settings.apiKey}` },
        body: JSON.stringify(body),
      };
    },
    acceptedId({ data, errors }, { status }) {
      const { id } = recordOf(data);
      const isId = typeof id === "string" && /^[\x21-\x7e]{1,200}$/.test(id);
      return status === 200 && codeOf(errors) === undefined && isId ? id : undefined;
    },
    meaning({ errors }, { status }) {
      const meaning = meaningOf(ERRORS, codeOf(errors));
      // With a success status, the vendor may have accepted the message in spite of the error.
      return status < 300 && meaning.code ? { code: meaning.code, class: "ambiguous" } : meaning;
    },
  }),
});

function codeOf(errors: unknown): string | undefined {
  return /^\d{5,8}$/.exec(String(recordOf(listOf(errors)[0]).code ?? ""))?.[0];
}
