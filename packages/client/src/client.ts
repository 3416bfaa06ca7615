import { randomUUID } from "node:crypto";
import type {
  Attachment,
  AttachmentInput,
  BatchEvent,
  BatchResult,
  CancelInput,
  Cancelled,
  Erasure,
  EventReport,
  HistoryPage,
  InboxPart,
  InboxTabs,
  MemberPage,
  Notification,
  NotificationChange,
  PreferenceChange,
  Preferences,
  RealtimeToken,
  ScheduledPage,
  TopicPage,
  Triggered,
  TriggerInput,
  User,
  UserInput,
  UserResult,
} from "./api.ts";
import { type BroadcastCalls, broadcastCalls } from "./broadcasts.ts";
import { type CallOptions, createCaller, sign, type Transport } from "./call.ts";
import { createTenantCaller, withoutSuccess } from "./tenant-caller.ts";
import { type WebhookCalls, webhookCalls } from "./webhooks.ts";

export type * from "./api.ts";
export type * from "./broadcasts.ts";
export type { CallOptions, Transport } from "./call.ts";
export { BelfryError, BelfryNetworkError, sign } from "./call.ts";
export * from "./management.ts";
export type * as Management from "./management-api.ts";
export type * from "./webhooks.ts";

/** In ms. Longer than Belfry allows for an upload. */
const UPLOAD_TIMEOUT_MS = 20_000;

export interface ClientOptions extends Partial<Transport> {
  /** Belfry's address, such as `https://notify.example.com`. */
  baseUrl: string;
  /** Your API key. Keep it secret, in your backend. */
  apiKey: string;
  /**
   * The webhook secret, if your tenant has one. The client then signs every trigger, broadcast and cancel, and every
   * change of a user, a topic or an endpoint.
   */
  webhookSecret?: string | undefined;
  /** Your tenant's id. Only the calls about notifications need it. */
  tenantId?: string | undefined;
}

export interface TriggerOptions extends CallOptions {
  /**
   * Calls with equal keys within 24 hours create one event. If absent, the client generates one, so that every call
   * creates its own event and a retry never delivers twice.
   */
  idempotencyKey?: string;
  traceId?: string;
}

export interface Client {
  /** Sends an event. Resolves when Belfry has stored the event and will dispatch it. */
  trigger(input: TriggerInput, options?: TriggerOptions): Promise<Triggered>;
  /**
   * Sends up to 100 events in one call. Resolves with a result for each, in the same order. Check every `statusCode`,
   * because some events may be invalid or over a limit. The client retries only the whole call.
   */
  triggerBatch(
    events: readonly BatchEvent[],
    options?: Omit<TriggerOptions, "idempotencyKey">,
  ): Promise<BatchResult[]>;
  /**
   * Stores a file. Events can name its id in `email.attachments` within 24 hours. A retry may store the file twice; the
   * second one is deleted after that time.
   */
  uploadAttachment(file: AttachmentInput, options?: CallOptions): Promise<Attachment>;
  /** Returns a connection token for one user's browser, valid for 2 hours. */
  realtimeToken(userId: string, options?: CallOptions): Promise<RealtimeToken>;
  /** Returns a user's inbox, newest first: at most `limit` (50), without the first `offset`. */
  history(userId: string, page?: HistoryPage & CallOptions): Promise<Notification[]>;
  /** Marks one notification as read. A repetition changes nothing. */
  markRead(userId: string, notificationId: string, options?: CallOptions): Promise<void>;
  /** Marks the whole inbox as read. Returns how many notifications were unread. */
  markAllRead(userId: string, part?: InboxPart & CallOptions): Promise<number>;
  /** Archives everything in the inbox. Returns the number of archived notifications. */
  archiveAll(userId: string, part?: InboxPart & CallOptions): Promise<number>;
  unreadCount(userId: string, options?: CallOptions): Promise<number>;
  /**
   * Returns the categories in the inbox with their unread counts, and whether archived or snoozed notifications exist.
   */
  inboxTabs(userId: string, options?: CallOptions): Promise<InboxTabs>;
  /** Archives or snoozes a notification, or marks it as unread. A repetition changes nothing. */
  changeNotification(
    userId: string,
    notificationId: string,
    change: NotificationChange,
    options?: CallOptions,
  ): Promise<void>;
  /** Erases the notification's texts and removes it from every list. */
  deleteNotification(userId: string, notificationId: string, options?: CallOptions): Promise<void>;
  /** Returns the report of an event by the id that `trigger` returned. */
  event(id: string, options?: CallOptions): Promise<EventReport>;
  /** Stops deliveries of these events that have not been sent. Returns for each event what was stopped. */
  cancel(input: CancelInput, options?: CallOptions): Promise<Cancelled>;
  /**
   * Returns events that wait for their time, the soonest first, at most `limit` (50). `after` is the `next` of the page
   * before.
   */
  scheduled(page?: { limit?: number; after?: string } & CallOptions): Promise<ScheduledPage>;
  /**
   * Moves a scheduled event to another time (ISO 8601 with an offset; past: now). Rejects with a 409 if the event is no
   * longer scheduled.
   */
  moveEvent(id: string, sendAt: string, options?: CallOptions): Promise<{ sendAt: string }>;
  /** Replaces what Belfry stores about a user. */
  putUser(userId: string, user: UserInput, options?: CallOptions): Promise<User>;
  /**
   * Replaces what Belfry stores about up to 1,000 users. The result of an invalid one has its faults; the others are
   * stored.
   */
  putUsers(
    users: readonly (UserInput & { userId: string })[],
    options?: CallOptions,
  ): Promise<UserResult[]>;
  /** Returns the stored user; rejects with a 404 if there is none. */
  user(userId: string, options?: CallOptions): Promise<User>;
  /** Returns the user's preferences and the tenant's categories. */
  preferences(userId: string, options?: CallOptions): Promise<Preferences>;
  /** Changes these preferences, all or none, and no others. */
  changePreferences(
    userId: string,
    changes: readonly PreferenceChange[],
    options?: CallOptions,
  ): Promise<Preferences>;
  /** Starts the erasure of a user in the background. `erasure` returns its progress. */
  eraseUser(userId: string, options?: CallOptions): Promise<Erasure>;
  erasure(id: string, options?: CallOptions): Promise<Erasure>;
  /** Returns your topics by their keys, at most `limit` (100). `after` is the `next` of the page before. */
  topics(page?: { limit?: number; after?: string } & CallOptions): Promise<TopicPage>;
  /** Returns the users of a topic in the byte order of their ids. `search` returns only ids with this beginning. */
  members(
    topic: string,
    page?: { limit?: number; after?: string; search?: string } & CallOptions,
  ): Promise<MemberPage>;
  /**
   * Adds users to a topic and removes others, at most 1,000 in all. A repetition changes nothing. Creates the topic
   * when the first user is added. Returns the number of users in the topic.
   */
  changeMembers(
    topic: string,
    change: { add?: readonly string[]; remove?: readonly string[] },
    options?: CallOptions,
  ): Promise<number>;
  /** Deletes a topic, but not its users. */
  deleteTopic(topic: string, options?: CallOptions): Promise<void>;
  /** Calls that send one event to many users: to the members of topics, or to a list. */
  readonly broadcasts: BroadcastCalls;
  /** Calls for your endpoints that receive the results of your events. */
  readonly webhooks: WebhookCalls;
}

/**
 * Creates a client for one tenant. Every call retries temporary failures, at most 3 times: a 429 after `retryAfter`
 * seconds, a 5xx or a network fault after increasing pauses. Calls reject with `BelfryError` (an answer without
 * success), `BelfryNetworkError` (no answer) or the reason of your own `signal`.
 */
export function createClient(options: ClientOptions): Client {
  const { webhookSecret, tenantId } = options;
  const send = createCaller(options);
  const caller = createTenantCaller(send, webhookSecret);
  const { call, answer } = caller;
  const inboxOf = (userId: string) => {
    if (tenantId === undefined) throw new TypeError("calls about notifications need the tenantId");
    return { tenantId, userId };
  };
  return {
    broadcasts: broadcastCalls(caller),
    webhooks: webhookCalls(caller),
    async trigger(input, { idempotencyKey = randomUUID(), traceId, ...rest } = {}) {
      const headers = { "x-idempotency-key": idempotencyKey, ...traced(traceId) };
      const accepted = await call("triggerEvent", input, rest, headers);
      const { message, warnings } = accepted.body;
      return {
        id: accepted.headers.get("x-event-id") ?? "",
        message,
        replayed: accepted.headers.get("idempotency-replayed") === "true",
        traceId: accepted.headers.get("x-trace-id") ?? "",
        ...(warnings && { warnings }),
      };
    },
    async triggerBatch(events, { traceId, ...rest } = {}) {
      const keyed = events.map((event) => ({ idempotencyKey: randomUUID(), ...event }));
      const { body } = await call("triggerEvents", { events: keyed }, rest, traced(traceId));
      return body.results as BatchResult[];
    },
    async uploadAttachment({ name, type, data }, rest = {}) {
      const headers: Record<string, string> = {
        "content-type": type,
        "x-file-name": encodeURIComponent(name),
      };
      if (webhookSecret !== undefined) headers["x-service-signature"] = sign(webhookSecret, data);
      const request = { ...rest, headers, body: data, timeoutMs: UPLOAD_TIMEOUT_MS };
      return (await send<{ data: Attachment }>("POST", "/api/v1/attachments", request)).body.data;
    },
    realtimeToken: (userId, rest) => answer("createRealtimeToken", { userId }, rest),
    async history(userId, { limit, offset, view, category, ...rest } = {}) {
      const page = { ...inboxOf(userId), limit, offset, view, category };
      return (await answer("listNotifications", page, rest)).data;
    },
    async markRead(userId, notificationId, rest) {
      await answer("markNotificationRead", { ...inboxOf(userId), notificationId }, rest);
    },
    async markAllRead(userId, { category, ...rest } = {}) {
      const part = { ...inboxOf(userId), category };
      return (await answer("markAllNotificationsRead", part, rest)).data.marked;
    },
    async archiveAll(userId, { category, ...rest } = {}) {
      const part = { ...inboxOf(userId), category };
      return (await answer("archiveAllNotifications", part, rest)).data.archived;
    },
    unreadCount: async (userId, rest) =>
      (await answer("countUnread", inboxOf(userId), rest)).data.unread,
    inboxTabs: async (userId, rest) => (await answer("listInboxTabs", inboxOf(userId), rest)).data,
    async changeNotification(userId, notificationId, change, rest) {
      const input = { ...change, ...inboxOf(userId), notificationId };
      await answer("changeNotification", input, rest);
    },
    async deleteNotification(userId, notificationId, rest) {
      await answer("deleteNotification", { ...inboxOf(userId), notificationId }, rest);
    },
    event: (eventId, rest) => answer("showEvent", { eventId }, rest),
    cancel: async (input, rest) => withoutSuccess(await answer("cancelEvents", input, rest)),
    async scheduled({ limit, after, ...rest } = {}) {
      const { data, next } = await answer("listScheduledEvents", { limit, after }, rest);
      return { events: data, next };
    },
    moveEvent: async (eventId, sendAt, rest) =>
      withoutSuccess(await answer("moveEvent", { eventId, sendAt }, rest)),
    putUser: async (userId, user, rest) =>
      (await answer("putUser", { ...user, userId }, rest)).data,
    putUsers: async (users, rest) => (await answer("putUsers", { users }, rest)).results,
    user: async (userId, rest) => (await answer("showUser", { userId }, rest)).data,
    preferences: async (userId, rest) => (await answer("showPreferences", { userId }, rest)).data,
    changePreferences: async (userId, changes, rest) =>
      (await answer("changePreferences", { userId, preferences: changes }, rest)).data,
    eraseUser: async (userId, rest) => (await answer("eraseUser", { userId }, rest)).data,
    erasure: async (erasureId, rest) => (await answer("showErasure", { erasureId }, rest)).data,
    async topics({ limit, after, ...rest } = {}) {
      const { data, next } = await answer("listTopics", { limit, after }, rest);
      return { topics: data, next };
    },
    async members(key, { limit, after, search, ...rest } = {}) {
      const { data, next } = await answer("listMembers", { key, limit, after, search }, rest);
      return { userIds: data, next };
    },
    changeMembers: async (key, change, rest) =>
      (await answer("changeMembers", { ...change, key }, rest)).members,
    async deleteTopic(key, rest) {
      await answer("deleteTopic", { key }, rest);
    },
  };
}

function traced(traceId: string | undefined): Record<string, string> {
  return traceId === undefined ? {} : { "x-trace-id": traceId };
}
