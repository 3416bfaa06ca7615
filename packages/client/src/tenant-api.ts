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
    /** The id that triggers name */
    id: string;
    name: string;
    /** The media type of Content-Type, in its usual spelling */
    type: string;
    bytes: number;
    /** It is deleted if no event has named it by this time; ISO 8601, UTC */
    expiresAt: string;
  };
}

export interface AttemptReport {
  /** Number of the attempt, from 1 */
  number: number;
  /** Kind of the provider, such as sendgrid */
  provider: string;
  /** When the provider was called; ISO 8601, UTC */
  startedAt: string;
  /** When the provider answered; null while the call is in progress; ISO 8601, UTC */
  endedAt: string | null;
  /** Result: accepted, permanent, policy, credentials, throttled, deferred, transient or ambiguous; null while the call is in progress */
  class: string | null;
  /** The provider's reason in a few words */
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
  /** cancelling: nothing more is sent, and the results are being counted; done: all events have been sent or have ended */
  state: "scheduled" | "running" | "paused" | "cancelling" | "cancelled" | "done";
  /** Why Belfry paused it; null if it is not paused or you paused it */
  reason: string | null;
  eventType: string;
  /** null if it is for a list of users */
  topics: string[] | null;
  /** null means all */
  channels: ("EMAIL" | "SMS" | "PUSH" | "DEVICE" | "CHAT")[] | null;
  /** null means each user's own */
  locale: string | null;
  /** Id of the provider that you named; null: none */
  provider: string | null;
  /** Number of users that it is for; an estimate until the last one is processed */
  total: number;
  /** Number of users for whom an event was created */
  expanded: number;
  /** Number of results by status, counted per channel every few seconds; `cancelled` counts whole events */
  byStatus: Record<string, number>;
  /** After a cancel: the number of events that reached nobody */
  cancelled?: number;
  /** Number of the other events, which had reached somebody or ended before. Both numbers are final once the state is cancelled */
  tooLate?: number;
  /** Planned start time; null for an immediate start; ISO 8601, UTC */
  sendAt: string | null;
  /** Time at which a paused broadcast resumes by itself; null if only you can resume it; ISO 8601, UTC */
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
  /** Users that get it, instead of topics */
  userIds?: string[];
  /** Users that do not get it */
  exceptUserIds?: string[];
  /** The event type of a template; it must have no sensitive template */
  eventType: string;
  /** Values for the templates, the same for all users; at most 64 KiB */
  variables?: Record<string, unknown>;
  /** Only these channels; an empty array means all */
  channels?: ("EMAIL" | "SMS" | "PUSH" | "DEVICE" | "CHAT")[];
  /** Start time; a past time means now. It has the same limits as `sendAt` of an event */
  sendAt?: string;
  /** Id or name of one of your providers, which sends all messages on its channel. Default: your usual providers */
  provider?: string;
  /** One language for all users; default: each user's own */
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
  /** Values of cancelKey, which select all events that have them */
  cancelKeys?: string[];
  /** Belfry's ids of events, or your own eventIds, which select all events that have them, at most 10000 */
  eventIds?: string[];
  /** Only events of these users; default: of all users */
  userIds?: string[];
}

export interface CancelResponse {
  /** Always true */
  success: boolean;
  /** Belfry's ids of events that have reached nobody and will reach nobody */
  cancelled: string[];
  /** Events that had already been sent in part; the rest was stopped */
  partly: {
    /** Belfry's id */
    eventId: string;
    /** Channels on which nothing has been sent */
    stopped: ("EMAIL" | "SMS" | "PUSH" | "DEVICE" | "CHAT")[];
  }[];
  /** Belfry's ids of events with an attempt in progress, which is the last one. Repeat the call to learn its result */
  pending: string[];
  /** Belfry's ids of events of which nothing could be stopped any more */
  tooLate: string[];
  /** The given eventIds that no event has; absent if all were found */
  unknown?: string[];
  /** Present and true if there are more than 1000 events; repeat the call to continue */
  more?: boolean;
}

/** Exactly one of these */
export interface ChangeNotificationRequest {
  /** false also moves the item out of the archive */
  read?: boolean;
  /** true marks the item as read and ends a snooze; false restores its state from before it was archived */
  archived?: boolean;
  /** Marks the item as unread and removes it from the inbox until this time; null or a past time returns it at once */
  snoozedUntil?: string | null;
}

export interface ChangePreferencesRequest {
  /** If a cell is repeated, the last one counts */
  preferences: {
    /** The key of a category, or * for all of them */
    category: string;
    /** A channel, or * for all of them */
    channel: "*" | "EMAIL" | "SMS" | "PUSH" | "DEVICE" | "CHAT";
    /** null deletes the choice: the default of the category applies again */
    enabled: boolean | null;
  }[];
}

export interface ChannelReport {
  /** `published` is a result of PUSH; the others are results of EMAIL, SMS, DEVICE and CHAT, or reasons why nothing was sent */
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
  /** Variables that the template uses but the event does not have */
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
  /** Time of the next attempt; null once the delivery has ended; ISO 8601, UTC */
  dueAt: string | null;
  /** When the result was final; ISO 8601, UTC */
  settledAt: string | null;
  attempts: AttemptReport[];
}

export interface Device {
  deviceId: string;
  kind: "webpush" | "fcm" | "apns";
  name: string | null;
  /** When it was last registered; ISO 8601, UTC */
  registeredAt: string;
  /** null: it stays; only browsers that registered themselves end */
  endsAt: string | null;
  /** null: it has accepted none yet */
  seenAt: string | null;
}

export interface DeviceRequest {
  /** The service that delivers to the device */
  kind: "webpush" | "fcm" | "apns";
  /** Only with `webpush`: the browser's PushSubscription as JSON */
  subscription?: {
    endpoint: string;
    keys: {
      p256dh: string;
      auth: string;
    };
    expirationTime?: number | null;
  };
  /** Only with `webpush`: the public key with which the browser subscribed; default: the current one, which is stored with the device */
  applicationServerKey?: string;
  /** Only with `fcm` and `apns`: the token that the device got from Google or Apple */
  token?: string;
  /** Only with `apns`: the environment of the app's build; default: production */
  environment?: "production" | "sandbox";
  /** A name for people, such as `Firefox on Linux` */
  name?: string | null;
}

export interface DeviceResponse {
  /** Always true */
  success: boolean;
  data: Device;
}

export interface DevicesResponse {
  /** Always true */
  success: boolean;
  data: {
    /** The one that was registered last comes first */
    devices: Device[];
    /** The `applicationServerKey` with which a browser subscribes; null if the tenant has no Web Push */
    webPushKey: string | null;
  };
}

export interface DigestReport {
  /** The digest's id */
  id: string;
  /** in: it is in the message; alone: it was sent separately; read or cancelled: it was left out */
  state: "in" | "alone" | "read" | "cancelled";
  /** How many other events the message combines */
  others: number;
  /** Time until which events join the digest; quiet hours may extend it; ISO 8601, UTC */
  windowEndsAt: string;
  /** When the digest was closed; ISO 8601, UTC */
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
  /** scheduled: it waits until `sendAt`; refused: the call was answered 500, so send the event again; cancelled: it has reached nobody and will reach nobody */
  status: "accepted" | "scheduled" | "dispatched" | "refused" | "cancelled";
  userId: string;
  recipientEmail: string | null;
  recipientPhone: string | null;
  recipientChat: string | null;
  /** The `channels` of the request; null means all */
  requestedChannels: ("EMAIL" | "SMS" | "PUSH" | "DEVICE" | "CHAT")[] | null;
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
  /** The `locale` of the request in canonical form; null if it had none */
  locale: string | null;
  /** The request's trace id */
  traceId: string;
  /** When it was stored; ISO 8601, UTC */
  acceptedAt: string;
  /** When it was dispatched; ISO 8601, UTC */
  dispatchedAt: string | null;
  /** When it was refused; ISO 8601, UTC */
  refusedAt: string | null;
  /** Planned time of dispatch; null if the event was dispatched at once; ISO 8601, UTC */
  sendAt: string | null;
  /** The `cancelKey` of the request; null if it had none */
  cancelKey: string | null;
  /** The broadcast that created the event; null if a trigger did */
  broadcastId: string | null;
  /** When it was cancelled completely; ISO 8601, UTC */
  cancelledAt: string | null;
  /** A cancel came during an attempt that is still in progress. If that attempt fails, there is no other */
  cancelPending: boolean;
  /** Known results by channel; empty until the event is dispatched */
  channels: {
    EMAIL?: ChannelReport;
    SMS?: ChannelReport;
    PUSH?: ChannelReport;
    DEVICE?: ChannelReport;
    CHAT?: ChannelReport;
  };
  /** The history in words, oldest first; `channel` is null for the event as a whole */
  timeline: {
    /** When; ISO 8601, UTC */
    at: string;
    channel: "EMAIL" | "SMS" | "PUSH" | "DEVICE" | "CHAT" | null;
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
    /** Its name by language; the empty key is the default */
    label: Record<string, string>;
    /** Number of its unread items in the inbox */
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

/** At most 1000 user ids in all; no id may be in both lists */
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
  /** The new time of dispatch; a past time means now. It has the same limits as that of a trigger, counted from the event's acceptance */
  sendAt: string;
}

export interface MoveResponse {
  /** Always true */
  success: boolean;
  /** The new time; the time of the call if a past time was given; ISO 8601, UTC */
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
  /** The notification's link: https, or a path of your own site; only if its template has one */
  url?: string;
  /** Its buttons; only if its template has some */
  actions?: PushAction[];
  /** When it was archived; ISO 8601, UTC; only where it is */
  archived_at?: string;
  /** The item is not in the inbox until this time; after it, the item is listed by this time; ISO 8601, UTC; only where it was snoozed */
  snoozed_until?: string;
}

export interface PreferencesResponse {
  /** Always true */
  success: boolean;
  data: {
    userId: string;
    /** The user's choices. A cell that is not listed has the default of its category */
    preferences: {
      /** A key, or * */
      category: string;
      channel: "*" | "EMAIL" | "SMS" | "PUSH" | "DEVICE" | "CHAT";
      enabled: boolean;
      /** The place where the user made the choice */
      source: "api" | "preference page" | "unsubscribe link" | "inbox" | "import" | "by hand";
      /** When; ISO 8601, UTC */
      at: string;
    }[];
    /** All categories of the tenant, in their order */
    categories: {
      key: string;
      /** Texts by language; "" is the default */
      label: Record<string, string>;
      /** Texts by language; "" is the default */
      description: Record<string, string>;
      /** Messages are sent even to users who turned it off */
      required: boolean;
      /** false: messages are sent only to users who turned it on */
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
  /** Time of dispatch; ISO 8601, UTC */
  sendAt: string;
  /** The trigger's cancel key; null if it had none */
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
  /** Events with the fields of a single call; the events of one user are delivered in this order */
  events: {
    /** Selects your templates with the same event type */
    eventType: string;
    /** Your own reference. Belfry stores and shows it; it need not be unique */
    eventId?: string;
    /** Restricts this event to these channels; an empty array means all */
    channels?: ("EMAIL" | "SMS" | "PUSH" | "DEVICE" | "CHAT")[];
    /** The recipient; other fields are ignored */
    payload: {
      /** Recipient's id in the tenant's own system */
      userId: string;
      /** One address, which may have non-ASCII letters; needed for EMAIL. Empty or null means none */
      recipientEmail?: string | null;
      /** In E.164 form; needed for SMS. Empty or null means none */
      recipientPhone?: string | null;
      /** A provider's kind, a colon and a target, such as `slack:C024BE91L`; needed for CHAT. Empty or null means none */
      recipientChat?: string | null;
    };
    /** The recipient's language in BCP 47: language[-Script][-REGION]. Belfry uses templates in this language, else in a wider one (de-AT, de), else the default ones. Not part of the automatic deduplication key */
    locale?: string;
    /** Time at which Belfry dispatches the event, with the templates and preferences of that time. A past time means now. At most 8 days less than the shorter of the tenant's retentions ahead (1 day less if that is at most 9 days). Part of the automatic deduplication key, exactly as written */
    sendAt?: string;
    /** The same as a number of seconds after the acceptance, instead of `sendAt`. Part of the automatic deduplication key */
    delaySeconds?: number;
    /** A key for cancelling: one call cancels all events with this key. It need not be unique. Part of the automatic deduplication key */
    cancelKey?: string;
    /** Envelope of the mail. Each field that is set replaces that of the template. Absent and null mean the same; an empty list means nobody. Part of the automatic deduplication key */
    email?: {
      /** The display name next to the sender's address, which comes from the provider */
      fromName?: string | null;
      /** Address that receives replies, with only ASCII characters before the @ */
      replyTo?: string | null;
      /** Addresses that get a visible copy. Not allowed for a mail with an unsubscribe link, because the link belongs to the recipient */
      cc?: string[] | null;
      /** Addresses that get a hidden copy, with the same rule */
      bcc?: string[] | null;
      /** Files of `POST /api/v1/attachments`: at most 10, together at most 20 MiB and your provider's limit. With `cid`, the mail's HTML shows the file as `<img src="cid:…">` */
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
    /** A deduplication key instead of the automatic one, like X-Idempotency-Key of a single call */
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
    /** Whether the answer is that of an earlier event; only with 200 */
    replayed?: boolean;
    /** true; with 200 only */
    success?: boolean;
    /** Name of the status; absent with 200 */
    error?: string;
    /** The message that the single call would have; for 422 one string per fault */
    message: string | string[];
    /** Seconds to wait; only with 429 */
    retryAfter?: number;
    /** Likely mistakes in the request: an ignored field whose name is similar to a missing one, or an event type without a template. Absent if there are none */
    warnings?: string[];
  }[];
}

/** Unknown fields are ignored and never stored */
export interface TriggerRequest {
  /** Selects your templates with the same event type */
  eventType: string;
  /** Your own reference. Belfry stores and shows it; it need not be unique */
  eventId?: string;
  /** Restricts this event to these channels; an empty array means all */
  channels?: ("EMAIL" | "SMS" | "PUSH" | "DEVICE" | "CHAT")[];
  /** The recipient; other fields are ignored */
  payload: {
    /** Recipient's id in the tenant's own system */
    userId: string;
    /** One address, which may have non-ASCII letters; needed for EMAIL. Empty or null means none */
    recipientEmail?: string | null;
    /** In E.164 form; needed for SMS. Empty or null means none */
    recipientPhone?: string | null;
    /** A provider's kind, a colon and a target, such as `slack:C024BE91L`; needed for CHAT. Empty or null means none */
    recipientChat?: string | null;
  };
  /** The recipient's language in BCP 47: language[-Script][-REGION]. Belfry uses templates in this language, else in a wider one (de-AT, de), else the default ones. Not part of the automatic deduplication key */
  locale?: string;
  /** Time at which Belfry dispatches the event, with the templates and preferences of that time. A past time means now. At most 8 days less than the shorter of the tenant's retentions ahead (1 day less if that is at most 9 days). Part of the automatic deduplication key, exactly as written */
  sendAt?: string;
  /** The same as a number of seconds after the acceptance, instead of `sendAt`. Part of the automatic deduplication key */
  delaySeconds?: number;
  /** A key for cancelling: one call cancels all events with this key. It need not be unique. Part of the automatic deduplication key */
  cancelKey?: string;
  /** Envelope of the mail. Each field that is set replaces that of the template. Absent and null mean the same; an empty list means nobody. Part of the automatic deduplication key */
  email?: {
    /** The display name next to the sender's address, which comes from the provider */
    fromName?: string | null;
    /** Address that receives replies, with only ASCII characters before the @ */
    replyTo?: string | null;
    /** Addresses that get a visible copy. Not allowed for a mail with an unsubscribe link, because the link belongs to the recipient */
    cc?: string[] | null;
    /** Addresses that get a hidden copy, with the same rule */
    bcc?: string[] | null;
    /** Files of `POST /api/v1/attachments`: at most 10, together at most 20 MiB and your provider's limit. With `cid`, the mail's HTML shows the file as `<img src="cid:…">` */
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
  /** Likely mistakes in the request: an ignored field whose name is similar to a missing one, or an event type without a template. Absent if there are none */
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

/** The whole entry of the user: a field that is absent or null is deleted */
export interface UserRequest {
  /** Used if a trigger has no recipientEmail */
  email?: string | null;
  /** In E.164 form; used if a trigger has no recipientPhone */
  phone?: string | null;
  /** An address such as `slack:C024BE91L`; used if a trigger has no recipientChat */
  chat?: string | null;
  /** Language for triggers without a locale: language[-Script][-REGION] */
  locale?: string | null;
  /** A name of the IANA time zone database; if absent, the tenant's zone */
  timezone?: string | null;
  /** Values that templates read as `user.NAME`; at most 4 KiB of JSON */
  attributes?: Record<string, unknown> | null;
  /** Times in the user's time zone; if `to` is earlier than `from`, they end on the next day. If absent, the tenant's */
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
    /** The address in a chat */
    chat: string | null;
    /** In canonical form, such as de-AT */
    locale: string | null;
    /** null means the tenant's */
    timezone: string | null;
    /** null means none */
    attributes: Record<string, unknown> | null;
    /** null means the tenant's */
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
  /** Users with the fields of PUT and their userIds; if a userId is repeated, the last one counts */
  users: {
    /** The user's id in your own system */
    userId: string;
    /** Used if a trigger has no recipientEmail */
    email?: string | null;
    /** In E.164 form; used if a trigger has no recipientPhone */
    phone?: string | null;
    /** An address such as `slack:C024BE91L`; used if a trigger has no recipientChat */
    chat?: string | null;
    /** Language for triggers without a locale: language[-Script][-REGION] */
    locale?: string | null;
    /** A name of the IANA time zone database; if absent, the tenant's zone */
    timezone?: string | null;
    /** Values that templates read as `user.NAME`; at most 4 KiB of JSON */
    attributes?: Record<string, unknown> | null;
    /** Times in the user's time zone; if `to` is earlier than `from`, they end on the next day. If absent, the tenant's */
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
    /** The user id as it was sent; null if there was none */
    userId: string | null;
    /** false: nothing was changed for this item */
    success: boolean;
    /** All faults of the item, each with its field */
    message?: string[];
  }[];
}

export interface Webhook {
  id: string;
  /** The address that Belfry calls */
  url: string;
  /** An empty list means all types */
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
    | "device.added"
    | "device.gone"
    | "broadcast.progress"
    | "broadcast.done"
  )[];
  description: string | null;
  /** false if no messages are sent to it */
  active: boolean;
  /** Time since which it is not active; null if it is active; ISO 8601, UTC */
  disabledAt: string | null;
  /** Why Belfry disabled it; null if a person did */
  disabledReason: string | null;
  /** Time since which no message has arrived; null if the last attempt succeeded; ISO 8601, UTC */
  failingSince: string | null;
  /** The endpoint is paused until this time and is then called once; null if it is not paused; ISO 8601, UTC */
  pausedUntil: string | null;
  /** When it was created; ISO 8601, UTC */
  createdAt: string;
  /** When somebody last changed it; ISO 8601, UTC */
  updatedAt: string;
}

export interface WebhookAttempt {
  messageId: string;
  /** Value of the header webhook-id. For a message that was sent again it is the id of the first one */
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
    | "device.added"
    | "device.gone"
    | "broadcast.progress"
    | "broadcast.done"
    | "webhook.test";
  /** Belfry's id of the event or digest that the message is about; null if there is none */
  eventId: string | null;
  /** Number of the message's attempt, from 1 */
  number: number;
  /** When it began; ISO 8601, UTC */
  at: string;
  /** null if it has not ended */
  durationMs: number | null;
  /** HTTP status of the answer; null if there was none */
  status: number | null;
  /** arrived: the endpoint answered 2xx. unknown: the message was sent, but no answer came */
  outcome: "arrived" | "failed" | "unknown" | "under way";
  /** Why it did not arrive */
  reason: string | null;
  /** The first KiB of the answer, as text */
  answer: string | null;
  /** Time of the next attempt; null if there is none; ISO 8601, UTC */
  nextAt: string | null;
  messageStatus: "queued" | "sending" | "waiting" | "accepted" | "failed" | "skipped";
}

export interface WebhookAttemptsResponse {
  /** Always true */
  success: boolean;
  /** Attempts of the newest message first, and each message's newest attempt first */
  data: WebhookAttempt[];
  /** Pass it as `after` to get the next page; absent on the last page. Other pages may have fewer than `limit` items, too */
  next?: string;
}

/** Fields that are left out keep their values */
export interface WebhookChangeRequest {
  /** An https URL without credentials and fragment; a query is allowed. The host must be public, otherwise the answer is 422 */
  url?: string;
  /** Types of messages that it gets; an empty list means all, including types that are added later */
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
    | "device.added"
    | "device.gone"
    | "broadcast.progress"
    | "broadcast.done"
  )[];
  /** A description for your team; null or empty means none */
  description?: string | null;
  /** false stops the creation and sending of its messages. true ends a pause and enables a disabled endpoint */
  active?: boolean;
}

export interface WebhookDeletedResponse {
  /** Always true */
  success: boolean;
}

export interface WebhookMessage {
  id: string;
  /** Value of the header webhook-id. For a message that was sent again it is the id of the first one */
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
    | "device.added"
    | "device.gone"
    | "broadcast.progress"
    | "broadcast.done"
    | "webhook.test";
  /** Belfry's id of the event or digest that the message is about; null if there is none */
  eventId: string | null;
  status: "queued" | "sending" | "waiting" | "accepted" | "failed" | "skipped";
  /** Why it failed, was skipped, or is tried again */
  reason: string | null;
  /** When it was created; ISO 8601, UTC */
  createdAt: string;
  /** Time of the next attempt; null if there is none or one is in progress; ISO 8601, UTC */
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
  /** Pass it as `after` to get the next page; absent on the last page. Other pages may have fewer than `limit` items, too */
  next?: string;
}

export interface WebhookPutResponse extends WebhookResponse {
  /** The secret that verifies messages, as defined by Standard Webhooks. Shown only once, if the endpoint is new */
  secret?: string;
}

export interface WebhookReplayRequest {
  /** Only messages from this time or later */
  since: string;
  /** Only messages from before this time; default: now. It must be later than `since` */
  until?: string;
  /** Whether arrived messages are sent again, too; default: false */
  all?: boolean;
  /** The `next` of an answer that had `more` */
  after?: string;
}

export interface WebhookReplayResponse {
  /** Always true */
  success: boolean;
  /** Number of messages that are sent again */
  replayed: number;
  /** The time range may have more messages: repeat the call with `next` as `after` */
  more: boolean;
  /** Only if `more` is true */
  next?: string;
}

/** The endpoint with this URL. Absent fields keep their values; a new endpoint gets all types */
export interface WebhookRequest {
  /** An https URL without credentials and fragment; a query is allowed. The host must be public, otherwise the answer is 422 */
  url: string;
  /** Types of messages that it gets; an empty list means all, including types that are added later */
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
    | "device.added"
    | "device.gone"
    | "broadcast.progress"
    | "broadcast.done"
  )[];
  /** A description for your team; null or empty means none */
  description?: string | null;
  /** false stops the creation and sending of its messages. true ends a pause and enables a disabled endpoint */
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
  /** The secret that verifies messages, as defined by Standard Webhooks. Shown only once */
  secret: string;
  /** The previous secret also signs until this time; ISO 8601, UTC */
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

/** The input and answer of each call, by its name. */
export interface TenantCalls {
  /**
   * Archive the whole inbox
   * Takes no body. Unread items become read; snoozed items stay snoozed.
   */
  archiveAllNotifications: {
    input: {
      /** 1 to 64 of a-z, 0-9, _ . and - */
      category?: string;
      /** The id of the API key's tenant; any other is answered 403 */
      tenantId: string;
      /** The user's id in your own system, percent-encoded */
      userId: string;
    };
    answer: ArchiveAllResponse;
  };
  /**
   * Cancel a broadcast: nothing more is sent after the answer
   * A call to a provider that is in progress may still deliver. Belfry counts in the background how many events reached nobody (`cancelled`) and for how many it was too late (`tooLate`); both are final once the state is cancelled. Send no body; if a signature is needed, sign the empty text.
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
   * Stops deliveries that have reached nobody, and returns for each event what was stopped. Nothing that the answer names as cancelled or stopped is sent later. An event in a digest is removed from the digest. An event with an attempt in progress is pending: if that attempt fails, there is no other; repeat the call to learn the result. If an attempt got no answer, the provider may have the message, so it counts as sent and is not retried. If an event had no X-Idempotency-Key, the same trigger afterwards is a new event. Cancelled events still count towards the daily cap. For all other events a repeated call returns the same result.
   */
  cancelEvents: {
    input: CancelRequest;
    answer: CancelResponse;
  };
  /**
   * Add users to a topic and remove users from it; adding the first one creates the topic
   * Makes all of the changes or none. Adding a user that is in the topic, or removing one that is not, changes nothing, so a call can be repeated. The users need not be stored.
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
   * Sets whether an item is read, archived or snoozed. A change that is already made is answered 200, too.
   */
  changeNotification: {
    input: {
      /** The id of the API key's tenant; any other is answered 403 */
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
   * Changes all given cells, or none if one is invalid. The others keep their values. It applies to every event that is dispatched from then on. An off in one cell always wins over an on in another cell, and a required category cannot be turned off.
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
   * Changes its URL, types and description. `active: false` stops it, and `active: true` starts it again. A replay sends the messages that it missed.
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
      /** The id of the API key's tenant; any other is answered 403 */
      tenantId: string;
      /** The user's id in your own system, percent-encoded */
      userId: string;
    };
    answer: UnreadCountResponse;
  };
  /**
   * Send one event to the members of topics, or to a list of users
   * Users are reached at their stored addresses. Each user gets the message once, as a separate event, with the current templates and the user's preferences. The tenant's other messages are sent before it. It uses at most a part of the tenant's daily cap.
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
   * Remove a user's device: nothing more is sent to it
   *  Send no body; if a signature is needed, sign the empty text.
   */
  deleteDevice: {
    input: {
      /** the user's id in your own system */
      userId: string;
      /** The device's id, chosen by the caller and unique among the user's devices */
      deviceId: string;
    };
    answer: DeviceResponse;
  };
  /**
   * Delete a notification
   * Takes no body. The item's texts and links are erased, and it is in no list any more; the event's timeline shows this. It counts as read.
   */
  deleteNotification: {
    input: {
      /** The id of the API key's tenant; any other is answered 403 */
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
   * The topic no longer exists after the answer. If it has more than 10,000 members, the rest of them are deleted in the background; until then no topic with this key can be created. Send no body; if a signature is needed, sign the empty text.
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
   * Also deletes the endpoint's messages and their attempts. A message that is being sent is not retried. Send no body; if a signature is needed, sign the empty text.
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
   * Addresses, preferences and memberships of topics are deleted at once; everything else is deleted in the background, one user of a tenant at a time. While an erasure of the user is open, the answer is that one. Waiting messages are no longer sent. Suppressed addresses stay suppressed. Stop sending to the user first: events that are accepted meanwhile may stay. Send no body; if a signature is needed, sign the empty text.
   */
  eraseUser: {
    input: {
      /** The user's id in your own system, percent-encoded. Write the id `batch` as %62atch */
      userId: string;
    };
    answer: ErasureResponse;
  };
  /**
   * List a tenant's broadcasts, the newest first
   */
  listBroadcasts: {
    input: {
      /** Maximum number of broadcasts */
      limit?: number;
      /** `next` of the page before */
      after?: string;
    };
    answer: BroadcastsResponse;
  };
  /**
   * List a user's devices, and the key with which a browser subscribes
   */
  listDevices: {
    input: {
      /** the user's id in your own system */
      userId: string;
    };
    answer: DevicesResponse;
  };
  /**
   * List the tabs of an inbox
   * Returns the categories of the items in one user's inbox, each with its unread count, and whether any item is archived or snoozed. An item whose event type has no category is in none of them.
   */
  listInboxTabs: {
    input: {
      /** The id of the API key's tenant; any other is answered 403 */
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
      /** Maximum number to return */
      limit?: number;
      /** Only user ids that begin with this text */
      search?: string;
      /** 1 to 64 of A-Z, a-z, 0-9, _ . : and -; upper and lower case differ */
      key: string;
    };
    answer: MembersResponse;
  };
  /**
   * Fetch the notification history
   * Returns one user's inbox: the in-app notifications (PUSH) in the order in which their events were accepted, newest first. A snoozed one is ordered by the time at which it returns.
   */
  listNotifications: {
    input: {
      /** Maximum number of items */
      limit?: number;
      /** Number of newer items to leave out */
      offset?: number;
      /** Default: inbox, which has all items that are neither archived nor snoozed. Deleted items are in no view */
      view?: "inbox" | "archived" | "snoozed" | "all";
      /** 1 to 64 of a-z, 0-9, _ . and - */
      category?: string;
      /** The id of the API key's tenant; any other is answered 403 */
      tenantId: string;
      /** The user's id in your own system, percent-encoded */
      userId: string;
    };
    answer: HistoryResponse;
  };
  /**
   * A tenant's scheduled events, the next one first
   * The answer never contains the variables of an event.
   */
  listScheduledEvents: {
    input: {
      /** Maximum number of events */
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
      /** Maximum number to return */
      limit?: number;
    };
    answer: TopicsResponse;
  };
  /**
   * List attempts
   * Returns all calls of an endpoint with their answers.
   */
  listWebhookAttempts: {
    input: {
      /** Only messages in this state */
      status?: "queued" | "sending" | "waiting" | "accepted" | "failed" | "skipped";
      /** Maximum number to return */
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
   * Returns an endpoint's messages, including those that have not been tried. They are kept as long as your events.
   */
  listWebhookMessages: {
    input: {
      /** Only messages in this state */
      status?: "queued" | "sending" | "waiting" | "accepted" | "failed" | "skipped";
      /** Maximum number to return */
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
      /** The id of the API key's tenant; any other is answered 403 */
      tenantId: string;
      /** The user's id in your own system, percent-encoded */
      userId: string;
    };
    answer: MarkAllReadResponse;
  };
  /**
   * Mark a notification as read
   * Takes no body. Marking an item that is already read changes nothing and is answered 200.
   */
  markNotificationRead: {
    input: {
      /** The id of the API key's tenant; any other is answered 403 */
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
   * Pause a broadcast: nothing more is sent until it is resumed
   * Messages that are on their way to a provider at that moment, about one second's worth, are still delivered. Send no body; if a signature is needed, sign the empty text.
   */
  pauseBroadcast: {
    input: {
      /** of the broadcast */
      broadcastId: string;
    };
    answer: BroadcastResponse;
  };
  /**
   * Register a user's device, or register it again
   * A token that another user of the tenant registered moves to this user. A user has at most 20 devices: beyond them, the one that was not registered again for longest is deleted, browsers that registered themselves before any other. Register a device again at each start of the app.
   */
  putDevice: {
    input: {
      /** the user's id in your own system */
      userId: string;
      /** The device's id, chosen by the caller and unique among the user's devices */
      deviceId: string;
    } & DeviceRequest;
    answer: DeviceResponse;
  };
  /**
   * Replace a user's entry; fields that are not given are deleted
   * It applies to every event that is dispatched from then on.
   */
  putUser: {
    input: {
      /** The user's id in your own system, percent-encoded. Write the id `batch` as %62atch */
      userId: string;
    } & UserRequest;
    answer: UserResponse;
  };
  /**
   * Store many users
   * The valid users are stored together, even if others are invalid. There is a result for each.
   */
  putUsers: {
    input: UsersBatchRequest;
    answer: UsersBatchResponse;
  };
  /**
   * Create an endpoint
   * Creates an endpoint, or changes the one with this URL. If the endpoint is new, the answer has its secret, only this once; rotate the secret if the answer is lost. A tenant has at most 20 endpoints. The change applies to all results after the answer.
   */
  putWebhook: {
    input: WebhookRequest;
    answer: WebhookPutResponse;
  };
  /**
   * Send a window again
   * Sends all messages of a time range that did not arrive, the oldest first, each with its webhook-id. It leaves out messages that are being sent, and sends at most 10,000 per call. A paused endpoint is called at once. Events from a time when the endpoint was not active have no messages, so they cannot be sent.
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
   * Sends the message again with the same webhook-id, whatever its result was. A paused endpoint is called at once. The answer is 409 while a message with this webhook-id is being sent. Send no body; if a signature is needed, sign the empty text.
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
   * If the reason for the pause still holds, such as a missing provider, the broadcast pauses again. Send no body; if a signature is needed, sign the empty text.
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
   * The answer shows a new secret, only once. For 24 hours messages have two signatures: the new secret's and the previous one's. If you rotate twice within 10 minutes, the secret from before both rotations signs instead of the one in between. Send no body; if a signature is needed, sign the empty text.
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
   * Belfry keeps the erasure as long as events. It does not contain the user's id.
   */
  showErasure: {
    input: {
      /** The id in the answer to the request */
      erasureId: string;
    };
    answer: ErasureResponse;
  };
  /**
   * Show an event
   * Shows an event and its result on each channel, but neither its variables nor the rendered texts.
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
      /** The user's id in your own system, percent-encoded. Write the id `batch` as %62atch */
      userId: string;
    };
    answer: UserResponse;
  };
  /**
   * Show an endpoint
   * Shows the endpoint's settings, and whether it can be reached.
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
   * Returns the posted body and all attempts.
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
   * Sends a message of type webhook.test, whichever types the endpoint gets. A paused endpoint is called at once. Send no body; if a signature is needed, sign the empty text.
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
   * Accepts an event for dispatch over EMAIL, SMS, PUSH, DEVICE and CHAT. 200 means that the event is stored and will be dispatched, at once or at its time. Belfry checks the key, the signature, the body and the limits, in this order. Without X-Idempotency-Key, an event of the same type with the same payload within 24 hours is a replay of the first, even with other variables.
   */
  triggerEvent: {
    input: TriggerRequest;
    answer: TriggerResponse;
  };
  /**
   * Trigger many events
   * Accepts up to 100 events in one call. Each event is checked and answered like a single call of `trigger`. Each counts towards both limits: events beyond a limit are refused, and the others are accepted. The answer is 200 if the batch itself could be read, so check the `statusCode` of each result. The events of one user are delivered in the order of the batch.
   */
  triggerEvents: {
    input: TriggerBatchRequest;
    answer: TriggerBatchResponse;
  };
  /**
   * Upload an attachment
   * Stores a file of up to 10 MiB for the mails of events that name it in `email.attachments`. The body is the file itself, not a form. A file that no event names within 24 hours is deleted; other files are deleted with the last event that names them. Each upload counts towards the limit per minute. The whole request may take 15 seconds.
   */
  uploadAttachment: {
    input: Record<string, never>;
    answer: AttachmentResponse;
  };
}

/** The method and path of a call. Input fields that are neither in the path nor in the query are its JSON body. */
export interface TenantRoute {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path below /api/v1, with fields in braces. */
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
  deleteDevice: { method: "DELETE", path: "/users/{userId}/devices/{deviceId}", isSigned: true },
  deleteNotification: {
    method: "DELETE",
    path: "/notifications/{tenantId}/{userId}/{notificationId}",
  },
  deleteTopic: { method: "DELETE", path: "/topics/{key}", isSigned: true },
  deleteWebhook: { method: "DELETE", path: "/webhooks/{webhookId}", isSigned: true },
  eraseUser: { method: "DELETE", path: "/users/{userId}", isSigned: true },
  listBroadcasts: { method: "GET", path: "/broadcasts", query: ["limit", "after"] },
  listDevices: { method: "GET", path: "/users/{userId}/devices" },
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
  putDevice: {
    method: "PUT",
    path: "/users/{userId}/devices/{deviceId}",
    hasBody: true,
    isSigned: true,
  },
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
