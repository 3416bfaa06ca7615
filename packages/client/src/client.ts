import { createHmac, randomUUID } from "node:crypto";
import type {
  EventReport,
  HistoryPage,
  Notification,
  RealtimeToken,
  Triggered,
  TriggerInput,
} from "./api.ts";
import { type CallOptions, createCaller, type Transport } from "./call.ts";

export interface ClientOptions extends Partial<Transport> {
  /** Where Belfry is, as `https://notify.example.com`. */
  baseUrl: string;
  /** Your API key: a secret of your backend. */
  apiKey: string;
  /** The webhook secret, if your tenant has one: then every trigger is signed. */
  webhookSecret?: string | undefined;
  /** Your tenant's id: needed for `history` and `markRead` alone. */
  tenantId?: string | undefined;
}

export interface TriggerOptions extends CallOptions {
  /**
   * Equal keys within 24 hours are one event. One is generated when you give none, so that a retry
   * never delivers twice and every call is an event of its own.
   */
  idempotencyKey?: string;
  traceId?: string;
}

export interface Client {
  /** Sends an event; resolves when Belfry has stored it and will dispatch it. */
  trigger(input: TriggerInput, options?: TriggerOptions): Promise<Triggered>;
  /** A connection token for one user's browser, valid for 2 hours. */
  realtimeToken(userId: string, options?: CallOptions): Promise<RealtimeToken>;
  /** A user's in-app notifications, newest first; at most `limit` (50), after the first `offset`. */
  history(userId: string, page?: HistoryPage & CallOptions): Promise<Notification[]>;
  /** Marks one notification as read; again changes nothing. */
  markRead(userId: string, notificationId: string, options?: CallOptions): Promise<void>;
  /** What became of an event, by the id that `trigger` gave. */
  event(id: string, options?: CallOptions): Promise<EventReport>;
}

/**
 * A client for one tenant. Every call retries what can pass: 429 after `retryAfter` seconds, 5xx and
 * network faults with growing pauses; at most 3 times. Rejects with `BelfryError` (an answer that is
 * no success), `BelfryNetworkError` (none came) or the reason of your own `signal`.
 */
export function createClient(options: ClientOptions): Client {
  const { webhookSecret, tenantId } = options;
  const call = createCaller(options);
  const pathOfUser = (userId: string) => {
    if (tenantId === undefined) throw new TypeError("history and markRead need the tenantId");
    return `/api/v1/notifications/${segment(tenantId)}/${segment(userId)}`;
  };
  return {
    async trigger(input, { idempotencyKey = randomUUID(), traceId, ...rest } = {}) {
      // Text once, for all tries: the signature is over these very bytes.
      const body = JSON.stringify(input);
      const headers: Record<string, string> = { "x-idempotency-key": idempotencyKey };
      if (traceId !== undefined) headers["x-trace-id"] = traceId;
      if (webhookSecret !== undefined) headers["x-service-signature"] = sign(webhookSecret, body);
      const answer = await call<{ message: string }>("POST", "/api/v1/events/trigger", {
        ...rest,
        headers,
        body,
      });
      return {
        id: answer.headers.get("x-event-id") ?? "",
        message: answer.body.message,
        replayed: answer.headers.get("idempotency-replayed") === "true",
        traceId: answer.headers.get("x-trace-id") ?? "",
      };
    },
    async realtimeToken(userId, rest = {}) {
      const body = JSON.stringify({ userId });
      return (await call<RealtimeToken>("POST", "/api/v1/auth/realtime-token", { ...rest, body }))
        .body;
    },
    async history(userId, { limit, offset, ...rest } = {}) {
      const query = new URLSearchParams();
      if (limit !== undefined) query.set("limit", String(limit));
      if (offset !== undefined) query.set("offset", String(offset));
      const path = `${pathOfUser(userId)}${query.size > 0 ? `?${query}` : ""}`;
      return (await call<{ data: Notification[] }>("GET", path, rest)).body.data;
    },
    async markRead(userId, notificationId, rest = {}) {
      await call("PUT", `${pathOfUser(userId)}/${segment(notificationId)}/read`, rest);
    },
    async event(id, rest = {}) {
      return (await call<EventReport>("GET", `/api/v1/events/${segment(id)}`, rest)).body;
    },
  };
}

/** URLs fold `.` and `..` away, encoded or not: the request would go to another path. */
function segment(text: string): string {
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`"${text}" cannot be part of a path`);
  return encodeURIComponent(text);
}

/** `X-Service-Signature` of a body: HMAC-SHA256 in lowercase hex. */
export function sign(webhookSecret: string, body: string | Uint8Array): string {
  return createHmac("sha256", webhookSecret).update(body).digest("hex");
}
