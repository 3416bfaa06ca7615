import type { DELIVERY_STATUSES } from "./delivery.ts";

/** What a tenant's endpoint is told of: status webhooks, by the specification Standard Webhooks. */
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
] as const satisfies readonly (
  | `delivery.${(typeof DELIVERY_STATUSES)[number]}`
  | `notification.${string}`
  | `preference.${string}`
)[];
export type WebhookType = (typeof WEBHOOK_TYPES)[number];

/** Sent when a person asks for it, whatever types the endpoint has chosen. */
export const TEST_TYPE = "webhook.test";
export type WebhookMessageType = WebhookType | typeof TEST_TYPE;

export const MAX_WEBHOOKS = 20;
export const MAX_WEBHOOK_URL = 2048;
/** How long the secret before signs beside the new one. */
export const PREVIOUS_SECRET_HOURS = 24;

const MINUTE = 60;
const HOUR = 60 * MINUTE;
/** The wait before each try after the first, jittered by ±20 %. */
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
/** What an attempt says of an answer that is neither a redirect nor 410. */
export const answeredWith = (status: number) => `it answered ${status}`;

/** For the whole of a call. */
export const WEBHOOK_TIMEOUT_MS = 15_000;
/** Of it for the start of the answer's body: the status has decided, and a body may never end. */
export const WEBHOOK_BODY_MS = 1_000;
/** What is kept of an answer. */
export const MAX_WEBHOOK_ANSWER_BYTES = 1024;
