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
  /** https, at a public host. */
  url: string;
  /** Empty: everything. */
  types?: WebhookType[];
  description?: string | null;
  /** false if no messages are sent to it. */
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
  /** null beside a disabledAt: a person has. */
  disabledReason: string | null;
  /** Nothing has reached it since. */
  failingSince: string | null;
  pausedUntil: string | null;
  createdAt: string;
  updatedAt: string;
}

export interface NewSigningSecret {
  /** `whsec_…`, by which messages are verified; shown this once. */
  secret: string;
  /** Until then the one before signs, too. */
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
  /** HTTP status; null: no answer. */
  status: number | null;
  outcome: "arrived" | "failed" | "unknown" | "under way";
  reason: string | null;
  /** The first KiB of the answer. */
  answer: string | null;
  nextAt: string | null;
  messageStatus: WebhookMessageStatus;
}

export interface WebhookPageInput {
  status?: WebhookMessageStatus;
  /** Most of them, 1 to 500; default 50. */
  limit?: number;
  /** The `next` of the page before. */
  after?: string;
}

export interface WebhookPage<Item> {
  items: Item[];
  /** For `after`; undefined: there is no more. */
  next: string | undefined;
}

export interface ReplayInput {
  /** ISO 8601 with an offset: messages of then or later. */
  since: string;
  until?: string;
  /** Also those that have arrived. */
  all?: boolean;
  after?: string;
}

export interface Replayed {
  replayed: number;
  /** There may be others: again, with `next` as `after`. */
  more: boolean;
  next?: string;
}

/** Endpoints that are told what became of your events, and what they were told. */
export interface WebhookCalls {
  list(options?: CallOptions): Promise<Webhook[]>;
  /** Makes an endpoint, or changes the one with this URL; the secret is there where it was made, this once. */
  put(input: WebhookInput, options?: CallOptions): Promise<Webhook & { secret?: string }>;
  show(webhookId: string, options?: CallOptions): Promise<Webhook>;
  /** Changes what is given. */
  change(webhookId: string, change: Partial<WebhookInput>, options?: CallOptions): Promise<Webhook>;
  /** With its messages. */
  delete(webhookId: string, options?: CallOptions): Promise<void>;
  /** The one before signs for 24 hours more; a retry takes nothing away from it. */
  rotateSecret(webhookId: string, options?: CallOptions): Promise<NewSigningSecret>;
  /** Calls of the newest message first. */
  attempts(
    webhookId: string,
    page?: WebhookPageInput & CallOptions,
  ): Promise<WebhookPage<WebhookAttempt>>;
  /** The newest first. */
  messages(
    webhookId: string,
    page?: WebhookPageInput & CallOptions,
  ): Promise<WebhookPage<WebhookMessage>>;
  /** With the JSON that is posted, and every attempt. */
  message(
    webhookId: string,
    messageId: string,
    options?: CallOptions,
  ): Promise<WebhookMessage & { payload: string; attempts: WebhookAttempt[] }>;
  /** Sends a message again, whatever became of it; 409 while it is under way. Returns the copy's id. */
  resend(webhookId: string, messageId: string, options?: CallOptions): Promise<string>;
  /** Sends again what did not arrive of a window, at most 10,000 a call. */
  replay(webhookId: string, window: ReplayInput, options?: CallOptions): Promise<Replayed>;
  /** Sends a message of type webhook.test; returns its id, for `message`. */
  test(webhookId: string, options?: CallOptions): Promise<string>;
}

const PATH = "/api/v1/webhooks";

/** How the client calls: `read` gets an answer whole, `changed` signs what it sends. */
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
