import { type CallOptions, queryOf, segment } from "./call.ts";

/** The types of webhook messages. */
export type WebhookType =
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
  | "broadcast.done";

export interface WebhookInput {
  /** An https address with a public host. */
  url: string;
  /** Empty: all types. */
  types?: WebhookType[];
  description?: string | null;
  /** If false, the endpoint gets no messages. */
  active?: boolean;
}

/** An endpoint of yours that gets webhooks about events. Times are ISO 8601, UTC. */
export interface Webhook {
  id: string;
  url: string;
  types: WebhookType[];
  description: string | null;
  active: boolean;
  disabledAt: string | null;
  /** Why Belfry has disabled the endpoint. null although `disabledAt` is set: a person has disabled it. */
  disabledReason: string | null;
  /** Since when every call has failed; null if the last one succeeded. */
  failingSince: string | null;
  pausedUntil: string | null;
  createdAt: string;
  updatedAt: string;
}

export interface NewSigningSecret {
  /** The secret that verifies messages, `whsec_…`. It is shown only once. */
  secret: string;
  /** Until then, the previous secret also signs messages. */
  previousSecretUntil: string;
}

export type WebhookMessageStatus =
  | "queued"
  | "sending"
  | "waiting"
  | "accepted"
  | "failed"
  | "skipped";

export interface WebhookMessage {
  id: string;
  /** The value of the header webhook-id. A message that was sent again has the id of the first one. */
  headerId: string;
  type: WebhookType | "webhook.test";
  eventId: string | null;
  status: WebhookMessageStatus;
  reason: string | null;
  createdAt: string;
  nextAt: string | null;
}

/** One call of an endpoint. */
export interface WebhookAttempt {
  messageId: string;
  headerId: string;
  type: WebhookType | "webhook.test";
  eventId: string | null;
  /** Counts from 1. */
  number: number;
  at: string;
  durationMs: number | null;
  /** HTTP status; null if no answer arrived. */
  status: number | null;
  outcome: "arrived" | "failed" | "unknown" | "under way";
  reason: string | null;
  /** The first KiB of the endpoint's answer. */
  answer: string | null;
  nextAt: string | null;
  messageStatus: WebhookMessageStatus;
}

export interface WebhookPageInput {
  status?: WebhookMessageStatus;
  /** The maximum of items, 1 to 500. Default: 50. */
  limit?: number;
  /** The `next` of the page before. */
  after?: string;
}

export interface WebhookPage<Item> {
  items: Item[];
  /** The value of `after` for the next page; undefined if this is the last one. */
  next: string | undefined;
}

export interface ReplayInput {
  /** In ISO 8601 with an offset. Only messages of this time and later are sent. */
  since: string;
  until?: string;
  /** Also sends messages that have arrived. */
  all?: boolean;
  after?: string;
}

export interface Replayed {
  replayed: number;
  /** Whether there may be more messages. If so, repeat the call with `next` as `after`. */
  more: boolean;
  next?: string;
}

/** Calls for endpoints that receive the results of your events, and for the messages that were sent to them. */
export interface WebhookCalls {
  list(options?: CallOptions): Promise<Webhook[]>;
  /**
   * Creates an endpoint, or changes the one with this URL. The secret is returned only when the endpoint is created.
   */
  put(input: WebhookInput, options?: CallOptions): Promise<Webhook & { secret?: string }>;
  show(webhookId: string, options?: CallOptions): Promise<Webhook>;
  /** Changes the given settings. */
  change(webhookId: string, change: Partial<WebhookInput>, options?: CallOptions): Promise<Webhook>;
  /** Deletes an endpoint with its messages. */
  delete(webhookId: string, options?: CallOptions): Promise<void>;
  /** Replaces the secret. The previous one also signs for 24 hours, even if this call is retried. */
  rotateSecret(webhookId: string, options?: CallOptions): Promise<NewSigningSecret>;
  /** Returns attempts: those of the newest message first. */
  attempts(
    webhookId: string,
    page?: WebhookPageInput & CallOptions,
  ): Promise<WebhookPage<WebhookAttempt>>;
  /** Returns messages, the newest first. */
  messages(
    webhookId: string,
    page?: WebhookPageInput & CallOptions,
  ): Promise<WebhookPage<WebhookMessage>>;
  /** Returns a message with the posted JSON and every attempt. */
  message(
    webhookId: string,
    messageId: string,
    options?: CallOptions,
  ): Promise<WebhookMessage & { payload: string; attempts: WebhookAttempt[] }>;
  /**
   * Sends a message again, even if it has arrived. Rejects with a 409 if its delivery has not ended. Returns the copy's
   * id.
   */
  resend(webhookId: string, messageId: string, options?: CallOptions): Promise<string>;
  /** Sends the messages of a time window again that did not arrive, at most 10,000 in one call. */
  replay(webhookId: string, window: ReplayInput, options?: CallOptions): Promise<Replayed>;
  /** Sends a message of type webhook.test. Returns its id for `message`. */
  test(webhookId: string, options?: CallOptions): Promise<string>;
}

const PATH = "/api/v1/webhooks";

/** The client's functions for calls: `read` returns the whole answer, `changed` signs the request. */
interface Calls {
  read<Answer>(path: string, rest: CallOptions): Promise<Answer>;
  changed<Answer>(method: string, path: string, value: unknown, rest: CallOptions): Promise<Answer>;
}

export function webhookCalls({ read, changed }: Calls): WebhookCalls {
  const of = (webhookId: string, rest = "") => `${PATH}/${segment(webhookId)}${rest}`;
  const ofMessage = (webhookId: string, messageId: string, rest = "") =>
    of(webhookId, `/messages/${segment(messageId)}${rest}`);
  const page = async <Item>(path: string, input: WebhookPageInput & CallOptions) => {
    const { status, limit, after, ...rest } = input;
    type Answer = { data: Item[]; next?: string };
    const { data, next } = await read<Answer>(path + queryOf({ status, limit, after }), rest);
    return { items: data, next };
  };
  const posted = <Answer>(path: string, rest: CallOptions) =>
    changed<Answer>("POST", path, undefined, rest);
  return {
    async list(rest = {}) {
      return (await read<{ data: Webhook[] }>(PATH, rest)).data;
    },
    async put(input, rest = {}) {
      type Answer = { data: Webhook; secret?: string };
      const { data, secret } = await changed<Answer>("POST", PATH, input, rest);
      return secret === undefined ? data : { ...data, secret };
    },
    async show(webhookId, rest = {}) {
      return (await read<{ data: Webhook }>(of(webhookId), rest)).data;
    },
    async change(webhookId, change, rest = {}) {
      return (await changed<{ data: Webhook }>("PATCH", of(webhookId), change, rest)).data;
    },
    async delete(webhookId, rest = {}) {
      await changed("DELETE", of(webhookId), undefined, rest);
    },
    async rotateSecret(webhookId, rest = {}) {
      const path = of(webhookId, "/rotate-secret");
      const { secret, previousSecretUntil } = await posted<NewSigningSecret>(path, rest);
      return { secret, previousSecretUntil };
    },
    attempts: (webhookId, input = {}) => page(of(webhookId, "/attempts"), input),
    messages: (webhookId, input = {}) => page(of(webhookId, "/messages"), input),
    async message(webhookId, messageId, rest = {}) {
      type Answer = { data: WebhookMessage; payload: string; attempts: WebhookAttempt[] };
      const path = ofMessage(webhookId, messageId);
      const { data, payload, attempts } = await read<Answer>(path, rest);
      return { ...data, payload, attempts };
    },
    async resend(webhookId, messageId, rest = {}) {
      const path = ofMessage(webhookId, messageId, "/resend");
      return (await posted<{ messageId: string }>(path, rest)).messageId;
    },
    async replay(webhookId, window, rest = {}) {
      const path = of(webhookId, "/replay");
      type Answer = Replayed & { success: boolean };
      const { success: _, ...replayed } = await changed<Answer>("POST", path, window, rest);
      return replayed;
    },
    async test(webhookId, rest = {}) {
      return (await posted<{ messageId: string }>(of(webhookId, "/test"), rest)).messageId;
    },
  };
}
