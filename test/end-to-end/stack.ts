import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import type { TenantInput } from "@belfry/administration/tenants/tenant-input";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { putActiveProvider } from "@belfry/administration/test/acts";
import { putTemplate } from "@belfry/administration/test/templates";
import type { Channel } from "@belfry/contracts/channels";
import { createDatabase, createPool } from "@belfry/database/connection";
import { parseSecretKeys } from "@belfry/database/secrets";
import { freePort } from "@belfry/testing/free-port";
import { testNatsUrl, testPrefix } from "@belfry/testing/nats";
import { createTestDatabase } from "@belfry/testing/postgres";
import { startProcess, type TestProcess } from "@belfry/testing/processes";
import { type Asked, ask } from "../openapi/ask.ts";

/** The context of a node:test hook; the stack stops at its end. */
export interface Cleanup {
  after(fn: () => Promise<void>): void;
}

const ROOT = new URL("../../", import.meta.url);

/** Starts every service as a process, with its own database and NATS prefix. */
export async function startStack(
  t: Cleanup,
  options: {
    natsUrl?: string;
    databaseUrl?: string;
    env?: Record<string, string>;
    /** Starts a second replica of every service; ingest-api always has two. */
    twice?: boolean;
  } = {},
) {
  const databaseUrl = options.databaseUrl ?? (await createTestDatabase(t)).url;
  const natsUrl = options.natsUrl ?? testNatsUrl();
  const prefix =
    options.natsUrl === undefined ? testPrefix(t) : `test${randomBytes(4).toString("hex")}`;
  const secretsKeys = `k1:${randomBytes(32).toString("base64")}`;
  const ports = await Promise.all([freePort(), freePort(), freePort()]);
  const env = {
    DATABASE_URL: databaseUrl,
    NATS_URL: natsUrl,
    NATS_PREFIX: prefix,
    SECRETS_KEYS: secretsKeys,
    PUBLIC_URL: `http://127.0.0.1:${ports[0]}`,
    LINK_KEYS: `k1:${randomBytes(32).toString("base64")}`,
    REALTIME_TOKEN_KEYS: `k1:${randomBytes(32).toString("base64")}`,
    ALLOW_PRIVATE_PROVIDER_ADDRESSES: "true",
    ALLOW_PRIVATE_WEBHOOK_ADDRESSES: "true",
    UNKNOWN_KEYS_PER_MINUTE: "100000",
    ...options.env,
  };
  const start = (name: string, more: Record<string, string> = {}) =>
    startProcess(t, {
      main: new URL(`services/${name}/src/main.ts`, ROOT),
      env: { ...env, ...more },
    });
  const [ingest, second, dispatcher, email, sms, webhooks, gateway] = await Promise.all([
    start("ingest-api", { INGEST_API_PORT: String(ports[0]) }),
    start("ingest-api", { INGEST_API_PORT: String(ports[1]) }),
    start("dispatcher"),
    start("email-sender"),
    start("sms-sender"),
    start("webhook-sender"),
    start("realtime-gateway", { REALTIME_GATEWAY_PORT: String(ports[2]) }),
  ]);
  const seconds = options.twice
    ? await Promise.all([
        start("dispatcher"),
        start("email-sender"),
        start("sms-sender"),
        start("webhook-sender"),
        start("realtime-gateway", { REALTIME_GATEWAY_PORT: "0" }),
      ])
    : [];
  const pool = createPool({ url: databaseUrl, applicationName: "end-to-end" });
  const db = createDatabase(pool);
  t.after(() => db.destroy());
  const keys = parseSecretKeys(secretsKeys);
  /** Creates a tenant without providers and templates. */
  const createTenantOf = (input: TenantInput = {}) =>
    createTenant(
      db,
      { perMinute: 100_000, ...input, name: input.name ?? `Tenant ${randomUUID().slice(0, 8)}` },
      keys,
    );
  return {
    /** Two replicas of ingest-api. */
    apiUrls: [`http://127.0.0.1:${ports[0]}`, `http://127.0.0.1:${ports[1]}`] as [string, string],
    wsUrl: `ws://127.0.0.1:${ports[2]}/connection/websocket`,
    db,
    pool,
    keys,
    prefix,
    natsUrl,
    processes: {
      ...{ ingest, second, dispatcher, email, sms, webhooks, gateway },
      ...Object.fromEntries(seconds.map((one, at) => [`twice ${at}`, one])),
    } as Record<string, TestProcess>,
    /** The environment variables for the command line on this stack. */
    adminEnv: {
      ...{ DATABASE_URL: databaseUrl, SECRETS_KEYS: secretsKeys },
      ...{ NATS_URL: natsUrl, NATS_PREFIX: prefix, ...options.env },
    },
    createTenant: createTenantOf,
    /** Creates a tenant with sandbox providers and templates for `eventType` on the channels (default: all three). */
    async createReadyTenant(
      input?: TenantInput,
      readyOptions: { eventType?: string; channels?: Channel[]; targetChannel?: string } = {},
    ) {
      const tenant = await createTenantOf(input);
      const { eventType = "order.confirmed", channels = ["EMAIL", "SMS", "PUSH"] } = readyOptions;
      for (const channel of ["EMAIL", "SMS"] as const) {
        if (!channels.includes(channel)) continue;
        await putActiveProvider(
          db,
          { tenantId: tenant.id, channel, kind: "sandbox", settings: {} },
          { keys },
        );
      }
      for (const channel of channels)
        await putTemplate(
          db,
          templateFor(tenant.id, eventType, channel, readyOptions.targetChannel),
        );
      return tenant;
    },
  };
}

export type Stack = Awaited<ReturnType<typeof startStack>>;

function templateFor(
  tenantId: string,
  eventType: string,
  channel: Channel,
  targetChannel?: string,
) {
  const base = { tenantId, eventType, channel };
  if (channel === "EMAIL") {
    return {
      ...base,
      subject: "Order {{orderId}}",
      content: "<p>Hello {{name}}, order {{orderId}}.</p>",
    };
  }
  if (channel === "SMS") return { ...base, content: "Order {{orderId}} for {{name}}" };
  return {
    ...base,
    title: "Order {{orderId}}",
    content: "Thank you, {{name}}",
    ...(targetChannel === undefined ? {} : { targetChannel }),
  };
}

/** Sends one request and parses the JSON answer. A string `body` is sent unchanged. */
export function call(url: string, { apiKey, ...asked }: Partial<Asked> & { apiKey?: string } = {}) {
  const { origin, pathname, search } = new URL(url);
  const method = asked.body === undefined ? "GET" : "POST";
  return ask(origin, { method, path: pathname + search, key: apiKey, ...asked });
}

/** Triggers `order.confirmed` for a user with all addresses; `over` replaces fields. */
export function trigger(
  apiUrl: string,
  apiKey: string,
  over: Record<string, unknown> = {},
  headers: Record<string, string> = {},
) {
  return call(`${apiUrl}/api/v1/events/trigger`, {
    apiKey,
    headers,
    body: {
      eventType: "order.confirmed",
      payload: {
        userId: "user-1",
        recipientEmail: "ann@example.com",
        recipientPhone: "+12025550123",
      },
      variables: { name: "Ann", orderId: "A-1" },
      ...over,
    },
  });
}

/** Triggers with a fresh idempotency key; returns the event's id. */
export async function triggered(stack: Stack, apiKey: string, over: Record<string, unknown> = {}) {
  const { status, headers, body } = await trigger(stack.apiUrls[0], apiKey, over, freshKey());
  assert.equal(status, 200, JSON.stringify(body));
  return headers.get("x-event-id") ?? "";
}

/** A header with a fresh idempotency key. */
export function freshKey(): Record<string, string> {
  return { "x-idempotency-key": randomUUID() };
}
