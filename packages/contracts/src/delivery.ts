/**
 * A delivery is one event on one of the channels that leave through a provider. A channel that never
 * became a delivery (no template, not allowed, no address) leaves its reason on the event instead.
 */
export const DELIVERY_STATUSES = [
  "queued",
  "sending",
  "waiting",
  "accepted",
  "delivered",
  "bounced",
  "complained",
  "failed",
  "expired",
  "skipped",
  "unknown",
  "discarded",
] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Every move a delivery can make, and nothing else can happen. */
export const DELIVERY_TRANSITIONS: Readonly<Record<DeliveryStatus, readonly DeliveryStatus[]>> = {
  // accepted: it was replayed, and now a receipt or a late answer to an earlier try says that a provider has it.
  queued: ["sending", "accepted", "skipped", "expired", "failed"],
  sending: ["accepted", "waiting", "failed", "expired", "skipped", "unknown"],
  // accepted: the answer to an earlier try came after its lease had ended.
  waiting: ["sending", "accepted", "skipped", "expired", "failed"],
  accepted: ["delivered", "bounced", "complained"],
  // bounced: some mail servers take a mail and send it back later.
  delivered: ["bounced", "complained"],
  bounced: [],
  complained: [],
  failed: ["queued", "discarded"],
  expired: ["queued", "discarded"],
  skipped: [],
  unknown: ["queued", "accepted", "discarded"],
  discarded: [],
};

/** Why a channel of an event was not dispatched, in the words the timeline shows. */
export const SKIP_REASONS = {
  noTemplate: "no active template",
  notAllowed: "channel not allowed",
  notRequested: "not requested",
  noEmail: "no recipientEmail",
  noPhone: "no recipientPhone",
  noProvider: "no active provider",
  tenantInactive: "tenant inactive",
} as const;
export type SkipReason = (typeof SKIP_REASONS)[keyof typeof SKIP_REASONS];

const SECOND = 1;
const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** Seconds before each try after the first; jittered by ±20 % when used. */
export const RETRY_SCHEDULES_SECONDS = {
  EMAIL: [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR],
  SMS: [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR],
} as const;
export const RETRY_JITTER = 0.2;
/** A vendor's `Retry-After` is honoured up to this. */
export const MAX_RETRY_AFTER_SECONDS = HOUR;
