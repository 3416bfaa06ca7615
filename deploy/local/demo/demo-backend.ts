import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { EVENT_PATH, type EventReport } from "@belfry/contracts/event-report";
import { REALTIME_TOKEN_PATH, type RealtimeTokenResponse } from "@belfry/contracts/realtime-token";
import { HEADERS, TRIGGER_PATH } from "@belfry/contracts/trigger";
import type { FastifyInstance } from "fastify";
import { Webhook } from "standardwebhooks";
import { Agent, request } from "undici";
import type { LocalJson } from "../home-folder.ts";
import { DEMO_USER } from "../settings.ts";

const TIMEOUT_MS = 10_000;
const MAX_MESSAGE_BYTES = 256 * 1024;
const MAX_KEPT = 60;
const MAX_KEPT_BYTES = 1024 * 1024;

/** What the page can send. */
export const DEMO_EVENTS: Record<string, (order: string) => Record<string, unknown>> = {
  "order.confirmed": (order) => ({
    name: "Ada",
    order,
    total: "49.90 EUR",
    delivery: "on Thursday",
  }),
  "parcel.arriving": (order) => ({ order, delivery: "today before 18:00" }),
  "global.info": (order) => ({
    title: "A word from the platform",
    message: `Built-in event types need no template of your own. Seen with ${order}.`,
  }),
};

/** Names of addresses at which the sandbox provider fails, each in its own way. */
export const TROUBLES = ["nobody", "full", "login", "down"] as const;
export type Trouble = (typeof TROUBLES)[number];

/** A trigger as the page shows it; sending it again with the same `key` is a replay. */
export interface Sent {
  status: number;
  message: string;
  replayed: boolean;
  eventId: string | null;
  /** The event in the Admin UI. */
  adminUrl: string | null;
  eventType: string;
  order: string;
  key: string;
  /** The address at which it was made to fail. */
  trouble?: Trouble | undefined;
}

/** The API refused. */
export class ApiRefusal extends Error {
  override readonly name = "ApiRefusal";
  readonly statusCode: number;
  constructor(statusCode: number, message: string) {
    super(message);
    this.statusCode = statusCode;
  }
}

/** The part of a tenant's backend that holds the API key and calls Belfry for its pages. */
export function createDemoBackend(local: Pick<LocalJson, "apiUrl" | "adminUrl" | "tenant">) {
  // Its own agent: a proxy of the environment is not for loopback.
  const dispatcher = new Agent({ bodyTimeout: TIMEOUT_MS, headersTimeout: TIMEOUT_MS });
  const call = async (
    method: "GET" | "POST" | "PUT",
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) => {
    const answer = await request(`${local.apiUrl}${path}`, {
      dispatcher,
      method,
      headers: {
        [HEADERS.apiKey]: local.tenant.apiKey,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    return { status: answer.statusCode, headers: answer.headers, body: parsed(text) };
  };
  const callWell = async (...args: Parameters<typeof call>) => {
    const answer = await call(...args);
    if (answer.status >= 400) throw new ApiRefusal(answer.status, messageOf(answer.body));
    return answer.body;
  };

  return {
    async token(): Promise<RealtimeTokenResponse> {
      const body = { userId: DEMO_USER.userId };
      return (await callWell("POST", REALTIME_TOKEN_PATH, body)) as RealtimeTokenResponse;
    },

    async send(event: {
      eventType: string;
      order?: string | undefined;
      key?: string | undefined;
      /** Set: the event is sent by email alone, to an address that fails. */
      trouble?: Trouble | undefined;
    }): Promise<Sent> {
      const { eventType, order = newOrder(), key = randomUUID(), trouble } = event;
      const variables = DEMO_EVENTS[eventType]?.(order);
      const payload =
        trouble === undefined
          ? DEMO_USER
          : { userId: DEMO_USER.userId, recipientEmail: `${trouble}+${order}@trouble.example` };
      const channels = trouble === undefined ? undefined : ["EMAIL"];
      const answer = await call(
        "POST",
        TRIGGER_PATH,
        { eventType, payload, variables, channels },
        { [HEADERS.idempotencyKey]: key },
      );
      const eventId = textOf(answer.headers[HEADERS.eventId]);
      return {
        status: answer.status,
        message: messageOf(answer.body),
        replayed: answer.headers[HEADERS.replayed] === "true",
        eventId,
        adminUrl: eventId && `${local.adminUrl}/tenants/${local.tenant.id}/activity/${eventId}`,
        eventType,
        order,
        key,
        trouble,
      };
    },

    /** What became of it so far. */
    async event(eventId: string): Promise<EventReport> {
      return (await callWell("GET", EVENT_PATH.replace(":eventId", eventId))) as EventReport;
    },

    close: () => dispatcher.close(),
  };
}

export type DemoBackend = ReturnType<typeof createDemoBackend>;

function newOrder(): string {
  return `A-${1000 + Math.floor(Math.random() * 9000)}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function messageOf(body: unknown): string {
  const message = (body as { message?: unknown } | null)?.message;
  if (Array.isArray(message)) return message.join("; ");
  return typeof message === "string" ? message : "The API gave no message";
}

function textOf(header: string | string[] | undefined): string | null {
  return typeof header === "string" ? header : null;
}

/** Where Belfry posts status webhooks of the demo tenant. */
export const DEMO_WEBHOOKS_PATH = "/demo/webhooks";

/** A message as the page shows it. None of its text may be trusted. */
export interface ArrivedWebhook {
  /** The header `webhook-id`. */
  id: string;
  /** When it arrived first; ISO 8601, UTC. */
  arrivedAt: string;
  /** How often it arrived. */
  times: number;
  /** The bytes that were signed. */
  body: string;
}

export interface ArrivedWebhooks {
  /** The newest first. */
  messages: ArrivedWebhook[];
  /** Calls with a wrong signature. */
  refused: number;
}

/**
 * The tenant's receiver of webhooks: it verifies each message and keeps it once. It keeps the last 60 messages,
 * 1 MiB at most, in memory.
 */
export function createDemoWebhooks({
  secret,
  now = () => new Date(),
}: {
  secret: string;
  now?: () => Date;
}) {
  const webhook = new Webhook(secret);
  const kept = new Map<string, ArrivedWebhook>();
  let bytes = 0;
  let refused = 0;

  function forgetOldest(): void {
    for (const [id, { body }] of kept) {
      if (kept.size <= MAX_KEPT && bytes <= MAX_KEPT_BYTES) return;
      kept.delete(id);
      bytes -= Buffer.byteLength(body);
    }
  }

  return {
    /** Returns false and keeps nothing when the signature is wrong. */
    receive(body: Buffer, headers: IncomingHttpHeaders): boolean {
      const text = body.toString("utf8");
      const id = String(headers["webhook-id"]);
      try {
        webhook.verify(text, headers as Record<string, string>);
      } catch {
        refused += 1;
        return false;
      }
      const there = kept.get(id);
      if (there === undefined) {
        kept.set(id, { id, arrivedAt: now().toISOString(), times: 1, body: text });
        bytes += Buffer.byteLength(text);
        forgetOldest();
      } else {
        there.times += 1;
      }
      return true;
    },
    list: (): ArrivedWebhooks => ({ messages: [...kept.values()].reverse(), refused }),
  };
}

export type DemoWebhooks = ReturnType<typeof createDemoWebhooks>;

/** The signature covers the raw bytes, so these routes get a scope of their own without Fastify's JSON parser. */
export async function addDemoWebhooks(app: FastifyInstance, webhooks: DemoWebhooks): Promise<void> {
  app.get(DEMO_WEBHOOKS_PATH, () => webhooks.list());
  await app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      "application/json",
      { parseAs: "buffer", bodyLimit: MAX_MESSAGE_BYTES },
      (_request, body, parsed) => parsed(null, body),
    );
    scope.post<{ Body: Buffer | undefined }>(DEMO_WEBHOOKS_PATH, (request, reply) =>
      reply
        .code(webhooks.receive(request.body ?? Buffer.alloc(0), request.headers) ? 204 : 400)
        .send(),
    );
    done();
  });
}
