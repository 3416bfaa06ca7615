/**
 * The calls of the API for tenants. Generated from its OpenAPI document, and held true by a test:
 * node test/run.ts --test-update-snapshots test/openapi/client-calls.test.ts
 */

export interface ArchiveAllResponse {
  /** Always true */
  success: boolean;
  data: {
    /** How many were in the inbox */
    archived: number;
  };
}

export interface AttachmentResponse {
  /** Always true */
  success: boolean;
  data: {
    /** The id by which a trigger names it */
    id: string;
    name: string;
    /** The media type of Content-Type, in its usual spelling */
    type: string;
    bytes: number;
    /** If no event has named it by then, it is deleted; ISO 8601, UTC */
    expiresAt: string;
  };
}

export interface AttemptReport {
  /** From 1 */
  number: number;
  /** Kind of the provider, as sendgrid */
  provider: string;
  /** When the provider was called; ISO 8601, UTC */
  startedAt: string;
  /** When it had answered; null while it is asked; ISO 8601, UTC */
  endedAt: string | null;
  /** How it ended: accepted, permanent, policy, credentials, throttled, deferred, transient or ambiguous; null while it is asked */
  class: string | null;
  /** What the provider said, in a few words */
  reason: string | null;
  /** The provider's own status or error code */
  vendorStatus: string | null;
  /** The provider's id of the message */
  messageId: string | null;
  /** When it is tried again; ISO 8601, UTC */
  nextAt: string | null;
}

export interface Broadcast {
  id: string;
  /** cancelling: nothing more leaves, and what became of it is being counted; done: everything has left or ended */
  state: "scheduled" | "running" | "paused" | "cancelling" | "cancelled" | "done";
  /** Why Belfry paused it; null if it is not paused or you paused it */
  reason: string | null;
  eventType: string;
  /** null: it is for a list of users */
  topics: string[] | null;
  /** null: all */
  channels: ("EMAIL" | "SMS" | "PUSH")[] | null;
  /** null: each user's own */
  locale: string | null;
  /** Id of the provider that you named; null: none */
  provider: string | null;
  /** How many people it is for; an estimate until the last of them was processed */
  total: number;
  /** For how many of them an event was made */
  expanded: number;
  /** What became of the events, channel by channel, by status; cancelled: whole events. Counted every few seconds */
  byStatus: Record<string, number>;
  /** After a cancel: the number of events that reached nobody */
  cancelled?: number;
  /** The other events: reached in part or whole, or ended before. Both are final once the state is cancelled */
  tooLate?: number;
  /** When it begins or was to begin; null: at once; ISO 8601, UTC */
  sendAt: string | null;
  /** When a paused one goes on by itself; null: when you resume it; ISO 8601, UTC */
  resumesAt: string | null;
  /** When it was accepted; ISO 8601, UTC */
  createdAt: string;
  /** When it began; ISO 8601, UTC */
  startedAt: string | null;
  /** When it was done or cancelled; ISO 8601, UTC */
  endedAt: string | null;
}

/** Either topics or userIds */
export interface BroadcastRequest {
  /** It is sent to the members of these topics; a member of several gets it once */
  topics?: string[];
  /** For these users, in place of topics */
  userIds?: string[];
  /** Not for these users */
  exceptUserIds?: string[];
  /** The event type of a template; it must have no sensitive template */
  eventType: string;
  /** The same for everybody, at most 64 KiB */
  variables?: Record<string, unknown>;
  /** Only these channels; an empty array is the same as none */
  channels?: ("EMAIL" | "SMS" | "PUSH")[];
  /** When it begins; a past time means now. It has the same limits as `sendAt` of an event */
  sendAt?: string;
  /** Id or name of one of your providers: what goes out on its channel goes through it alone. Default: as all else */
  provider?: string;
  /** One language for everybody; default: each user's own */
  locale?: string;
}

export interface BroadcastResponse {
  /** Always true */
  success: boolean;
  data: Broadcast;
}

export interface BroadcastsResponse {
  /** Always true */
  success: boolean;
  data: Broadcast[];
  next?: string;
}

/** Either cancelKeys or eventIds */
export interface CancelRequest {
  /** Keys that triggers had as cancelKey: of all their events */
  cancelKeys?: string[];
  /** Belfry's ids of events, or your own eventIds: of all events that have them, at most 10000 */
  eventIds?: string[];
  /** Only events of these users; left out: of all */
  userIds?: string[];
}

export interface CancelResponse {
  /** Always true */
  success: boolean;
  /** Belfry's ids of events of which nothing has reached anybody, nor will */
  cancelled: string[];
  /** Events of which a part had already been sent; the rest was stopped */
  partly: {
    /** Belfry's id */
    eventId: string;
    /** Nothing has been sent through these */
    stopped: ("EMAIL" | "SMS" | "PUSH")[];
  }[];
  /** Belfry's ids of events of which a try is under way. It is the last one: ask again, and the answer says what became of them */
  pending: string[];
  /** Belfry's ids of events of which nothing was left to stop */
  tooLate: string[];
  /** Those of eventIds that no event has; absent where every one was found */
  unknown?: string[];
  /** Set only if true: there are more than 1000 events; ask again, and it goes on */
  more?: boolean;
}

/** Exactly one of these */
export interface ChangeNotificationRequest {
  /** false also takes the item out of the archive */
  read?: boolean;
  /** true marks it as read and ends a snooze; false makes it what it was before it was archived */
  archived?: boolean;
  /** Marks it as unread and takes it out of the inbox until then; null or past: it is back at once */
  snoozedUntil?: string | null;
}

export interface ChangePreferencesRequest {
  /** If a cell is repeated, the last one counts */
  preferences: {
    /** The key of a category, or * for all of them */
    category: string;
    /** A channel, or * for all of them */
    channel: "*" | "EMAIL" | "SMS" | "PUSH";
    /** null deletes the choice: the default of the category applies again */
    enabled: boolean | null;
  }[];
}

export interface ChannelReport {
  /** `published` is of PUSH; the others are of EMAIL and SMS, or say why not */
  status:
    | "queued"
    | "sending"
    | "waiting"
    | "accepted"
    | "delivered"
    | "bounced"
    | "complained"
    | "failed"
    | "expired"
    | "skipped"
    | "unknown"
    | "discarded"
    | "published";
  /** Why it was skipped, failed or waits */
  reason: string | null;
  /** Variables that the template names and the event does not have */
  missing: string[];
  delivery?: DeliveryReport;
  digest?: DigestReport;
  notification?: {
    id: string;
    realtimeChannel: string;
    read: boolean;
    /** When it was marked as read; ISO 8601, UTC */
    readAt: string | null;
  };
}

export interface DeliveryReport {
  id: string;
  /** Kind of the provider; null before the first attempt */
  provider: string | null;
  /** The provider's id of the message */
  messageId: string | null;
  /** When it is tried next; null once settled; ISO 8601, UTC */
  dueAt: string | null;
  /** When the outcome stood; ISO 8601, UTC */
  settledAt: string | null;
  attempts: AttemptReport[];
}

export interface DigestReport {
  /** The digest's id */
  id: string;
  /** in: in the message; alone: sent by itself; read, cancelled: left out */
  state: "in" | "alone" | "read" | "cancelled";
  /** How many other events the message combines */
  others: number;
  /** Until when events join the digest, quiet hours apart; ISO 8601, UTC */
  windowEndsAt: string;
  /** When nothing could join it any more; ISO 8601, UTC */
  closedAt: string | null;
}

export interface ErasureResponse {
  /** Always true */
  success: boolean;
  data: {
    id: string;
    /** One of a tenant runs at a time */
    status: "waiting" | "running" | "done";
    /** ISO 8601, UTC */
    requestedAt: string;
    /** null while it waits; ISO 8601, UTC */
    startedAt: string | null;
    /** null until it is done; ISO 8601, UTC */
    endedAt: string | null;
    /** Deleted rows, by kind; null until the erasure is done */
    deleted: Record<string, number> | null;
  };
}

export interface EventReport {
  /** Belfry's id: the header X-Event-Id */
  id: string;
  /** Your own reference; Belfry's id if you gave none */
  eventId: string;
  tenantId: string;
  eventType: string;
  /** scheduled: rests until `sendAt`; refused: answered 500 and given back, to be sent again by you; cancelled: nothing of it has reached anybody, nor will */
  status: "accepted" | "scheduled" | "dispatched" | "refused" | "cancelled";
  userId: string;
  recipientEmail: string | null;
  recipientPhone: string | null;
  /** The `channels` of the request; null: all */
  requestedChannels: ("EMAIL" | "SMS" | "PUSH")[] | null;
  /** The `email` of the request as Belfry read it; absent if the request had none */
  email?: {
    fromName?: string;
    replyTo?: string;
    cc?: string[];
    bcc?: string[];
    attachments?: {
      id: string;
      name: string;
      type: string;
      bytes: number;
      /** In hex */
      sha256: string;
      cid?: string;
    }[];
  };
  /** The `locale` of the request, in its canonical form; null: none */
  locale: string | null;
  /** The request's trace id */
  traceId: string;
  /** When it was stored; ISO 8601, UTC */
  acceptedAt: string;
  /** When its channels were decided; ISO 8601, UTC */
  dispatchedAt: string | null;
  /** When it was given back; ISO 8601, UTC */
  refusedAt: string | null;
  /** When it is or was to be dispatched; null: at once; ISO 8601, UTC */
  sendAt: string | null;
  /** The `cancelKey` of the request; null: none */
  cancelKey: string | null;
  /** The broadcast that made it; null: a trigger did */
  broadcastId: string | null;
  /** When it was cancelled whole; ISO 8601, UTC */
  cancelledAt: string | null;
  /** A cancel came during a try that is still under way. If that try fails there is no other */
  cancelPending: boolean;
  /** Known results by channel; empty until the event is dispatched */
  channels: {
    EMAIL?: ChannelReport;
    SMS?: ChannelReport;
    PUSH?: ChannelReport;
  };
  /** The history in words, oldest first; `channel` is null for the event as a whole */
  timeline: {
    /** When; ISO 8601, UTC */
    at: string;
    channel: "EMAIL" | "SMS" | "PUSH" | null;
    /** In words */
    what: string;
  }[];
}

export interface HistoryResponse {
  /** Always true */
  success: boolean;
  /** In the order of acceptance, newest first */
  data: Notification[];
}

export interface InboxTabs {
  /** Categories with an item in the inbox, in their order */
  categories: {
    /** The key of a category */
    key: string;
    /** Its name by language; the empty key: the default */
    label: Record<string, string>;
    /** How many of its items in the inbox are unread */
    unread: number;
  }[];
  /** Whether an item is archived */
  archived: boolean;
  /** Whether an item is snoozed */
  snoozed: boolean;
}

export interface InboxTabsResponse {
  /** Always true */
  success: boolean;
  data: InboxTabs;
}

export interface MarkAllReadResponse {
  /** Always true */
  success: boolean;
  data: {
    /** How many were unread */
    marked: number;
  };
}

export interface MarkReadResponse {
  /** Always true */
  success: boolean;
}

/** At most 1000 user ids together; no id in both */
export interface MembersChangeRequest {
  /** User ids; one that is in the topic already stays in it */
  add?: string[];
  /** User ids; one that is not in the topic changes nothing */
  remove?: string[];
}

export interface MembersChangeResponse {
  /** Always true */
  success: boolean;
  /** How many users are in the topic now */
  members: number;
}

export interface MembersResponse {
  /** Always true */
  success: boolean;
  /** User ids, in the order of their bytes */
  data: string[];
  /** Pass it as `after` to get the next page; absent on the last page */
  next?: string;
}

export interface MoveRequest {
  /** When it is to be dispatched instead; a time that is past means now. Bounded as that of a trigger, from the event's acceptance on */
  sendAt: string;
}

export interface MoveResponse {
  /** Always true */
  success: boolean;
  /** When it is dispatched now; that of the move, where a time was given that is past; ISO 8601, UTC */
  sendAt: string;
}

export interface Notification {
  /** The id of the event */
  id: string;
  /** The event type that produced it */
  type: string;
  /** The rendered title */
  title: string;
  /** The rendered body */
  body: string;
  status: "UNREAD" | "READ";
  /** When its event was accepted; ISO 8601, UTC */
  created_at: string;
  /** Where it leads: https, or a path of your own site; only where its template sets one */
  url?: string;
  /** Its buttons; only where its template sets some */
  actions?: PushAction[];
  /** When it was archived; ISO 8601, UTC; only where it is */
  archived_at?: string;
  /** Until then it is not in the inbox; past: by this time it is listed; ISO 8601, UTC; only where it was snoozed */
  snoozed_until?: string;
}

export interface PreferencesResponse {
  /** Always true */
  success: boolean;
  data: {
    userId: string;
    /** The user's choices. A cell that is not listed follows its category */
    preferences: {
      /** A key, or * */
      category: string;
      channel: "*" | "EMAIL" | "SMS" | "PUSH";
      enabled: boolean;
      /** The place where the user made the choice */
      source: "api" | "preference page" | "unsubscribe link" | "inbox" | "import" | "by hand";
      /** When; ISO 8601, UTC */
      at: string;
    }[];
    /** All of the tenant, in their order */
    categories: {
      key: string;
      /** By language; "" is the default */
      label: Record<string, string>;
      /** By language; "" is the default */
      description: Record<string, string>;
      /** Sent even to users who turned it off */
      required: boolean;
      /** false: sent only where it is turned on */
      defaultOn: boolean;
    }[];
  };
}

export interface PushAction {
  /** The button's label, as rendered */
  label: string;
  /** The link's target: https, or a path of your own site */
  url: string;
}

export interface RealtimeTokenRequest {
  /** The logged-in user's id in your own system */
  userId: string;
}

export interface RealtimeTokenResponse {
  /** Connection token, valid for 2 hours */
  token: string;
  channels: string[];
}

export interface ScheduledEvent {
  /** Belfry's id */
  id: string;
  /** Your own reference; Belfry's id if you gave none */
  eventId: string;
  eventType: string;
  userId: string;
  /** When it is to be dispatched; ISO 8601, UTC */
  sendAt: string;
  /** The trigger's cancel key; null: none */
  cancelKey: string | null;
  /** When it was stored; ISO 8601, UTC */
  acceptedAt: string;
}

export interface ScheduledResponse {
  /** Always true */
  success: boolean;
  /** The soonest first */
  data: ScheduledEvent[];
  /** Pass it as `after` to get the next page; absent on the last page */
  next?: string;
}

export interface Topic {
  key: string;
  /** How many users are in the topic now */
  members: number;
  /** When its first member was added; ISO 8601, UTC */
  createdAt: string;
}

export interface TopicDeletedResponse {
  /** Always true */
  success: boolean;
}

export interface TopicsResponse {
  /** Always true */
  success: boolean;
  /** Topics, ordered by key */
  data: Topic[];
  /** Pass it as `after` to get the next page; absent on the last page */
  next?: string;
}

export interface TriggerBatchRequest {
  /** Each with the fields of a single call; the events of one user are delivered in this order */
  events: {
    /** Matched against the event type of a configured template */
    eventType: string;
    /** The tenant's own reference: stored, shown, not unique */
    eventId?: string;
    /** Restricts this dispatch only; an empty array is the same as none */
    channels?: ("EMAIL" | "SMS" | "PUSH")[];
    /** Routing identity; other fields are ignored */
    payload: {
      /** Recipient's id in the tenant's own system */
      userId: string;
      /** One address, also with letters beyond ASCII, needed for EMAIL; empty or null: none */
      recipientEmail?: string | null;
      /** E.164, needed for SMS; empty or null: none */
      recipientPhone?: string | null;
    };
    /** The recipient's language, as language[-Script][-REGION] of BCP 47: the templates in it are taken, else those in a wider one (de-AT, de), else the default ones. Not part of the automatic deduplication key */
    locale?: string;
    /** When it is to be dispatched, with the templates and preferences of then; a time that is past means now. At most 8 days less than the shorter of the tenant's retentions ahead (1 day less where that is 9 days or less). Part of the automatic deduplication key as it is written */
    sendAt?: string;
    /** The same in seconds from the acceptance, in place of `sendAt`; part of the automatic deduplication key */
    delaySeconds?: number;
    /** By which it can be cancelled, with all others that have it: not unique. Part of the automatic deduplication key */
    cancelKey?: string;
    /** Of the mail; each field goes before the template's. Absent and null are the same, an empty list means nobody. Part of the automatic deduplication key */
    email?: {
      /** The name beside the sender's address, which is the provider's */
      fromName?: string | null;
      /** Where answers go, with ASCII characters before the @ */
      replyTo?: string | null;
      /** Who gets a copy that everybody sees; not of a mail with a link to unsubscribe, which is the recipient's */
      cc?: string[] | null;
      /** Who gets a copy that nobody sees; the same holds */
      bcc?: string[] | null;
      /** Files of `POST /api/v1/attachments`: at most 10, together at most 20 MiB and what your provider takes. With `cid` the mail's HTML shows it as `<img src="cid:…">` */
      attachments?: (
        | string
        | {
            id: string;
            cid?: string;
          }
      )[];
    };
    /** Values for the templates, by name; the body may be nested 64 levels deep */
    variables?: Record<string, unknown>;
    /** The deduplication key in place of the automatic one, as X-Idempotency-Key is of a single call */
    idempotencyKey?: string;
  }[];
}

export interface TriggerBatchResponse {
  /** Always true */
  success: boolean;
  /** In the order of the request */
  results: {
    /** The status that the single call would have */
    statusCode: number;
    /** Belfry's id of the event; with 200 only */
    eventId?: string;
    /** An earlier event answered; with 200 only */
    replayed?: boolean;
    /** true; with 200 only */
    success?: boolean;
    /** The name of the status; not with 200 */
    error?: string;
    /** The message of the single call's answer; for 422 one string for each fault */
    message: string | string[];
    /** Seconds to wait; only with 429 */
    retryAfter?: number;
    /** What the trigger probably did not mean: a field that is ignored and whose name is close to one that it lacks, an event type without a template. Absent: nothing */
    warnings?: string[];
  }[];
}

/** Unknown fields are ignored and never stored */
export interface TriggerRequest {
  /** Matched against the event type of a configured template */
  eventType: string;
  /** The tenant's own reference: stored, shown, not unique */
  eventId?: string;
  /** Restricts this dispatch only; an empty array is the same as none */
  channels?: ("EMAIL" | "SMS" | "PUSH")[];
  /** Routing identity; other fields are ignored */
  payload: {
    /** Recipient's id in the tenant's own system */
    userId: string;
    /** One address, also with letters beyond ASCII, needed for EMAIL; empty or null: none */
    recipientEmail?: string | null;
    /** E.164, needed for SMS; empty or null: none */
    recipientPhone?: string | null;
  };
  /** The recipient's language, as language[-Script][-REGION] of BCP 47: the templates in it are taken, else those in a wider one (de-AT, de), else the default ones. Not part of the automatic deduplication key */
  locale?: string;
  /** When it is to be dispatched, with the templates and preferences of then; a time that is past means now. At most 8 days less than the shorter of the tenant's retentions ahead (1 day less where that is 9 days or less). Part of the automatic deduplication key as it is written */
  sendAt?: string;
  /** The same in seconds from the acceptance, in place of `sendAt`; part of the automatic deduplication key */
  delaySeconds?: number;
  /** By which it can be cancelled, with all others that have it: not unique. Part of the automatic deduplication key */
  cancelKey?: string;
  /** Of the mail; each field goes before the template's. Absent and null are the same, an empty list means nobody. Part of the automatic deduplication key */
  email?: {
    /** The name beside the sender's address, which is the provider's */
    fromName?: string | null;
    /** Where answers go, with ASCII characters before the @ */
    replyTo?: string | null;
    /** Who gets a copy that everybody sees; not of a mail with a link to unsubscribe, which is the recipient's */
    cc?: string[] | null;
    /** Who gets a copy that nobody sees; the same holds */
    bcc?: string[] | null;
    /** Files of `POST /api/v1/attachments`: at most 10, together at most 20 MiB and what your provider takes. With `cid` the mail's HTML shows it as `<img src="cid:…">` */
    attachments?: (
      | string
      | {
          id: string;
          cid?: string;
        }
    )[];
  };
  /** Values for the templates, by name; the body may be nested 64 levels deep */
  variables?: Record<string, unknown>;
}

export interface TriggerResponse {
  /** Always true */
  success: boolean;
  /** Event <eventType> dispatched securely for <tenant_name> */
  message: string;
  /** What the trigger probably did not mean: a field that is ignored and whose name is close to one that it lacks, an event type without a template. Absent: nothing */
  warnings?: string[];
}

export interface UnreadCountResponse {
  /** Always true */
  success: boolean;
  data: {
    /** Unread items in the inbox, which are neither archived nor snoozed */
    unread: number;
  };
}

/** The whole entry of the user: a field that is left out or null is deleted */
export interface UserRequest {
  /** Used where a trigger names no recipientEmail */
  email?: string | null;
  /** E.164; used where a trigger names no recipientPhone */
  phone?: string | null;
  /** The language, where a trigger names none: language[-Script][-REGION] */
  locale?: string | null;
  /** A name of the IANA database; none: the tenant's zone */
  timezone?: string | null;
  /** By the clock of the user's zone; past midnight where `to` is earlier. None: the tenant's */
  quietHours?: {
    from: string;
    to: string;
  } | null;
}

export interface UserResponse {
  /** Always true */
  success: boolean;
  data: {
    userId: string;
    /** An international domain in its ASCII form */
    email: string | null;
    /** E.164 */
    phone: string | null;
    /** Canonical, as de-AT */
    locale: string | null;
    /** null: the tenant's */
    timezone: string | null;
    /** null: the tenant's */
    quietHours: {
      from: string;
      to: string;
    } | null;
    /** ISO 8601, UTC */
    createdAt: string;
    /** ISO 8601, UTC */
    updatedAt: string;
  };
}

export interface UsersBatchRequest {
  /** Each with the fields of PUT and its userId; if a userId is repeated, the last one counts */
  users: {
    /** The user's id in your own system */
    userId: string;
    /** Used where a trigger names no recipientEmail */
    email?: string | null;
    /** E.164; used where a trigger names no recipientPhone */
    phone?: string | null;
    /** The language, where a trigger names none: language[-Script][-REGION] */
    locale?: string | null;
    /** A name of the IANA database; none: the tenant's zone */
    timezone?: string | null;
    /** By the clock of the user's zone; past midnight where `to` is earlier. None: the tenant's */
    quietHours?: {
      from: string;
      to: string;
    } | null;
  }[];
}

export interface UsersBatchResponse {
  /** Always true: each item has its own */
  success: boolean;
  /** In the order of the request */
  results: {
    /** As sent; null: there was none */
    userId: string | null;
    /** false: nothing was changed for this item */
    success: boolean;
    /** Every fault of the item, naming its field */
    message?: string[];
  }[];
}

export interface Webhook {
  id: string;
  /** The address that Belfry calls */
  url: string;
  /** Empty: everything */
  types: (
    | "delivery.accepted"
    | "delivery.delivered"
    | "delivery.bounced"
    | "delivery.complained"
    | "delivery.failed"
    | "delivery.expired"
    | "delivery.skipped"
    | "delivery.unknown"
    | "notification.created"
    | "notification.read"
    | "preference.changed"
    | "broadcast.progress"
    | "broadcast.done"
  )[];
  description: string | null;
  /** false if no messages are sent to it */
  active: boolean;
  /** Since when it is not active; null: it is; ISO 8601, UTC */
  disabledAt: string | null;
  /** Why Belfry disabled it; null if a person did */
  disabledReason: string | null;
  /** Nothing has reached it since; null: the last try has; ISO 8601, UTC */
  failingSince: string | null;
  /** Not called until then, and then once; null: it is called; ISO 8601, UTC */
  pausedUntil: string | null;
  /** When it was made; ISO 8601, UTC */
  createdAt: string;
  /** When somebody last changed it; ISO 8601, UTC */
  updatedAt: string;
}

export interface WebhookAttempt {
  messageId: string;
  /** What the header webhook-id says: of a message that was sent again, the id of the first */
  headerId: string;
  type:
    | "delivery.accepted"
    | "delivery.delivered"
    | "delivery.bounced"
    | "delivery.complained"
    | "delivery.failed"
    | "delivery.expired"
    | "delivery.skipped"
    | "delivery.unknown"
    | "notification.created"
    | "notification.read"
    | "preference.changed"
    | "broadcast.progress"
    | "broadcast.done"
    | "webhook.test";
  /** Belfry's id of the event or digest that the message is about; null if there is none */
  eventId: string | null;
  /** Number of the message's try, from 1 */
  number: number;
  /** When it began; ISO 8601, UTC */
  at: string;
  /** null: it has not ended */
  durationMs: number | null;
  /** HTTP status of the answer; null: there was none */
  status: number | null;
  /** arrived: answered 2xx. unknown: the message was sent, and no answer came */
  outcome: "arrived" | "failed" | "unknown" | "under way";
  /** Why it did not arrive */
  reason: string | null;
  /** The first KiB of the answer, as text */
  answer: string | null;
  /** When the message is tried again; null: it is not; ISO 8601, UTC */
  nextAt: string | null;
  messageStatus: "queued" | "sending" | "waiting" | "accepted" | "failed" | "skipped";
}

export interface WebhookAttemptsResponse {
  /** Always true */
  success: boolean;
  /** Those of the newest message first, and of each message the newest first */
  data: WebhookAttempt[];
  /** Pass it as `after` to get the next page; absent on the last page. A page may hold fewer than `limit` and yet have it */
  next?: string;
}

/** Fields that are left out keep their values */
export interface WebhookChangeRequest {
  /** https, without credentials and without a fragment; a query is allowed. 422 where the host is not public, which no pattern can tell */
  url?: string;
  /** The types that it gets; empty: all, including types that are added later */
  types?: (
    | "delivery.accepted"
    | "delivery.delivered"
    | "delivery.bounced"
    | "delivery.complained"
    | "delivery.failed"
    | "delivery.expired"
    | "delivery.skipped"
    | "delivery.unknown"
    | "notification.created"
    | "notification.read"
    | "preference.changed"
    | "broadcast.progress"
    | "broadcast.done"
  )[];
  /** Shown to your own people; null or empty: none */
  description?: string | null;
  /** false: nothing is written for it and nothing is sent to it. true lifts a pause and a disabling */
  active?: boolean;
}

export interface WebhookDeletedResponse {
  /** Always true */
  success: boolean;
}

export interface WebhookMessage {
  id: string;
  /** What the header webhook-id says: of a message that was sent again, the id of the first */
  headerId: string;
  type:
    | "delivery.accepted"
    | "delivery.delivered"
    | "delivery.bounced"
    | "delivery.complained"
    | "delivery.failed"
    | "delivery.expired"
    | "delivery.skipped"
    | "delivery.unknown"
    | "notification.created"
    | "notification.read"
    | "preference.changed"
    | "broadcast.progress"
    | "broadcast.done"
    | "webhook.test";
  /** Belfry's id of the event or digest that the message is about; null if there is none */
  eventId: string | null;
  status: "queued" | "sending" | "waiting" | "accepted" | "failed" | "skipped";
  /** Why it failed, was skipped, or is tried again */
  reason: string | null;
  /** When it was written; ISO 8601, UTC */
  createdAt: string;
  /** When it is tried next; null: it is not, or is at this moment; ISO 8601, UTC */
  nextAt: string | null;
}

export interface WebhookMessageResponse {
  /** Always true */
  success: boolean;
  data: WebhookMessage;
  /** The JSON that is posted */
  payload: string;
  /** Attempts of this message and of messages with the same headerId, newest first; at most 100 */
  attempts: WebhookAttempt[];
}

export interface WebhookMessagesResponse {
  /** Always true */
  success: boolean;
  /** The newest first */
  data: WebhookMessage[];
  /** Pass it as `after` to get the next page; absent on the last page. A page may hold fewer than `limit` and yet have it */
  next?: string;
}

export interface WebhookPutResponse extends WebhookResponse {
  /** By which its messages are verified, by Standard Webhooks; shown this once; absent where it was there */
  secret?: string;
}

export interface WebhookReplayRequest {
  /** Messages that were written then or later */
  since: string;
  /** Messages that were written before; left out: all until now. 422 unless it is later than `since` */
  until?: string;
  /** Whether arrived messages are sent again, too; default: false */
  all?: boolean;
  /** The `next` of an answer that had `more` */
  after?: string;
}

export interface WebhookReplayResponse {
  /** Always true */
  success: boolean;
  /** How many are sent again */
  replayed: number;
  /** There may be more in the time range: repeat the call with `next` as `after` */
  more: boolean;
  /** Only where `more` is true */
  next?: string;
}

/** An endpoint by its URL: what is left out stays as it is; a new one is told of everything */
export interface WebhookRequest {
  /** https, without credentials and without a fragment; a query is allowed. 422 where the host is not public, which no pattern can tell */
  url: string;
  /** The types that it gets; empty: all, including types that are added later */
  types?: (
    | "delivery.accepted"
    | "delivery.delivered"
    | "delivery.bounced"
    | "delivery.complained"
    | "delivery.failed"
    | "delivery.expired"
    | "delivery.skipped"
    | "delivery.unknown"
    | "notification.created"
    | "notification.read"
    | "preference.changed"
    | "broadcast.progress"
    | "broadcast.done"
  )[];
  /** Shown to your own people; null or empty: none */
  description?: string | null;
  /** false: nothing is written for it and nothing is sent to it. true lifts a pause and a disabling */
  active?: boolean;
}

export interface WebhookResponse {
  /** Always true */
  success: boolean;
  data: Webhook;
}

export interface WebhookSecretResponse {
  /** Always true */
  success: boolean;
  /** By which its messages are verified, by Standard Webhooks; shown this once */
  secret: string;
  /** Until then the one before signs, too; ISO 8601, UTC */
  previousSecretUntil: string;
}

export interface WebhookSentResponse {
  /** Always true */
  success: boolean;
  /** Id of the new message; its GET returns the outcome */
  messageId: string;
}

export interface WebhooksResponse {
  /** Always true */
  success: boolean;
  /** The oldest first; at most 20 */
  data: Webhook[];
}

/** What each call takes and answers, by its name. */
export interface TenantCalls {
  /**
   * Archive the whole inbox
   * Takes no body. Unread items become read; snoozed items stay snoozed.
   */
  archiveAllNotifications: {
    input: {
      /** 1 to 64 of a-z, 0-9, _ . and - */
      category?: string;
      /** The id of the tenant of the API key; another one is 403 */
      tenantId: string;
      /** The user's id in your own system, percent-encoded */
      userId: string;
    };
    answer: ArchiveAllResponse;
  };
  /**
   * Cancel a broadcast: nothing more of it is sent after the answer
   * A call to a provider that is under way may still arrive. How many events reached nobody (`cancelled`) and for how many it was too late is counted in the background, and final once the state is cancelled. Without a body: where a signature is needed, it is over the empty text.
   */
  cancelBroadcast: {
    input: {
      /** of the broadcast */
      broadcastId: string;
    };
    answer: BroadcastResponse;
  };
  /**
   * Cancel what has not been sent yet of a tenant's events; at most 1,000 events per call
   * Stops what has not reached anybody, and says of each event what could be stopped. The answer is the truth: what it names as cancelled or stopped is not sent, by nobody. Of a digest the event is taken out. An event of which a try is under way is pending: if that try fails there is no other, and asked again the answer says what became of it. A message that a provider may have after a try without an answer counts as sent, and is not tried again. Where the event had no X-Idempotency-Key, the same trigger is a new event afterwards; the daily cap gets nothing back. Of all other events it says the same again when it is asked again.
   */
  cancelEvents: {
    input: CancelRequest;
    answer: CancelResponse;
  };
  /**
   * Add users to a topic and remove users from it; adding the first one creates the topic
   * All of it, or nothing. A user that is in the topic already stays in it, and one that is not is removed from nothing: a repeated call changes nothing. You need not have named the users.
   */
  changeMembers: {
    input: {
      /** 1 to 64 of A-Z, a-z, 0-9, _ . : and -; upper and lower case differ */
      key: string;
    } & MembersChangeRequest;
    answer: MembersChangeResponse;
  };
  /**
   * Archive, snooze or mark a notification
   * Says what is to be so of one item: read or unread, archived or not, snoozed until a time or not. What is so already stays, and is 200.
   */
  changeNotification: {
    input: {
      /** The id of the tenant of the API key; another one is 403 */
      tenantId: string;
      /** The user's id in your own system, percent-encoded */
      userId: string;
      /** The id of an item of the history */
      notificationId: string;
    } & ChangeNotificationRequest;
    answer: MarkReadResponse;
  };
  /**
   * Change a user's preferences
   * Writes the cells that are named and leaves the others: all of them, or none if one is wrong. It applies to every event that is dispatched from then on. An off in one cell always wins over an on in another cell, and a required category cannot be turned off.
   */
  changePreferences: {
    input: {
      /** The user's id in your own system */
      userId: string;
    } & ChangePreferencesRequest;
    answer: PreferencesResponse;
  };
  /**
   * Change an endpoint
   * Its URL, types and description; `active: false` stops it, `active: true` begins anew. What it was not told meanwhile is sent again by a replay.
   */
  changeWebhook: {
    input: {
      /** The endpoint's id */
      webhookId: string;
    } & WebhookChangeRequest;
    answer: WebhookResponse;
  };
  /**
   * Count the unread notifications
   * Counts one user's inbox. Archived and snoozed items do not count.
   */
  countUnread: {
    input: {
      /** The id of the tenant of the API key; another one is 403 */
      tenantId: string;
      /** The user's id in your own system, percent-encoded */
      userId: string;
    };
    answer: UnreadCountResponse;
  };
  /**
   * Send one event to the members of topics, or to a list of users
   * The users are reached at the addresses that you have named for them. Each gets it once, as an event of its own, with today's templates and the user's preferences. The tenant's other messages are sent before it. It uses at most a part of the tenant's daily cap.
   */
  createBroadcast: {
    input: BroadcastRequest;
    answer: BroadcastResponse;
  };
  /**
   * Request a realtime token
   * A connection token for one user's browser, valid for 2 hours, and the channels to subscribe to.
   */
  createRealtimeToken: {
    input: RealtimeTokenRequest;
    answer: RealtimeTokenResponse;
  };
  /**
   * Delete a notification
   * Without a body. Its texts and links are erased, and no list has it any more; the event's timeline says so. It counts as read.
   */
  deleteNotification: {
    input: {
      /** The id of the tenant of the API key; another one is 403 */
      tenantId: string;
      /** The user's id in your own system, percent-encoded */
      userId: string;
      /** The id of an item of the history */
      notificationId: string;
    };
    answer: MarkReadResponse;
  };
  /**
   * Delete a topic; its users stay
   * The topic is gone with the answer. Above 10,000 members the rest of them goes in the background: until then no topic of this key can be made. Without a body: where a signature is needed, it is over the empty text.
   */
  deleteTopic: {
    input: {
      /** 1 to 64 of A-Z, a-z, 0-9, _ . : and -; upper and lower case differ */
      key: string;
    };
    answer: TopicDeletedResponse;
  };
  /**
   * Delete an endpoint
   * Also deletes its messages and their attempts. A message under way is not tried again. Without a body: where a signature is needed, it is over the empty text.
   */
  deleteWebhook: {
    input: {
      /** The endpoint's id */
      webhookId: string;
    };
    answer: WebhookDeletedResponse;
  };
  /**
   * Erase a user
   * Addresses, preferences and memberships of topics are deleted at once; the rest goes in the background, one user of a tenant at a time. While an erasure of the user is open, the answer is that one. Waiting messages are not sent any more. Suppressed addresses stay suppressed. Stop sending to the user first: events that are accepted meanwhile may stay. Without a body: where a signature is needed, it is over the empty text.
   */
  eraseUser: {
    input: {
      /** The user's id in your own system, percent-encoded; of the very id `batch` write %62atch */
      userId: string;
    };
    answer: ErasureResponse;
  };
  /**
   * List a tenant's broadcasts, the newest first
   */
  listBroadcasts: {
    input: {
      /** Most broadcasts to return */
      limit?: number;
      /** `next` of the page before */
      after?: string;
    };
    answer: BroadcastsResponse;
  };
  /**
   * List the tabs of an inbox
   * The categories of what is in one user's inbox, each with its unread count, and whether anything is archived or snoozed. An item of an event type without a category is in none of them.
   */
  listInboxTabs: {
    input: {
      /** The id of the tenant of the API key; another one is 403 */
      tenantId: string;
      /** The user's id in your own system, percent-encoded */
      userId: string;
    };
    answer: InboxTabsResponse;
  };
  /**
   * The user ids in a topic, in the order of their bytes
   */
  listMembers: {
    input: {
      /** `next` of the page before */
      after?: string;
      /** Most of them to return */
      limit?: number;
      /** Only user ids that begin so */
      search?: string;
      /** 1 to 64 of A-Z, a-z, 0-9, _ . : and -; upper and lower case differ */
      key: string;
    };
    answer: MembersResponse;
  };
  /**
   * Fetch the notification history
   * The inbox of one user: the in-app notifications (PUSH), in the order in which their events were accepted, newest first. One that was snoozed stands by the time at which it comes back.
   */
  listNotifications: {
    input: {
      /** Most items to return */
      limit?: number;
      /** Newer items to leave out */
      offset?: number;
      /** Default: inbox, which is all that is neither archived nor snoozed. What was deleted is in none */
      view?: "inbox" | "archived" | "snoozed" | "all";
      /** 1 to 64 of a-z, 0-9, _ . and - */
      category?: string;
      /** The id of the tenant of the API key; another one is 403 */
      tenantId: string;
      /** The user's id in your own system, percent-encoded */
      userId: string;
    };
    answer: HistoryResponse;
  };
  /**
   * A tenant's scheduled events, the next one first
   */
  listScheduledEvents: {
    input: {
      /** Most events to return */
      limit?: number;
      /** continue after a page: its next */
      after?: string;
    };
    answer: ScheduledResponse;
  };
  /**
   * A tenant's topics by their keys, each with the number of its members
   */
  listTopics: {
    input: {
      /** `next` of the page before */
      after?: string;
      /** Most of them to return */
      limit?: number;
    };
    answer: TopicsResponse;
  };
  /**
   * List attempts
   * The log of an endpoint: every call, with what it was answered.
   */
  listWebhookAttempts: {
    input: {
      /** Only messages in this state */
      status?: "queued" | "sending" | "waiting" | "accepted" | "failed" | "skipped";
      /** Most of them to return */
      limit?: number;
      /** The `next` of the page before */
      after?: string;
      /** The endpoint's id */
      webhookId: string;
    };
    answer: WebhookAttemptsResponse;
  };
  /**
   * List messages
   * What an endpoint was told or is to be told, those that were never tried included. Kept as long as your events.
   */
  listWebhookMessages: {
    input: {
      /** Only messages in this state */
      status?: "queued" | "sending" | "waiting" | "accepted" | "failed" | "skipped";
      /** Most of them to return */
      limit?: number;
      /** The `next` of the page before */
      after?: string;
      /** The endpoint's id */
      webhookId: string;
    };
    answer: WebhookMessagesResponse;
  };
  /**
   * List endpoints
   * Endpoints that get webhooks about your events. Never shows their secrets.
   */
  listWebhooks: {
    input: Record<string, never>;
    answer: WebhooksResponse;
  };
  /**
   * Mark the whole inbox as read
   * Takes no body. Snoozed items stay unread.
   */
  markAllNotificationsRead: {
    input: {
      /** 1 to 64 of a-z, 0-9, _ . and - */
      category?: string;
      /** The id of the tenant of the API key; another one is 403 */
      tenantId: string;
      /** The user's id in your own system, percent-encoded */
      userId: string;
    };
    answer: MarkAllReadResponse;
  };
  /**
   * Mark a notification as read
   * Takes no body. Marking an item that is read already changes nothing and is 200.
   */
  markNotificationRead: {
    input: {
      /** The id of the tenant of the API key; another one is 403 */
      tenantId: string;
      /** The user's id in your own system, percent-encoded */
      userId: string;
      /** The id of an item of the history */
      notificationId: string;
    };
    answer: MarkReadResponse;
  };
  /**
   * Change when a scheduled event is sent; a time in the past means now
   */
  moveEvent: {
    input: {
      /** Belfry's id of the event: the header X-Event-Id of the trigger's answer */
      eventId: string;
    } & MoveRequest;
    answer: MoveResponse;
  };
  /**
   * Pause a broadcast: nothing more of it leaves until it is resumed
   * What is on its way to a provider at that moment, about a second's worth, still arrives. Without a body: where a signature is needed, it is over the empty text.
   */
  pauseBroadcast: {
    input: {
      /** of the broadcast */
      broadcastId: string;
    };
    answer: BroadcastResponse;
  };
  /**
   * Replace a user's entry; fields that are not given are deleted
   * It applies to every event that is dispatched from then on.
   */
  putUser: {
    input: {
      /** The user's id in your own system, percent-encoded; of the very id `batch` write %62atch */
      userId: string;
    } & UserRequest;
    answer: UserResponse;
  };
  /**
   * Name many users
   * The good ones are stored together; a bad one does not hold them up. There is an answer for each.
   */
  putUsers: {
    input: UsersBatchRequest;
    answer: UsersBatchResponse;
  };
  /**
   * Make an endpoint
   * Makes an endpoint, or changes the one with this URL. The answer has its secret where it was made, this once: if the answer is lost, rotate it. At most 20 endpoints. In force for everything that happens after the answer.
   */
  putWebhook: {
    input: WebhookRequest;
    answer: WebhookPutResponse;
  };
  /**
   * Send a window again
   * All messages of a window that did not arrive, the oldest first, each with its webhook-id; none that is under way, and at most 10,000 a call. A paused endpoint is called at once. What was never written, as the endpoint was not active then, cannot be sent.
   */
  replayWebhook: {
    input: {
      /** The endpoint's id */
      webhookId: string;
    } & WebhookReplayRequest;
    answer: WebhookReplayResponse;
  };
  /**
   * Send a message again
   * Whatever became of it, with the same webhook-id; a paused endpoint is called at once. 409 where one with this webhook-id is still under way. Without a body: where a signature is needed, it is over the empty text.
   */
  resendWebhookMessage: {
    input: {
      /** The endpoint's id */
      webhookId: string;
      /** The message's id */
      messageId: string;
    };
    answer: WebhookSentResponse;
  };
  /**
   * Resume a paused broadcast where it stopped
   * If what it was paused for still holds, such as a missing provider, it pauses again. Without a body: where a signature is needed, it is over the empty text.
   */
  resumeBroadcast: {
    input: {
      /** of the broadcast */
      broadcastId: string;
    };
    answer: BroadcastResponse;
  };
  /**
   * Rotate an endpoint's secret
   * A new secret, shown this once. For 24 hours messages have two signatures, the new secret's and the previous one's. If you rotate twice within 10 minutes, the secret from before both goes on signing instead of the one in between. Without a body: where a signature is needed, it is over the empty text.
   */
  rotateWebhookSecret: {
    input: {
      /** The endpoint's id */
      webhookId: string;
    };
    answer: WebhookSecretResponse;
  };
  /**
   * Show how far a broadcast is
   */
  showBroadcast: {
    input: {
      /** of the broadcast */
      broadcastId: string;
    };
    answer: BroadcastResponse;
  };
  /**
   * Show how far an erasure is
   * It is kept for as long as the installation keeps events, and names nobody.
   */
  showErasure: {
    input: {
      /** the id in the answer to the request */
      erasureId: string;
    };
    answer: ErasureResponse;
  };
  /**
   * Show an event
   * An event of yours and what became of it on each channel. Never its variables, nor what was rendered.
   */
  showEvent: {
    input: {
      /** Belfry's id of the event: the header X-Event-Id of the trigger's answer */
      eventId: string;
    };
    answer: EventReport;
  };
  /**
   * A user's preferences, where and when each was set, and the categories
   * Works for any user id, because a tenant need not have stored its users.
   */
  showPreferences: {
    input: {
      /** The user's id in your own system */
      userId: string;
    };
    answer: PreferencesResponse;
  };
  /**
   * Show a user's stored entry
   */
  showUser: {
    input: {
      /** The user's id in your own system, percent-encoded; of the very id `batch` write %62atch */
      userId: string;
    };
    answer: UserResponse;
  };
  /**
   * Show an endpoint
   * How it is set, and whether it is reached.
   */
  showWebhook: {
    input: {
      /** The endpoint's id */
      webhookId: string;
    };
    answer: WebhookResponse;
  };
  /**
   * Show a message
   * The answer has the posted body and every attempt.
   */
  showWebhookMessage: {
    input: {
      /** The endpoint's id */
      webhookId: string;
      /** The message's id */
      messageId: string;
    };
    answer: WebhookMessageResponse;
  };
  /**
   * Send a test message
   * Of type webhook.test, whatever types the endpoint has chosen; a paused endpoint is called at once. Without a body: where a signature is needed, it is over the empty text.
   */
  testWebhook: {
    input: {
      /** The endpoint's id */
      webhookId: string;
    };
    answer: WebhookSentResponse;
  };
  /**
   * Trigger an event
   * Accepts an event for dispatch over EMAIL, SMS and PUSH. 200 means: stored, and it will be dispatched, at once or at its time. The checks come in this order: key, signature, body, limits. Without X-Idempotency-Key, an event of the same type with the same payload within 24 hours is a replay of the first, even with other variables.
   */
  triggerEvent: {
    input: TriggerRequest;
    answer: TriggerResponse;
  };
  /**
   * Trigger many events
   * Accepts up to 100 events in one call. Each is judged and answered as a single call of `trigger` would be, and counts one by one towards both limits: those beyond a limit are refused, the others accepted. The answer is 200 whenever the batch itself could be read; look at the `statusCode` of each result. The events of one user arrive in the order of the batch.
   */
  triggerEvents: {
    input: TriggerBatchRequest;
    answer: TriggerBatchResponse;
  };
  /**
   * Upload an attachment
   * Keeps a file of up to 10 MiB for the mails of events that name it in `email.attachments`. The body is the file itself, not a form. A file that no event names within 24 hours is deleted, one that events name with the last of them. Each upload counts towards the limit per minute. The whole request may take 15 seconds.
   */
  uploadAttachment: {
    input: Record<string, never>;
    answer: AttachmentResponse;
  };
}

/** Where a call goes. Fields of its input that are neither in the path nor in the query are its JSON body. */
export interface TenantRoute {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below /api/v1; a field in braces. */
  path: string;
  query?: readonly string[];
  /** Whether the call has a body, if only an empty object. */
  hasBody?: true;
  /** Whether the call is signed if the tenant has a webhook secret. */
  isSigned?: true;
}

export const TENANT_ROUTES: Readonly<Record<keyof TenantCalls, TenantRoute>> = {
  archiveAllNotifications: {
    method: "PUT",
    path: "/notifications/{tenantId}/{userId}/archived",
    query: ["category"],
  },
  cancelBroadcast: { method: "POST", path: "/broadcasts/{broadcastId}/cancel", isSigned: true },
  cancelEvents: { method: "POST", path: "/events/cancel", hasBody: true, isSigned: true },
  changeMembers: { method: "PATCH", path: "/topics/{key}/members", hasBody: true, isSigned: true },
  changeNotification: {
    method: "PATCH",
    path: "/notifications/{tenantId}/{userId}/{notificationId}",
    hasBody: true,
  },
  changePreferences: {
    method: "PATCH",
    path: "/users/{userId}/preferences",
    hasBody: true,
    isSigned: true,
  },
  changeWebhook: { method: "PATCH", path: "/webhooks/{webhookId}", hasBody: true, isSigned: true },
  countUnread: { method: "GET", path: "/notifications/{tenantId}/{userId}/unread-count" },
  createBroadcast: { method: "POST", path: "/broadcasts", hasBody: true, isSigned: true },
  createRealtimeToken: { method: "POST", path: "/auth/realtime-token", hasBody: true },
  deleteNotification: {
    method: "DELETE",
    path: "/notifications/{tenantId}/{userId}/{notificationId}",
  },
  deleteTopic: { method: "DELETE", path: "/topics/{key}", isSigned: true },
  deleteWebhook: { method: "DELETE", path: "/webhooks/{webhookId}", isSigned: true },
  eraseUser: { method: "DELETE", path: "/users/{userId}", isSigned: true },
  listBroadcasts: { method: "GET", path: "/broadcasts", query: ["limit", "after"] },
  listInboxTabs: { method: "GET", path: "/notifications/{tenantId}/{userId}/tabs" },
  listMembers: {
    method: "GET",
    path: "/topics/{key}/members",
    query: ["after", "limit", "search"],
  },
  listNotifications: {
    method: "GET",
    path: "/notifications/{tenantId}/{userId}",
    query: ["limit", "offset", "view", "category"],
  },
  listScheduledEvents: { method: "GET", path: "/events/scheduled", query: ["limit", "after"] },
  listTopics: { method: "GET", path: "/topics", query: ["after", "limit"] },
  listWebhookAttempts: {
    method: "GET",
    path: "/webhooks/{webhookId}/attempts",
    query: ["status", "limit", "after"],
  },
  listWebhookMessages: {
    method: "GET",
    path: "/webhooks/{webhookId}/messages",
    query: ["status", "limit", "after"],
  },
  listWebhooks: { method: "GET", path: "/webhooks" },
  markAllNotificationsRead: {
    method: "PUT",
    path: "/notifications/{tenantId}/{userId}/read",
    query: ["category"],
  },
  markNotificationRead: {
    method: "PUT",
    path: "/notifications/{tenantId}/{userId}/{notificationId}/read",
  },
  moveEvent: { method: "PATCH", path: "/events/{eventId}", hasBody: true, isSigned: true },
  pauseBroadcast: { method: "POST", path: "/broadcasts/{broadcastId}/pause", isSigned: true },
  putUser: { method: "PUT", path: "/users/{userId}", hasBody: true, isSigned: true },
  putUsers: { method: "POST", path: "/users/batch", hasBody: true, isSigned: true },
  putWebhook: { method: "POST", path: "/webhooks", hasBody: true, isSigned: true },
  replayWebhook: {
    method: "POST",
    path: "/webhooks/{webhookId}/replay",
    hasBody: true,
    isSigned: true,
  },
  resendWebhookMessage: {
    method: "POST",
    path: "/webhooks/{webhookId}/messages/{messageId}/resend",
    isSigned: true,
  },
  resumeBroadcast: { method: "POST", path: "/broadcasts/{broadcastId}/resume", isSigned: true },
  rotateWebhookSecret: {
    method: "POST",
    path: "/webhooks/{webhookId}/rotate-secret",
    isSigned: true,
  },
  showBroadcast: { method: "GET", path: "/broadcasts/{broadcastId}" },
  showErasure: { method: "GET", path: "/erasures/{erasureId}" },
  showEvent: { method: "GET", path: "/events/{eventId}" },
  showPreferences: { method: "GET", path: "/users/{userId}/preferences" },
  showUser: { method: "GET", path: "/users/{userId}" },
  showWebhook: { method: "GET", path: "/webhooks/{webhookId}" },
  showWebhookMessage: { method: "GET", path: "/webhooks/{webhookId}/messages/{messageId}" },
  testWebhook: { method: "POST", path: "/webhooks/{webhookId}/test", isSigned: true },
  triggerEvent: { method: "POST", path: "/events/trigger", hasBody: true, isSigned: true },
  triggerEvents: { method: "POST", path: "/events/trigger-batch", hasBody: true, isSigned: true },
  uploadAttachment: { method: "POST", path: "/attachments", isSigned: true },
};
