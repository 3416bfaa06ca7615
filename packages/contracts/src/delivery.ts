import type { Channel } from "./channels.ts";

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

/** States that a provider reports for a message it has, from any try and in any later state of the delivery. */
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

/** Random share by which the wait before another try varies. */
export const RETRY_JITTER = 0.2;
/** A vendor's `Retry-After` is honoured up to this. */
export const MAX_RETRY_AFTER_SECONDS = 3600;

/** When what a template makes leaves, and how much of it: settings of an event type on a channel that is sent. */

/** One message for the events of a window; exactly one of `windowSeconds` and `at`. */
export interface DigestSettings {
  windowSeconds?: number;
  /** HH:MM by the recipient's clock. */
  at?: string;
  /** With `at`: ISO days of the week, 1 is Monday; none: every day. */
  days?: number[];
  /** Name of the variable by whose value events are kept apart. */
  key?: string;
  /** The window begins anew with each event. */
  sliding?: boolean;
  /** For a sliding window: its longest length, counted from the first event. */
  maxSeconds?: number;
  /** The first event is sent by itself at once, and those of the window after it together. */
  leading?: boolean;
}

/** So many a user in any time of that length. */
export interface ThrottleSettings {
  count: number;
  seconds: number;
}

/** Reasons that the dispatcher stores on an event for channels without a delivery. */
export interface EventOutcome {
  skipped?: Partial<Record<Channel, string>>;
  failed?: Partial<Record<Channel, string>>;
  /** Variables that a template named and the event did not have. */
  missing?: Partial<Record<Channel, string[]>>;
  /** Other parts of a template that could not be rendered, in words. */
  warnings?: Partial<Record<Channel, string[]>>;
  /** Links of a template that are not shown, in words with the reason. */
  linksLeftOut?: Partial<Record<Channel, string[]>>;
  /** Why it did not leave at once, and until when. */
  waits?: Partial<Record<Channel, string>>;
  /** Why its message is not gathered with others, as its template says. */
  apart?: Partial<Record<Channel, string>>;
}

/** Outcomes of an event in a digest. `alone`: sent by itself as the leading event. */
export const DIGEST_ITEM_STATES = ["in", "alone", "read", "cancelled"] as const;
export type DigestItemState = (typeof DIGEST_ITEM_STATES)[number];

export const MAX_DIGEST_SECONDS = 7 * 24 * 60 * 60;
export const MAX_THROTTLE_COUNT = 100;
export const MAX_THROTTLE_SECONDS = 7 * 24 * 60 * 60;
export const MAX_AFTER_UNREAD_SECONDS = 7 * 24 * 60 * 60;
/** One message gathers so many, or up to a batch more; who comes then opens another one. */
export const MAX_DIGEST_EVENTS = 10_000;
/** Most events that one message shows; `$count` counts all of them. */
export const MAX_DIGEST_ITEMS = 100;
export const MAX_DIGEST_ITEM_BYTES = 1024 * 1024;
