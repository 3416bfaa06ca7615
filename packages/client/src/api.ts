/** The requests and answers of Belfry's API, as its OpenAPI document describes them. */

export type Channel = "EMAIL" | "SMS" | "PUSH";

export interface TriggerInput {
  /** Matched against the event type of your templates. */
  eventType: string;
  /** Your own reference: stored and shown, not unique. */
  eventId?: string;
  /** Narrows the channels of this event; none or an empty list: all. */
  channels?: Channel[];
  payload: {
    /** The recipient's id in your own system. */
    userId: string;
    /** Needed for EMAIL. */
    recipientEmail?: string | null;
    /** Needed for SMS; E.164, as +12025550123. */
    recipientPhone?: string | null;
  };
  /** The recipient's language, as `de-AT` or `zh-Hant` (BCP 47): which templates are taken. */
  locale?: string;
  /** Time at which Belfry dispatches the event, in ISO 8601 with an offset. A past time means now. */
  sendAt?: string;
  /** The same in seconds from the acceptance, in place of `sendAt`. */
  delaySeconds?: number;
  /** A key for cancelling: one call cancels all events with this key. */
  cancelKey?: string;
  /** Envelope of the mail. Each field takes precedence over the template's. */
  email?: EmailInput;
  /** Values for the templates, by name. */
  variables?: Record<string, unknown>;
}

/** A named set of users. */
export interface Topic {
  key: string;
  /** How many users are in it. */
  members: number;
  createdAt: string;
}

export interface TopicPage {
  topics: Topic[];
  /** For `after`; undefined: there is no more. */
  next: string | undefined;
}

export interface MemberPage {
  userIds: string[];
  /** For `after`; undefined: there is no more. */
  next: string | undefined;
}

export interface EmailInput {
  /** The name beside the sender's address. */
  fromName?: string | null;
  /** Address that receives replies. */
  replyTo?: string | null;
  /** At most 10 addresses that get a copy. An empty list means none, whatever the template says. */
  cc?: string[] | null;
  bcc?: string[] | null;
  /** Ids of `uploadAttachment`, at most 10; with `cid` the mail's HTML shows it as `<img src="cid:…">`. */
  attachments?: (string | { id: string; cid?: string })[];
}

export interface AttachmentInput {
  /** The file name that the recipient sees, without a path. */
  name: string;
  /** Media type, such as `application/pdf` or `text/calendar; method=REQUEST`. */
  type: string;
  /** Up to 10 MiB. */
  data: Uint8Array;
}

/** A file that waits for an event to name its id. */
export interface Attachment {
  id: string;
  name: string;
  type: string;
  bytes: number;
  /** If no event has named it by then, it is deleted. */
  expiresAt: string;
}

/** An event that rests. */
export interface ScheduledEvent {
  id: string;
  eventId: string;
  eventType: string;
  userId: string;
  /** ISO 8601, UTC. */
  sendAt: string;
  cancelKey: string | null;
  acceptedAt: string;
}

export interface ScheduledPage {
  events: ScheduledEvent[];
  /** For `after`; undefined: there is no more. */
  next: string | undefined;
}

export interface Triggered {
  /** Belfry's id of the event: for `event`. */
  id: string;
  message: string;
  /** An earlier request with the same key was answered: nothing is delivered again. */
  replayed: boolean;
  traceId: string;
  /** Probable mistakes: a misspelt field, an event type without a template. Absent if there are none. */
  warnings?: string[];
}

/** One of many events. */
export interface BatchEvent extends TriggerInput {
  /** As of a single trigger: one is generated when you give none. */
  idempotencyKey?: string;
}

/** The result of one event of a batch: the answer that a single call would have got. */
export type BatchResult =
  | {
      statusCode: 200;
      success: true;
      eventId: string;
      replayed: boolean;
      message: string;
      /** As of a single trigger. */
      warnings?: string[];
    }
  | {
      statusCode: number;
      success?: undefined;
      error: string;
      /** With 422 one text a fault. */
      message: string | string[];
      /** Seconds; with 429 only. */
      retryAfter?: number;
    };

export interface RealtimeToken {
  token: string;
  /** Names of realtime channels, such as `personal#user-1`. Subscribe to each. */
  channels: string[];
}

export interface HistoryPage {
  /** 1 to 1000; 50 when absent. */
  limit?: number;
  offset?: number;
  /** Default: inbox, which is all that is neither archived nor snoozed. */
  view?: "inbox" | "archived" | "snoozed" | "all";
  /** Only event types of this category, by its key. */
  category?: string;
}

/** What of an inbox: all of it, or the event types of one category. */
export interface InboxPart {
  category?: string;
}

export interface InboxTabs {
  /** The categories that have an item in the inbox. */
  categories: {
    key: string;
    /** The label in each language; the key "" holds the default. */
    label: Record<string, string>;
    unread: number;
  }[];
  /** Whether there is such an item. */
  archived: boolean;
  snoozed: boolean;
}

/** The changes to make to a notification. */
export type NotificationChange =
  /** false also takes the item out of the archive. */
  | { read: boolean }
  /** true marks it as read; false makes it what it was before. */
  | { archived: boolean }
  /** ISO 8601 with an offset: unread, and out of the inbox until then; null: back at once. */
  | { snoozedUntil: string | null };

export interface Notification {
  id: string;
  type: string;
  title: string;
  body: string;
  status: "UNREAD" | "READ";
  /** ISO 8601, UTC. */
  created_at: string;
  /** The link's target: an https address or a path of your own site. Absent if the template sets none. */
  url?: string;
  /** Its buttons, at most two. Absent where its template sets none. */
  actions?: { label: string; url: string }[];
  /** Absent where it is not archived. */
  archived_at?: string;
  /** Absent where it was not snoozed; past: by this time it is listed. */
  snoozed_until?: string;
}

export interface EventReport {
  id: string;
  eventId: string;
  tenantId: string;
  eventType: string;
  /** scheduled: it rests until `sendAt`; cancelled: nothing of it has reached anybody, nor will. */
  status: "accepted" | "scheduled" | "dispatched" | "refused" | "cancelled";
  userId: string;
  recipientEmail: string | null;
  recipientPhone: string | null;
  /** null: all. */
  requestedChannels: Channel[] | null;
  /** The trigger's `email` as Belfry read it; absent if the trigger had none. */
  email?: {
    fromName?: string;
    replyTo?: string;
    cc?: string[];
    bcc?: string[];
    attachments?: (Omit<Attachment, "expiresAt"> & { sha256: string; cid?: string })[];
  };
  /** The trigger's locale, such as `de-AT`; null if it named none. */
  locale: string | null;
  traceId: string;
  acceptedAt: string;
  dispatchedAt: string | null;
  refusedAt: string | null;
  /** null: at once. */
  sendAt: string | null;
  cancelKey: string | null;
  cancelledAt: string | null;
  /** A cancel came during a try that is still under way. If that try fails there is no other. */
  cancelPending: boolean;
  /** Empty until it is dispatched. */
  channels: Partial<Record<Channel, ChannelReport>>;
  timeline: { at: string; channel: Channel | null; what: string }[];
}

/** Either `cancelKeys` or `eventIds`, each at most 100; events of `userIds` alone, where there are any. */
export interface CancelInput {
  /** Cancel keys of triggers. */
  cancelKeys?: readonly string[];
  /** Belfry's ids, or your own eventIds. */
  eventIds?: readonly string[];
  userIds?: readonly string[];
}

/** The truth from the moment of the answer on; ids are Belfry's. */
export interface Cancelled {
  /** Nothing of these has reached anybody, nor will. */
  cancelled: string[];
  /** Something of these had reached somebody; nothing has left by the channels in `stopped`. */
  partly: { eventId: string; stopped: Channel[] }[];
  /** A try of these is under way. It is the last one: ask again, and the answer says what became of them. */
  pending: string[];
  /** Nothing was left to stop. */
  tooLate: string[];
  /** Those of `eventIds` that no event has; absent where there are none. */
  unknown?: string[];
  /** There are more than 1,000 events: ask again, and it goes on. */
  more?: true;
}

export interface ChannelReport {
  /** Status, such as `accepted`, `waiting`, `failed` or `skipped`; `published` for PUSH. */
  status: string;
  reason: string | null;
  /** Variables that the template names and the event does not have. */
  missing: string[];
  delivery?: {
    id: string;
    provider: string | null;
    messageId: string | null;
    dueAt: string | null;
    settledAt: string | null;
    attempts: {
      number: number;
      provider: string;
      startedAt: string;
      endedAt: string | null;
      class: string | null;
      reason: string | null;
      vendorStatus: string | null;
      messageId: string | null;
      nextAt: string | null;
    }[];
  };
  /** The digest that the event is in. `delivery` is then the delivery of the digest's message. */
  digest?: {
    id: string;
    state: "in" | "alone" | "read" | "cancelled";
    /** How many other events the message combines. */
    others: number;
    windowEndsAt: string;
    closedAt: string | null;
  };
  notification?: { id: string; realtimeChannel: string; read: boolean; readAt: string | null };
}

export interface QuietHours {
  /** A time such as 22:00 in the user's time zone. */
  from: string;
  /** Earlier than `from`: on the next day. */
  to: string;
}

/** All that Belfry is to know of a user: what is left out, or null, is forgotten. */
export interface UserInput {
  /** Used where a trigger names no recipientEmail. */
  email?: string | null;
  /** E.164; used where a trigger names no recipientPhone. */
  phone?: string | null;
  /** The user's locale, such as `de-AT`. Used if a trigger names none. */
  locale?: string | null;
  /** The user's time zone, such as `Europe/Vienna`. Default: the tenant's. */
  timezone?: string | null;
  /** None: the tenant's. */
  quietHours?: QuietHours | null;
}

export interface User {
  userId: string;
  email: string | null;
  phone: string | null;
  locale: string | null;
  timezone: string | null;
  quietHours: QuietHours | null;
  /** ISO 8601, UTC. */
  createdAt: string;
  updatedAt: string;
}

/** The result for one user of a batch. */
export interface UserResult {
  userId: string | null;
  success: boolean;
  /** Every fault, naming its field. */
  message?: string[];
}

export interface PreferenceChange {
  /** A category's key, or * for all. */
  category: string;
  channel: Channel | "*";
  /** null forgets what was said. */
  enabled: boolean | null;
}

export interface Preferences {
  userId: string;
  preferences: {
    category: string;
    channel: Channel | "*";
    enabled: boolean;
    source: "api" | "preference page" | "unsubscribe link" | "inbox" | "import" | "by hand";
    at: string;
  }[];
  /** Texts are by language; "" is the default. */
  categories: {
    key: string;
    label: Record<string, string>;
    description: Record<string, string>;
    /** Sent even to users who turned it off. */
    required: boolean;
    /** false: sent only where it is turned on. */
    defaultOn: boolean;
  }[];
}

export interface Erasure {
  id: string;
  status: "waiting" | "running" | "done";
  requestedAt: string;
  startedAt: string | null;
  endedAt: string | null;
  /** Deleted rows, by kind; null until the erasure is done. */
  deleted: Record<string, number> | null;
}
