import { createHash, createHmac } from "node:crypto";
import type { SmsMessage } from "@belfry/contracts/sending";
import { type Static, Type } from "@sinclair/typebox";
import { apiUrl, createHttpVendor, JSON_HEADERS } from "./http-vendor.ts";
import { defineProvider } from "./provider.ts";
import {
  deliveryIdOf,
  entryOf,
  isSameSignature,
  momentOf,
  phoneOf,
  receiptText,
  recordOf,
  signedJson,
  textSetting,
  vendorEventOf,
} from "./receipt.ts";
import { baseUrlField, lineField, secretField } from "./settings.ts";
import { NO_ANSWER, textWebhooks } from "./text-webhooks.ts";

const VENDOR_URL = "https://api.bird.com";
const UUID = "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$";

const SETTINGS = Type.Object(
  {
    accessKey: secretField({
      title: "Access key",
      description: "One that may send messages of the channel.",
      link: "https://app.bird.com/settings/access-keys",
    }),
    workspaceId: lineField({
      title: "Workspace",
      description: "Its id.",
      link: "https://app.bird.com/settings",
      pattern: UUID,
      fault: "must be a workspace's id",
    }),
    channelId: lineField({
      title: "Channel",
      description: "The id of the channel for text messages, whose number or name is the sender.",
      link: "https://app.bird.com/settings",
      pattern: UUID,
      fault: "must be a channel's id",
    }),
    signingKey: Type.Optional(
      secretField({
        title: "Signing key",
        description:
          "Of the webhook subscriptions: sms.outbound to /webhooks/bird/<tenant>: what became of each message, and sms.inbound to /webhooks/bird/<tenant>/inbound: the answers of people. Choose it yourself, the same for both.",
        link: "https://app.bird.com/developers/webhooks",
      }),
    ),
    baseUrl: baseUrlField(VENDOR_URL),
  },
  { additionalProperties: false },
);

const STATUSES = {
  accepted: ["accepted", "scheduled", "processing", "sent"],
  delivered: ["delivered"],
  bounced: ["rejected", "skipped", "sending_failed", "delivery_failed"],
};

/** Values of `details` that are about the number. Others may be temporary, or are about the message or sender. */
const SUPPRESSED = {
  unknown_subscriber: "bounced",
  incorrect_number: "bounced",
  opted_out: "opted out",
} as const;

interface BirdEvent {
  name: string;
  /** The message's id. */
  id: string;
  payload: Record<string, unknown>;
}

/** The vendor's webhook subscriptions to `sms.outbound` and `sms.inbound`. */
const webhooks = textWebhooks<BirdEvent>({
  kind: "bird",
  keyOf: (settings) => textSetting(settings, "signingKey"),
  signsAddress: true,
  askedByMessage: false,
  setUp: {
    text: "Create a webhook subscription to sms.outbound with this address, and another to sms.inbound with /inbound at its end. Give both the signing key that stands above.",
    link: "https://app.bird.com/developers/webhooks",
  },
  proof: signedJson({
    // HMAC-SHA256.
    signature: ["messagebird-signature", /^[A-Za-z0-9+/]{43}=$/],
    // The vendor retries for 8 hours with the time and signature of the first try. Repeated events have the same ids.
    time: ["messagebird-request-timestamp", 24 * 60 * 60],
    isSigned: (given, { key, time, url, body }) =>
      isSameSignature(given, birdSignature(key, time, url, body)),
    event(json) {
      const { event: name, payload: told } = recordOf(json);
      const payload = recordOf(told);
      const id = vendorEventOf(payload.id);
      return typeof name === "string" && id !== null ? { name, id, payload } : "unreadable";
    },
  }),
  statuses: STATUSES,
  result({ name, id, payload }) {
    if (name !== "sms.outbound") return undefined;
    return {
      id,
      status: payload.status,
      deliveryId: deliveryIdOf(payload.reference),
      reason: receiptText(payload.reason),
      code: /^\d{1,6}$/.exec(String(recordOf(payload.failure).code ?? ""))?.[0] ?? null,
      occurredAt: momentOf(payload.updatedAt),
      suppress: entryOf(SUPPRESSED, payload.details),
    };
  },
  reply({ name, id, payload }) {
    if (name !== "sms.inbound") return undefined;
    return {
      id,
      sender: phoneOf(recordOf(recordOf(payload.sender).contact).identifierValue),
      recipient: phoneOf(recordOf(recordOf(payload.receiver).connector).identifierValue),
      text: recordOf(recordOf(payload.body).text).text,
    };
  },
  answer: NO_ANSWER.json,
});

/** Returns the HMAC-SHA256 over the time, the URL and the SHA-256 of the body as bytes, each on a line. */
export function birdSignature(key: string, time: string, address: string, body: Buffer): Buffer {
  const hmac = createHmac("sha256", key).update(`${time}\n${address}\n`);
  return hmac.update(createHash("sha256").update(body).digest()).digest();
}

const ON_ITS_WAY = new Set([...STATUSES.accepted, ...STATUSES.delivered]);
const ENDED = new Set(["rejected", "sending_failed"]);

/** Text messages through Bird's Channels API, `POST /workspaces/{id}/channels/{id}/messages`. */
export const bird = defineProvider<SmsMessage, typeof SETTINGS>({
  kind: "bird",
  content: "text",
  title: "Bird",
  ...webhooks,
  settings: SETTINGS,
  create: createHttpVendor<SmsMessage, Static<typeof SETTINGS>>({
    name: "Bird",
    request({ to, text, deliveryId }, settings) {
      const { accessKey, workspaceId, channelId } = settings;
      const body = {
        receiver: { contacts: [{ identifierKey: "phonenumber", identifierValue: to }] },
        body: { type: "text", text: { text } },
        // The message's events repeat this reference.
        reference: deliveryId,
      };
      const path = `/workspaces/${workspaceId}/channels/${channelId}/messages`;
      return {
        url: apiUrl(settings, VENDOR_URL) + path,
        headers: { ...JSON_HEADERS, authorization: `AccessKey ${accessKey}` },
        body: JSON.stringify(body),
      };
    },
    acceptedId: (body, { status }) =>
      status === 202 && isBirdMessageId(body.id) && ON_ITS_WAY.has(String(body.status))
        ? body.id
        : undefined,
    meaning({ id, status: state, code }, { status }) {
      // The message exists and has ended, so another call would make another message.
      if (status === 202 && isBirdMessageId(id) && ENDED.has(String(state))) {
        return { code: String(state), class: "permanent" };
      }
      // The URL names the workspace and the channel, so one of these does not exist.
      return status === 404 && typeof code === "string" ? { class: "credentials" } : {};
    },
  }),
});

function isBirdMessageId(value: unknown): value is string {
  return typeof value === "string" && new RegExp(UUID).test(value);
}
