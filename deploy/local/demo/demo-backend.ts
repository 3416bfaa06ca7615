import { randomUUID } from "node:crypto";
import { EVENT_PATH, type EventReport } from "@belfry/contracts/event-report";
import { REALTIME_TOKEN_PATH, type RealtimeTokenResponse } from "@belfry/contracts/realtime-token";
import { HEADERS, TRIGGER_PATH } from "@belfry/contracts/trigger";
import { Agent, request } from "undici";
import { DEMO_EMAIL, DEMO_PHONE, DEMO_USER } from "../addresses.ts";
import type { LocalJson } from "../home-folder.ts";

const TIMEOUT_MS = 10_000;

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

/** What can go wrong, by the name of an address at which the sandbox fails. */
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
  /** Where it was made to fail. */
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

/** What a tenant's backend does for its pages: it holds the API key and calls Belfry. */
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
      const body = { userId: DEMO_USER };
      return (await callWell("POST", REALTIME_TOKEN_PATH, body)) as RealtimeTokenResponse;
    },

    async send(event: {
      eventType: string;
      order?: string | undefined;
      key?: string | undefined;
      /** Then by email alone. */
      trouble?: Trouble | undefined;
    }): Promise<Sent> {
      const { eventType, order = newOrder(), key = randomUUID(), trouble } = event;
      const variables = DEMO_EVENTS[eventType]?.(order);
      const payload =
        trouble === undefined
          ? { userId: DEMO_USER, recipientEmail: DEMO_EMAIL, recipientPhone: DEMO_PHONE }
          : { userId: DEMO_USER, recipientEmail: `${trouble}+${order}@trouble.example` };
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
