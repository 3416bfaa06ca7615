import { type TSchema, Type } from "@sinclair/typebox";
import { Broadcast } from "./broadcasts.ts";
import { CHANNELS, IN_APP } from "./channels.ts";
import type { DELIVERY_STATUSES } from "./delivery.ts";
import { DEVICE_KINDS } from "./devices.ts";
import { oneOf, time } from "./fields.ts";

/** Types of status webhooks to a tenant's endpoints, in the form of the specification Standard Webhooks. */
export const WEBHOOK_TYPES = [
  "delivery.accepted",
  "delivery.delivered",
  "delivery.bounced",
  "delivery.complained",
  "delivery.failed",
  "delivery.expired",
  "delivery.skipped",
  "delivery.unknown",
  "notification.created",
  "notification.read",
  "preference.changed",
  "device.added",
  "device.gone",
  "broadcast.progress",
  "broadcast.done",
] as const satisfies readonly (
  | `delivery.${(typeof DELIVERY_STATUSES)[number]}`
  | `notification.${string}`
  | `preference.${string}`
  | `device.${string}`
  | `broadcast.${string}`
)[];
export type WebhookType = (typeof WEBHOOK_TYPES)[number];

/** Sent when a person requests it, even if the endpoint has chosen other types. */
export const TEST_TYPE = "webhook.test";
export type WebhookMessageType = WebhookType | typeof TEST_TYPE;

export const MAX_WEBHOOKS = 20;
export const MAX_WEBHOOK_URL = 2048;
/** How long the previous secret also signs after a rotation. */
export const PREVIOUS_SECRET_HOURS = 24;

const MINUTE = 60;
const HOUR = 60 * MINUTE;
/** The wait before each retry, varied by ±20 %. */
export const WEBHOOK_RETRY_SECONDS = [
  5,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];
/** Returns the text for an answer that is neither a redirect nor 410. */
export const answeredWith = (status: number) => `it answered ${status}`;

/** The timeout of a whole call. */
export const WEBHOOK_TIMEOUT_MS = 15_000;
/**
 * The part of the timeout for the beginning of the answer's body. The status has already decided, and a body may never
 * end.
 */
export const WEBHOOK_BODY_MS = 1_000;
/** The maximum of bytes of an answer that are stored. */
export const MAX_WEBHOOK_ANSWER_BYTES = 1024;

// Fields of the webhooks' payloads: Belfry's ids and texts, never content and never an address.

const id = (description: string) => Type.String({ format: "uuid", description });

const occurredAt = time("When it happened");
const eventType = Type.String({ description: "The trigger's event type" });

const ofEvent = {
  id: id("Belfry's id of the event"),
  eventId: Type.String({ description: "Your own reference; Belfry's id if you gave none" }),
  eventType,
};

const ofDelivery = {
  deliveryId: Type.Optional(id("Of the delivery; absent where none was made")),
  channel: oneOf(CHANNELS),
  reason: Type.Union([Type.String(), Type.Null()], {
    description: "In words, without addresses and numbers; null: there is none",
  }),
  occurredAt,
};

/** Fields of a digest's delivery: they name the events of the digest. */
const ofDigest = {
  digestId: id("Of the message that gathers events"),
  eventType,
  count: Type.Integer({ minimum: 0, description: "How many events it combines" }),
  ids: Type.Array(Type.String({ format: "uuid" }), {
    maxItems: 100,
    description: "Belfry's ids of the oldest of them",
  }),
  eventIds: Type.Array(Type.String(), {
    maxItems: 100,
    description: "Your own references, in the same order",
  }),
};

function deliveryData(status: string): TSchema {
  const own = { ...ofDelivery, status: oneOf([status]) };
  return Type.Union([Type.Object({ ...own, ...ofEvent }), Type.Object({ ...own, ...ofDigest })]);
}

const notificationData = Type.Object({ ...ofEvent, channel: oneOf([IN_APP]), occurredAt });

const preferenceData = Type.Object({
  userId: Type.String({ description: "The user's id in your own system" }),
  source: Type.String({ description: "Source of the change, such as `preference page`" }),
  preferences: Type.Array(
    Type.Object({
      category: Type.String({ description: "A category's key, or * for all" }),
      channel: oneOf([...CHANNELS, "*"]),
      enabled: Type.Union([Type.Boolean(), Type.Null()], { description: "null: forgotten" }),
    }),
    { description: "Only the changed preferences" },
  ),
  occurredAt,
});

const { state, total, expanded, byStatus } = Broadcast.properties;
const broadcastData = Type.Object({
  broadcastId: id("Of the broadcast"),
  eventType,
  state,
  total,
  expanded,
  byStatus,
  occurredAt,
});

const deviceData = Type.Object({
  userId: Type.String({ description: "The user's id in your own system" }),
  deviceId: Type.String(),
  kind: oneOf(DEVICE_KINDS),
  occurredAt,
});

const testData = Type.Object({ webhookId: id("Of the endpoint"), occurredAt });

function dataOf(type: WebhookMessageType): TSchema {
  if (type === TEST_TYPE) return testData;
  if (type === "preference.changed") return preferenceData;
  if (type === "device.added" || type === "device.gone") return deviceData;
  if (type === "broadcast.progress" || type === "broadcast.done") return broadcastData;
  const [kind = "", what = ""] = type.split(".");
  return kind === "notification" ? notificationData : deliveryData(what);
}

/** The meaning of each type, as a sentence of the OpenAPI document. */
export const WEBHOOK_MEANINGS: Record<WebhookMessageType, string> = {
  "delivery.accepted": "A provider has accepted the message",
  "delivery.delivered": "The provider reports that the message has arrived",
  "delivery.bounced":
    "The message came back, at once or later; Belfry suppresses the address if it is gone for good",
  "delivery.complained": "The reader reported the message as spam; Belfry suppresses the address",
  "delivery.failed": "Belfry did not send the message and does not retry",
  "delivery.expired": "The message expired before Belfry could send it",
  "delivery.skipped":
    "Belfry does not send the message, on purpose; only for channels with an active template",
  "delivery.unknown": "Belfry sent the message and got no answer: nobody knows whether it arrived",
  "notification.created": "The notification is in the user's inbox",
  "notification.read": "The user has read, archived or deleted the notification",
  "preference.changed": "A user has turned something on or off",
  "device.added": "A device was registered for the first time, or moved to the user",
  "device.gone":
    "A vendor does not know the device any more, so Belfry has deleted it and sends nothing to it",
  "broadcast.progress": "A broadcast has moved on; at most every 10 seconds",
  "broadcast.done": "All of a broadcast has been sent or has ended, or its cancel has",
  "webhook.test": "Somebody is testing the endpoint",
};

export const WEBHOOK_MESSAGE_TYPES: readonly WebhookMessageType[] = [...WEBHOOK_TYPES, TEST_TYPE];

/** The body of a message, by its type. Fields and types may be added. */
export const WEBHOOK_PAYLOADS: Record<WebhookMessageType, TSchema> = byType((type) =>
  Type.Object(
    { type: oneOf([type]), timestamp: time("When it happened"), data: dataOf(type) },
    { description: WEBHOOK_MEANINGS[type] },
  ),
);

const EXAMPLE_ID = "0198c0de-0000-7000-8000-000000000001";
const AT = "2026-11-20T09:30:00.000Z";
const REASONS: Partial<Record<WebhookMessageType, string>> = {
  "delivery.bounced": "550 5.1.1 user unknown",
  "delivery.failed": "retries exhausted: 503 Service Unavailable",
  "delivery.expired": "expired",
  "delivery.skipped": `turned off by the user for Offers on ${CHANNELS[0]}, 2 Nov 2026, preference page`,
  "delivery.unknown": "the provider gave no answer",
};

/** An example of each type. */
export const WEBHOOK_EXAMPLES: Record<WebhookMessageType, object> = byType((type) => ({
  type,
  timestamp: AT,
  data: exampleData(type),
}));

/** An example for a digest's message. */
export const DIGEST_EXAMPLE = {
  type: "delivery.accepted",
  timestamp: AT,
  data: {
    deliveryId: "0198c0de-0000-7000-8000-00000000d001",
    channel: CHANNELS[0],
    status: "accepted",
    reason: null,
    occurredAt: AT,
    digestId: "0198c0de-0000-7000-8000-00000000d1f0",
    eventType: "comment.posted",
    count: 2,
    ids: [EXAMPLE_ID, "0198c0de-0000-7000-8000-000000000002"],
    eventIds: ["comment-17", "comment-18"],
  },
};

function exampleData(type: WebhookMessageType): object {
  if (type === TEST_TYPE) {
    return { webhookId: "0198c0de-0000-7000-8000-00000000e001", occurredAt: AT };
  }
  if (type === "preference.changed") {
    const preferences = [{ category: "offers", channel: CHANNELS[0], enabled: false }];
    return { userId: "user-1", source: "preference page", preferences, occurredAt: AT };
  }
  if (type === "broadcast.progress" || type === "broadcast.done") {
    const isDone = type === "broadcast.done";
    return {
      broadcastId: EXAMPLE_ID,
      eventType: "product.news",
      state: isDone ? "done" : "running",
      total: 120_000,
      expanded: isDone ? 120_000 : 4_200,
      byStatus: isDone ? { accepted: 118_200, skipped: 1_800 } : { accepted: 4_000, queued: 200 },
      occurredAt: AT,
    };
  }
  if (type === "device.added" || type === "device.gone") {
    return { userId: "user-1", deviceId: "firefox-laptop", kind: "webpush", occurredAt: AT };
  }
  const event = { id: EXAMPLE_ID, eventId: "order-1001", eventType: "order.confirmed" };
  const [kind, what] = type.split(".");
  if (kind === "notification") return { ...event, channel: IN_APP, occurredAt: AT };
  return {
    deliveryId: "0198c0de-0000-7000-8000-00000000d001",
    ...event,
    channel: CHANNELS[0],
    status: what,
    reason: REASONS[type] ?? null,
    occurredAt: AT,
  };
}

function byType<T>(make: (type: WebhookMessageType) => T): Record<WebhookMessageType, T> {
  return Object.fromEntries(WEBHOOK_MESSAGE_TYPES.map((type) => [type, make(type)])) as Record<
    WebhookMessageType,
    T
  >;
}
