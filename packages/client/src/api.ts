import type * as Tenant from "./tenant-api.ts";

/** The names by which the client exports the requests and answers of Belfry's API. */

export type {
  Broadcast,
  ChannelReport,
  EventReport,
  InboxTabs,
  Notification,
  ScheduledEvent,
  Topic,
  Webhook,
  WebhookAttempt,
  WebhookMessage,
} from "./tenant-api.ts";

/** An answer as the client returns it. Calls without success reject instead. */
type Done<Answer extends { success: boolean }> = Omit<Answer, "success">;
/** The query of a list call. */
type Query<Name extends keyof Tenant.TenantCalls, Path extends string> = Omit<
  Tenant.TenantCalls[Name]["input"],
  Path
>;

export type TriggerInput = Tenant.TriggerRequest;
export type Channel = NonNullable<TriggerInput["channels"]>[number];
export type EmailInput = NonNullable<TriggerInput["email"]>;
export type BatchEvent = Tenant.TriggerBatchRequest["events"][number];
export type RealtimeToken = Tenant.RealtimeTokenResponse;
/** An uploaded file that events can name by its id. */
export type Attachment = Tenant.AttachmentResponse["data"];
export type Cancelled = Done<Tenant.CancelResponse>;
export type UserInput = Tenant.UserRequest;
export type QuietHours = NonNullable<UserInput["quietHours"]>;
export type User = Tenant.UserResponse["data"];
/** The result for one user of a batch. */
export type UserResult = Tenant.UsersBatchResponse["results"][number];
export type PreferenceChange = Tenant.ChangePreferencesRequest["preferences"][number];
export type Preferences = Tenant.PreferencesResponse["data"];
export type Erasure = Tenant.ErasureResponse["data"];
export type HistoryPage = Query<"listNotifications", "tenantId" | "userId">;
/** Part of an inbox: the event types of one category, or everything if no category is given. */
export type InboxPart = Query<"archiveAllNotifications", "tenantId" | "userId">;
/** Set either `topics` or `userIds`. */
export type BroadcastInput = Tenant.BroadcastRequest;
export type BroadcastState = Tenant.Broadcast["state"];
export type WebhookInput = Tenant.WebhookRequest;
export type WebhookType = Tenant.Webhook["types"][number];
export type WebhookMessageStatus = Tenant.WebhookMessage["status"];
export type WebhookPageInput = Query<"listWebhookMessages", "webhookId">;
export type NewSigningSecret = Done<Tenant.WebhookSecretResponse>;
export type ReplayInput = Tenant.WebhookReplayRequest;
export type Replayed = Done<Tenant.WebhookReplayResponse>;

/**
 * Set either `cancelKeys` or `eventIds`, each with at most 100 items. `userIds` restricts the call to events of these
 * users.
 */
export type CancelInput = { [Field in keyof Tenant.CancelRequest]: readonly string[] };

export interface AttachmentInput {
  /** The file name that the recipient sees, without a path. */
  name: string;
  /** Media type, such as `application/pdf` or `text/calendar; method=REQUEST`. */
  type: string;
  /** At most 10 MiB. */
  data: Uint8Array;
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

interface Page {
  /** The value of `after` for the next page; undefined if this is the last one. */
  next: string | undefined;
}
export interface TopicPage extends Page {
  topics: Tenant.Topic[];
}
export interface MemberPage extends Page {
  userIds: string[];
}
export interface ScheduledPage extends Page {
  events: Tenant.ScheduledEvent[];
}
export interface BroadcastPage extends Page {
  broadcasts: Tenant.Broadcast[];
}
export interface WebhookPage<Item> extends Page {
  items: Item[];
}
