import type { Channel } from "./channels.ts";

/**
 * The states of a delivery, which is one event on one provider channel. If a channel gets no delivery (no template, not
 * allowed, no address), the reason is stored on the event instead.
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

/** States that a provider reports for a message it has. A report may be about any attempt and arrive at any time. */
const OF_A_PROVIDER = ["accepted", "delivered", "bounced", "complained"] as const;

/**
 * All allowed changes of a delivery's status. The database rejects others (`delivery-moves.sql`, written from this).
 */
export const DELIVERY_TRANSITIONS: Readonly<Record<DeliveryStatus, readonly DeliveryStatus[]>> = {
  // To `unknown`: the delivery was cancelled after an attempt that ended without an answer.
  queued: ["sending", "skipped", "expired", "failed", "unknown", ...OF_A_PROVIDER],
  sending: ["waiting", "failed", "expired", "skipped", "unknown", ...OF_A_PROVIDER],
  waiting: ["sending", "skipped", "expired", "failed", "unknown", ...OF_A_PROVIDER],
  accepted: ["delivered", "bounced", "complained"],
  // To `bounced`: some mail servers accept a mail and return it later.
  delivered: ["bounced", "complained"],
  bounced: [],
  complained: [],
  failed: ["queued", "discarded"],
  expired: ["queued", "discarded"],
  skipped: [],
  unknown: ["queued", "discarded", ...OF_A_PROVIDER],
  discarded: [],
};

/** The share by which the wait before a retry varies at random. */
export const RETRY_JITTER = 0.2;
/** The maximum of a vendor's `Retry-After` that Belfry respects. */
export const MAX_RETRY_AFTER_SECONDS = 3600;

// Settings of an event type on a provider channel: when its messages are sent, and how many.

/** Combines the events of a time window into one message. Exactly one of `windowSeconds` and `at` is set. */
export interface DigestSettings {
  windowSeconds?: number;
  /** HH:MM in the recipient's time zone. */
  at?: string;
  /** Only with `at`: ISO days of the week, 1 is Monday. If absent, every day. */
  days?: number[];
  /** The name of a variable. Events with different values of it get different messages. */
  key?: string;
  /** Whether each event restarts the window. */
  sliding?: boolean;
  /** For a sliding window: its maximum length, counted from the first event. */
  maxSeconds?: number;
  /** Whether the first event is sent alone at once, and only the later events of the window are combined. */
  leading?: boolean;
}

/** At most `count` messages to a user in any period of `seconds`. */
export interface ThrottleSettings {
  count: number;
  seconds: number;
}

/** Reasons that the dispatcher stores on an event for channels without a delivery. */
export interface EventOutcome {
  skipped?: Partial<Record<Channel, string>>;
  failed?: Partial<Record<Channel, string>>;
  /** Variables that a template uses and the event does not have. */
  missing?: Partial<Record<Channel, string[]>>;
  /** Other parts of a template that could not be rendered, as text. */
  warnings?: Partial<Record<Channel, string[]>>;
  /** Links of a template that are left out, as text with the reason. */
  linksLeftOut?: Partial<Record<Channel, string[]>>;
  /** Why the message was not sent at once, and until when it waits. */
  waits?: Partial<Record<Channel, string>>;
  /** Why the message is not combined with others, although its template has a digest. */
  apart?: Partial<Record<Channel, string>>;
}

/** The states of an event in a digest. `alone`: sent by itself as the first event. */
export const DIGEST_ITEM_STATES = ["in", "alone", "read", "cancelled"] as const;
export type DigestItemState = (typeof DIGEST_ITEM_STATES)[number];

export const MAX_DIGEST_SECONDS = 7 * 24 * 60 * 60;
export const MAX_THROTTLE_COUNT = 100;
export const MAX_THROTTLE_SECONDS = 7 * 24 * 60 * 60;
export const MAX_AFTER_UNREAD_SECONDS = 7 * 24 * 60 * 60;
/** The maximum of events in a digest's message. One batch may exceed it; the next event opens another digest. */
export const MAX_DIGEST_EVENTS = 10_000;
/** The maximum of events that one message shows. `$count` counts all of them. */
export const MAX_DIGEST_ITEMS = 100;
export const MAX_DIGEST_ITEM_BYTES = 1024 * 1024;
