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

/** What a provider says of a message that it has: of whatever try, and whatever has become of the delivery since. */
const OF_A_PROVIDER = ["accepted", "delivered", "bounced", "complained"] as const;

/** Every move a delivery can make; the database refuses any other (`delivery-moves.sql`, written from this). */
export const DELIVERY_TRANSITIONS: Readonly<Record<DeliveryStatus, readonly DeliveryStatus[]>> = {
  // unknown: cancelled, when a try had ended without an answer.
  queued: ["sending", "skipped", "expired", "failed", "unknown", ...OF_A_PROVIDER],
  sending: ["waiting", "failed", "expired", "skipped", "unknown", ...OF_A_PROVIDER],
  waiting: ["sending", "skipped", "expired", "failed", "unknown", ...OF_A_PROVIDER],
  accepted: ["delivered", "bounced", "complained"],
  // bounced: some mail servers take a mail and send it back later.
  delivered: ["bounced", "complained"],
  bounced: [],
  complained: [],
  failed: ["queued", "discarded"],
  expired: ["queued", "discarded"],
  skipped: [],
  unknown: ["queued", "discarded", ...OF_A_PROVIDER],
  discarded: [],
};

/** Of a wait before another try. */
export const RETRY_JITTER = 0.2;
/** A vendor's `Retry-After` is honoured up to this. */
export const MAX_RETRY_AFTER_SECONDS = 3600;
