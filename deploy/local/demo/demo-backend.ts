import { randomInt, randomUUID } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { BelfryError, createClient } from "@belfry/client";
import type { Channel } from "@belfry/contracts/channels";
import type { FastifyInstance } from "fastify";
import { Webhook } from "standardwebhooks";
import type { LocalJson } from "../home-folder.ts";
import { DEMO_USER } from "../settings.ts";

const MAX_MESSAGE_BYTES = 256 * 1024;
const MAX_KEPT = 60;
const MAX_KEPT_BYTES = 1024 * 1024;

/** The events that the page can send, by event type. */
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

/** A result of a trigger call, as the page shows it. A call with the same `key` is a replay. */
export interface Sent {
  status: number;
  message: string;
  replayed: boolean;
  eventId: string | null;
  /** The address of the event in the Admin UI; null if no event was accepted. */
  adminUrl: string | null;
  eventType: string;
  order: string;
  key: string;
  /** The address name for which the sandbox provider fails; absent if no failure was asked for. */
  trouble?: Trouble | undefined;
}

/** Creates the part of a tenant's backend that has the API key and calls Belfry for the tenant's pages. */
export function createDemoBackend({ apiUrl, adminUrl, tenant }: LocalJson) {
  // The client does not retry, so that the page shows the first answer, even an error.
  const client = createClient({ baseUrl: apiUrl, apiKey: tenant.apiKey, retries: 0 });
  return {
    token: () => client.realtimeToken(DEMO_USER.userId),

    /** Returns the event's report so far. */
    event: (eventId: string) => client.event(eventId),

    /** Lists the devices of the page's user, or changes the one with the id. */
    async devices(method: string, id?: string, device?: string): Promise<unknown> {
      const path = `${apiUrl}/api/v1/users/${DEMO_USER.userId}/devices`;
      const response = await fetch(id === undefined ? path : `${path}/${encodeURIComponent(id)}`, {
        method,
        headers: {
          "x-api-key": tenant.apiKey,
          ...(device !== undefined && { "content-type": "application/json" }),
        },
        body: device ?? null,
      });
      const body = (await response.json()) as { data: unknown };
      if (!response.ok) throw new BelfryError(response, body);
      return body.data;
    },

    async send(event: {
      eventType: string;
      order?: string | undefined;
      key?: string | undefined;
      /** If set, the event is sent by email only, to an address for which the provider fails. */
      trouble?: Trouble | undefined;
    }): Promise<Sent> {
      const order = event.order ?? `A-${randomInt(1000, 10_000)}`;
      const { eventType, key = randomUUID(), trouble } = event;
      const variables = DEMO_EVENTS[eventType]?.(order) ?? {};
      const payload =
        trouble === undefined
          ? DEMO_USER
          : { userId: DEMO_USER.userId, recipientEmail: `${trouble}+${order}@trouble.example` };
      const channels: Channel[] = trouble === undefined ? [] : ["EMAIL"];
      const input = { eventType, payload, variables, channels };
      const sent = { eventType, order, key, trouble };
      try {
        const { id, message, replayed } = await client.trigger(input, { idempotencyKey: key });
        const inAdmin = `${adminUrl}/tenants/${tenant.id}/activity/${id}`;
        return { ...sent, status: 200, message, replayed, eventId: id, adminUrl: inAdmin };
      } catch (error) {
        if (!(error instanceof BelfryError)) throw error;
        const { status, message } = error;
        return { ...sent, status, message, replayed: false, eventId: null, adminUrl: null };
      }
    },
  };
}

export type DemoBackend = ReturnType<typeof createDemoBackend>;

/** The path to which Belfry posts the demo tenant's status webhooks. */
export const DEMO_WEBHOOKS_PATH = "/demo/webhooks";

/** A webhook message, as the page shows it. None of its text may be trusted. */
export interface ArrivedWebhook {
  /** The header `webhook-id`. */
  id: string;
  /** Time of the first arrival; ISO 8601, UTC. */
  arrivedAt: string;
  /** How many times the message arrived. */
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
 * Creates the tenant's receiver of webhooks. It verifies each message and ignores duplicates. It keeps the last 60
 * messages, at most 1 MiB, in memory.
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
    // A Map iterates in the order of insertion, so the oldest message comes first.
    for (const [id, { body }] of kept) {
      if (kept.size <= MAX_KEPT && bytes <= MAX_KEPT_BYTES) return;
      kept.delete(id);
      bytes -= Buffer.byteLength(body);
    }
  }

  return {
    /** Returns false and stores nothing if the signature is wrong. */
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

/**
 * Adds the webhook routes. The signature covers the raw bytes, so they have their own scope without Fastify's JSON
 * parser.
 */
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
