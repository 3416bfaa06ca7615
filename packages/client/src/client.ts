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
import { type CallOptions, createCaller, queryOf, segment, sign, type Transport } from "./call.ts";
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
  const call = createCaller(options);
  const pathOfUser = (userId: string) => {
    if (tenantId === undefined) throw new TypeError("calls about notifications need the tenantId");
    return `/api/v1/notifications/${segment(tenantId)}/${segment(userId)}`;
  };
  /** Returns the signature header of a body. All tries send the same text, because the signature covers its bytes. */
  const signed = (text: string): Record<string, string> =>
    webhookSecret === undefined ? {} : { "x-service-signature": sign(webhookSecret, text) };
  const changed = async <Data>(
    method: string,
    path: string,
    value: unknown,
    rest: CallOptions,
    more: Record<string, string> = {},
  ) => {
    const body = value === undefined ? undefined : JSON.stringify(value);
    const headers = { ...signed(body ?? ""), ...more };
    const request = body === undefined ? { ...rest, headers } : { ...rest, headers, body };
    return (await call<Data>(method, path, request)).body;
  };
  const read = async <Answer>(path: string, rest: CallOptions) =>
    (await call<Answer>("GET", path, rest)).body;
  const readData = async <Data>(path: string, rest: CallOptions) =>
    (await read<{ data: Data }>(path, rest)).data;
  return {
    broadcasts: broadcastCalls({ changed, read }),
    webhooks: webhookCalls({ changed, read }),
    async trigger(input, { idempotencyKey = randomUUID(), traceId, ...rest } = {}) {
      const body = JSON.stringify(input);
      const headers: Record<string, string> = {
        ...signed(body),
        "x-idempotency-key": idempotencyKey,
      };
      if (traceId !== undefined) headers["x-trace-id"] = traceId;
      type Answer = { message: string; warnings?: string[] };
      const answer = await call<Answer>("POST", "/api/v1/events/trigger", {
        ...rest,
        headers,
        body,
      });
      return {
        id: answer.headers.get("x-event-id") ?? "",
        message: answer.body.message,
        replayed: answer.headers.get("idempotency-replayed") === "true",
        traceId: answer.headers.get("x-trace-id") ?? "",
        ...(answer.body.warnings && { warnings: answer.body.warnings }),
      };
    },
    async triggerBatch(events, { traceId, ...rest } = {}) {
      const keyed = events.map((event) => ({ idempotencyKey: randomUUID(), ...event }));
      const body = JSON.stringify({ events: keyed });
      const headers = { ...signed(body), ...(traceId !== undefined && { "x-trace-id": traceId }) };
      const path = "/api/v1/events/trigger-batch";
      type Answer = { results: BatchResult[] };
      return (await call<Answer>("POST", path, { ...rest, headers, body })).body.results;
    },
    async uploadAttachment({ name, type, data }, rest = {}) {
      const headers: Record<string, string> = {
        "content-type": type,
        "x-file-name": encodeURIComponent(name),
      };
      if (webhookSecret !== undefined) headers["x-service-signature"] = sign(webhookSecret, data);
      const request = { ...rest, headers, body: data, timeoutMs: UPLOAD_TIMEOUT_MS };
      return (await call<{ data: Attachment }>("POST", "/api/v1/attachments", request)).body.data;
    },
    async realtimeToken(userId, rest = {}) {
      const body = JSON.stringify({ userId });
      return (await call<RealtimeToken>("POST", "/api/v1/auth/realtime-token", { ...rest, body }))
        .body;
    },
    async history(userId, { limit, offset, view, category, ...rest } = {}) {
      const query = queryOf({ limit, offset, view, category });
      return await readData<Notification[]>(pathOfUser(userId) + query, rest);
    },
    async markRead(userId, notificationId, rest = {}) {
      await call("PUT", `${pathOfUser(userId)}/${segment(notificationId)}/read`, rest);
    },
    async markAllRead(userId, { category, ...rest } = {}) {
      const path = `${pathOfUser(userId)}/read${queryOf({ category })}`;
      return (await call<{ data: { marked: number } }>("PUT", path, rest)).body.data.marked;
    },
    async archiveAll(userId, { category, ...rest } = {}) {
      const path = `${pathOfUser(userId)}/archived${queryOf({ category })}`;
      return (await call<{ data: { archived: number } }>("PUT", path, rest)).body.data.archived;
    },
    async unreadCount(userId, rest = {}) {
      const path = `${pathOfUser(userId)}/unread-count`;
      return (await readData<{ unread: number }>(path, rest)).unread;
    },
    async inboxTabs(userId, rest = {}) {
      return await readData<InboxTabs>(`${pathOfUser(userId)}/tabs`, rest);
    },
    async changeNotification(userId, notificationId, change, rest = {}) {
      const body = JSON.stringify(change);
      await call("PATCH", `${pathOfUser(userId)}/${segment(notificationId)}`, { ...rest, body });
    },
    async deleteNotification(userId, notificationId, rest = {}) {
      await call("DELETE", `${pathOfUser(userId)}/${segment(notificationId)}`, rest);
    },
    async event(id, rest = {}) {
      return await read<EventReport>(`/api/v1/events/${segment(id)}`, rest);
    },
    async cancel(input, rest = {}) {
      type Answer = Cancelled & { success: boolean };
      const path = "/api/v1/events/cancel";
      const { success: _, ...cancelled } = await changed<Answer>("POST", path, input, rest);
      return cancelled;
    },
    async scheduled({ limit, after, ...rest } = {}) {
      const path = `/api/v1/events/scheduled${queryOf({ limit, after })}`;
      type Answer = { data: ScheduledPage["events"]; next?: string };
      const { data, next } = await read<Answer>(path, rest);
      return { events: data, next };
    },
    async moveEvent(id, sendAt, rest = {}) {
      const path = `/api/v1/events/${segment(id)}`;
      const moved = await changed<{ sendAt: string }>("PATCH", path, { sendAt }, rest);
      return { sendAt: moved.sendAt };
    },
    async putUser(userId, user, rest = {}) {
      return (await changed<{ data: User }>("PUT", userPath(userId), user, rest)).data;
    },
    async putUsers(users, rest = {}) {
      type Answer = { results: UserResult[] };
      return (await changed<Answer>("POST", BATCH_PATH, { users }, rest)).results;
    },
    async user(userId, rest = {}) {
      return await readData<User>(userPath(userId), rest);
    },
    async preferences(userId, rest = {}) {
      return await readData<Preferences>(`${userPath(userId)}/preferences`, rest);
    },
    async changePreferences(userId, preferences, rest = {}) {
      type Answer = { data: Preferences };
      const path = `${userPath(userId)}/preferences`;
      return (await changed<Answer>("PATCH", path, { preferences }, rest)).data;
    },
    async eraseUser(userId, rest = {}) {
      return (await changed<{ data: Erasure }>("DELETE", userPath(userId), undefined, rest)).data;
    },
    async erasure(id, rest = {}) {
      return await readData<Erasure>(`/api/v1/erasures/${segment(id)}`, rest);
    },
    async topics({ limit, after, ...rest } = {}) {
      type Answer = { data: TopicPage["topics"]; next?: string };
      const { data, next } = await read<Answer>(TOPICS_PATH + queryOf({ limit, after }), rest);
      return { topics: data, next };
    },
    async members(topic, { limit, after, search, ...rest } = {}) {
      const path = membersPath(topic) + queryOf({ limit, after, search });
      const { data, next } = await read<{ data: string[]; next?: string }>(path, rest);
      return { userIds: data, next };
    },
    async changeMembers(topic, change, rest = {}) {
      type Answer = { members: number };
      return (await changed<Answer>("PATCH", membersPath(topic), change, rest)).members;
    },
    async deleteTopic(topic, rest = {}) {
      await changed("DELETE", `${TOPICS_PATH}/${segment(topic)}`, undefined, rest);
    },
  };
}

const BATCH_PATH = "/api/v1/users/batch";
const TOPICS_PATH = "/api/v1/topics";

function membersPath(topic: string): string {
  return `${TOPICS_PATH}/${segment(topic)}/members`;
}

function userPath(userId: string): string {
  // A user with the id "batch" must not get the path of the batch call.
  return `/api/v1/users/${userId === "batch" ? "%62atch" : segment(userId)}`;
}
