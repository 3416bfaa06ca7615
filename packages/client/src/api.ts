// The requests and answers of Belfry's API, as its OpenAPI document describes them.

export type Channel = "EMAIL" | "SMS" | "PUSH";

export interface TriggerInput {
  /** Selects your templates with the same event type. */
  eventType: string;
  /** Your own reference. Belfry stores and shows it. Several events may have the same. */
  eventId?: string;
  /** Restricts the event to these channels. If absent or empty, all channels are used. */
  channels?: Channel[];
  payload: {
    /** The recipient's id in your own system. */
    userId: string;
    /** Needed for EMAIL. */
    recipientEmail?: string | null;
    /** Needed for SMS. In E.164 form, such as +12025550123. */
    recipientPhone?: string | null;
  };
  /** The recipient's language in BCP 47, such as `de-AT` or `zh-Hant`. It selects the templates. */
  locale?: string;
  /** Time at which Belfry dispatches the event, in ISO 8601 with an offset. A past time means now. */
  sendAt?: string;
  /** The same as a number of seconds after the acceptance. Use either this or `sendAt`. */
  delaySeconds?: number;
  /** A key for cancelling: one call cancels all events with this key. */
  cancelKey?: string;
  /** Envelope of the mail. Each field that is set replaces that of the template. */
  email?: EmailInput;
  /** Values for the templates, by name. */
  variables?: Record<string, unknown>;
}

/** A named set of users. */
export interface Topic {
  key: string;
  /** The number of its users. */
  members: number;
  createdAt: string;
}

export interface TopicPage {
  topics: Topic[];
  /** The value of `after` for the next page; undefined if this is the last one. */
  next: string | undefined;
}

export interface MemberPage {
  userIds: string[];
  /** The value of `after` for the next page; undefined if this is the last one. */
  next: string | undefined;
}

export interface EmailInput {
  /** The display name next to the sender's address. */
  fromName?: string | null;
  /** Address that receives replies. */
  replyTo?: string | null;
  /** At most 10 addresses that get a copy. An empty list means none, even if the template has some. */
  cc?: string[] | null;
  bcc?: string[] | null;
  /** Ids from `uploadAttachment`, at most 10. With a `cid`, the mail's HTML shows the file as `<img src="cid:…">`. */
  attachments?: (string | { id: string; cid?: string })[];
}

export interface AttachmentInput {
  /** The file name that the recipient sees, without a path. */
  name: string;
  /** Media type, such as `application/pdf` or `text/calendar; method=REQUEST`. */
  type: string;
  /** At most 10 MiB. */
  data: Uint8Array;
}

/** An uploaded file that events can name by its id. */
export interface Attachment {
  id: string;
  name: string;
  type: string;
  bytes: number;
  /** If no event has named the file by this time, it is deleted. */
  expiresAt: string;
}

/** An event that is stored and is dispatched at a later time. */
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
  /** The value of `after` for the next page; undefined if this is the last one. */
  next: string | undefined;
}

export interface Triggered {
  /** Belfry's id of the event; the argument of the call `event`. */
  id: string;
  message: string;
  /** Whether an earlier request with the same key was accepted. Then nothing is delivered again. */
  replayed: boolean;
  traceId: string;
  /** Probable mistakes, such as a misspelt field or an event type without a template. Absent if there are none. */
  warnings?: string[];
}

/** One event of a batch. */
export interface BatchEvent extends TriggerInput {
  /** The same as for a single trigger. If absent, the client generates a key. */
  idempotencyKey?: string;
}

/** The result of one event of a batch: the same answer as for a single call. */
export type BatchResult =
  | {
      statusCode: 200;
      success: true;
      eventId: string;
      replayed: boolean;
      message: string;
      /** The same as for a single trigger. */
      warnings?: string[];
    }
  | {
      statusCode: number;
      success?: undefined;
      error: string;
      /** For a 422, a list with one text for each fault. */
      message: string | string[];
      /** In seconds; only for a 429. */
      retryAfter?: number;
    };

export interface RealtimeToken {
  token: string;
  /** Names of realtime channels, such as `personal#user-1`. Subscribe to each. */
  channels: string[];
}

export interface HistoryPage {
  /** 1 to 1000. Default: 50. */
  limit?: number;
  offset?: number;
  /** Default: `inbox`, which is everything that is neither archived nor snoozed. */
  view?: "inbox" | "archived" | "snoozed" | "all";
  /** Only event types of this category, by its key. */
  category?: string;
}

/** Part of an inbox: the event types of one category, or everything if no category is given. */
export interface InboxPart {
  category?: string;
}

export interface InboxTabs {
  /** The categories that have an item in the inbox. */
  categories: {
    key: string;
    /** The label by language; the key "" is the default. */
    label: Record<string, string>;
    unread: number;
  }[];
  /** Whether there are archived notifications. */
  archived: boolean;
  snoozed: boolean;
}

/** The changes to make to a notification. */
export type NotificationChange =
  /** false also takes the notification out of the archive. */
  | { read: boolean }
  /** true also marks the notification as read; false restores the state before. */
  | { archived: boolean }
  /**
   * In ISO 8601 with an offset. The notification becomes unread and leaves the inbox until then; null returns it at
   * once.
   */
  | { snoozedUntil: string | null };

export interface Notification {
  id: string;
  type: string;
  title: string;
  body: string;
  status: "UNREAD" | "READ";
  /** ISO 8601, UTC. */
  created_at: string;
  /** The link's target, an https address or a path of your own site. Absent if the template sets none. */
  url?: string;
  /** At most two buttons. Absent if the template sets none. */
  actions?: { label: string; url: string }[];
  /** Absent if the notification is not archived. */
  archived_at?: string;
  /** Absent if the notification was not snoozed. Once this time is past, lists sort the notification by it. */
  snoozed_until?: string;
}

export interface EventReport {
  id: string;
  eventId: string;
  tenantId: string;
  eventType: string;
  /** scheduled: the event is dispatched at `sendAt`. cancelled: nothing of it has been or will be delivered. */
  status: "accepted" | "scheduled" | "dispatched" | "refused" | "cancelled";
  userId: string;
  recipientEmail: string | null;
  recipientPhone: string | null;
  /** null if the trigger requested all channels. */
  requestedChannels: Channel[] | null;
  /** The trigger's `email` as Belfry read it. Absent if the trigger had none. */
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
  /** null if the event is dispatched at once. */
  sendAt: string | null;
  cancelKey: string | null;
  cancelledAt: string | null;
  /** Whether the event was cancelled during an attempt that has not ended. If the attempt fails, it is not retried. */
  cancelPending: boolean;
  /** Empty until the event is dispatched. */
  channels: Partial<Record<Channel, ChannelReport>>;
  timeline: { at: string; channel: Channel | null; what: string }[];
}

/**
 * Set either `cancelKeys` or `eventIds`, each with at most 100 items. `userIds` restricts the call to events of these
 * users.
 */
export interface CancelInput {
  /** Cancel keys of triggers. */
  cancelKeys?: readonly string[];
  /** Belfry's ids, or your own eventIds. */
  eventIds?: readonly string[];
  userIds?: readonly string[];
}

/** The result of a cancel. It does not change after the answer, except for `pending`. Ids are Belfry's. */
export interface Cancelled {
  /** Nothing of these events has been or will be delivered. */
  cancelled: string[];
  /** These events were delivered in part. Nothing was sent on the channels in `stopped`. */
  partly: { eventId: string; stopped: Channel[] }[];
  /** An attempt of these events has not ended. It is the last one. Repeat the call to learn its result. */
  pending: string[];
  /** Nothing was left to stop of these events. */
  tooLate: string[];
  /** Those of `eventIds` that belong to no event. Absent if there are none. */
  unknown?: string[];
  /** Set if there are more than 1,000 events. Repeat the call to cancel the next ones. */
  more?: true;
}

export interface ChannelReport {
  /** Status, such as `accepted`, `waiting`, `failed` or `skipped`; `published` for PUSH. */
  status: string;
  reason: string | null;
  /** Variables that the template uses and the event does not have. */
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
    /** The number of other events in the message. */
    others: number;
    windowEndsAt: string;
    closedAt: string | null;
  };
  notification?: { id: string; realtimeChannel: string; read: boolean; readAt: string | null };
}

export interface QuietHours {
  /** A time such as 22:00 in the user's time zone. */
  from: string;
  /** If earlier than `from`, the time is on the next day. */
  to: string;
}

/** Everything that Belfry is to store about a user. Fields that are absent or null are deleted. */
export interface UserInput {
  /** Used if a trigger has no recipientEmail. */
  email?: string | null;
  /** In E.164 form. Used if a trigger has no recipientPhone. */
  phone?: string | null;
  /** The user's locale, such as `de-AT`. Used if a trigger names none. */
  locale?: string | null;
  /** The user's time zone, such as `Europe/Vienna`. Default: the tenant's. */
  timezone?: string | null;
  /** If absent or null, the tenant's quiet hours are used. */
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
  /** Every fault, with the name of its field. */
  message?: string[];
}

export interface PreferenceChange {
  /** A category's key, or * for all. */
  category: string;
  channel: Channel | "*";
  /** null removes the setting. */
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
  /** Texts are by language; the key "" is the default. */
  categories: {
    key: string;
    label: Record<string, string>;
    description: Record<string, string>;
    /** Whether messages are sent even if the user has turned the category off. */
    required: boolean;
    /** If false, messages are sent only to users who have turned the category on. */
    defaultOn: boolean;
  }[];
}

export interface Erasure {
  id: string;
  status: "waiting" | "running" | "done";
  requestedAt: string;
  startedAt: string | null;
  endedAt: string | null;
  /** The number of deleted rows by kind; null until the erasure is done. */
  deleted: Record<string, number> | null;
}
