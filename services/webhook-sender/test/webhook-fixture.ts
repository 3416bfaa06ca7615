import { randomBytes, randomUUID } from "node:crypto";
import type { TestContext } from "node:test";
import { encodeQueueMessage } from "@belfry/contracts/streams";
import { encryptSecret, parseSecretKeys, webhookOwner } from "@belfry/database/secrets";
import { createLogger } from "@belfry/service/logger";
import type { Message } from "@belfry/service/message-batch";
import { createTestPool } from "@belfry/testing/database";
import { createTestDatabase } from "@belfry/testing/postgres";
import { startRecordingServer } from "@belfry/testing/recording-server";
import { createWebhookSending, type WebhookSendingOptions } from "../src/webhook-sending.ts";

export const SECRETS_KEYS = `test:${Buffer.alloc(32, 7).toString("base64")}`;
export const keys = parseSecretKeys(SECRETS_KEYS);
export const DONE = { kind: "done" };

export interface TestEndpoint {
  id: string;
  tenantId: string;
  secret: string;
}

/** The tables of a test, and what a tenant's moves would have put there. */
export async function createWebhookFixture(t: TestContext) {
  const database = await createTestDatabase();
  const pool = createTestPool({ url: database.url });
  const logged: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void logged.push(JSON.parse(line)) };
  const log = createLogger({ service: "test", level: "info", destination });
  const closing: { close(): Promise<void> }[] = [];
  t.after(async () => {
    await Promise.all(closing.map((sending) => sending.close()));
    await pool.end();
    await database[Symbol.asyncDispose]();
  });

  async function tenant(): Promise<string> {
    const id = `t${randomBytes(6).toString("hex")}`;
    await pool.sql`insert into tenants (id, name, per_minute, uses_webhooks)
      values (${id}, ${id}, 600, true)`;
    return id;
  }

  async function endpoint(tenantId: string, url: string): Promise<TestEndpoint> {
    const id = randomUUID();
    const secret = newSecret();
    const sealed = await encryptSecret(keys, webhookOwner(tenantId, id), secret);
    await pool.sql`insert into webhooks (id, tenant_id, url, secret)
      values (${id}, ${tenantId}, ${url}, ${sealed})`;
    return { id, tenantId, secret };
  }

  /** The message before signs beside the new one from now on. */
  async function rotate({ id, tenantId }: TestEndpoint): Promise<string> {
    const secret = newSecret();
    const sealed = await encryptSecret(keys, webhookOwner(tenantId, id), secret);
    await pool.sql`update webhooks set previous_secret = secret, secret = ${sealed},
      previous_secret_until = now() + interval '1 day' where id = ${id}`;
    return secret;
  }

  /** Messages for one endpoint, with deliveries that are released. Returns the deliveries' ids: the messages'. */
  async function told(to: TestEndpoint, count = 1): Promise<string[]> {
    const ids = Array.from({ length: count }, () => randomUUID());
    const payloads = ids.map((id, at) =>
      JSON.stringify({
        type: "delivery.accepted",
        timestamp: "2026-01-01T00:00:00.000Z",
        data: { id, at },
      }),
    );
    await pool.sql`insert into webhook_messages (id, webhook_id, tenant_id, type, payload)
      select id, ${to.id}, ${to.tenantId}, 'delivery.accepted', payload
      from unnest(${ids}::uuid[], ${payloads}::text[]) m (id, payload)`;
    await pool.sql`insert into deliveries (id, event_id, tenant_id, channel, due_at, released_at)
      select id, id, ${to.tenantId}, 'WEBHOOK', now(), now() from unnest(${ids}::uuid[]) m (id)`;
    return ids;
  }

  function sender(options: Partial<WebhookSendingOptions> = {}) {
    const sending = createWebhookSending({
      pool,
      keys,
      concurrency: 256,
      messagesInHand: 512,
      leaseMs: 30_000,
      allowPrivateAddresses: true,
      giveUp: new AbortController().signal,
      random: () => 0.5,
      log,
      ...options,
    });
    closing.push(sending);
    return (...messages: Message[]) =>
      sending.handler(messages, { log, signal: new AbortController().signal });
  }

  const one = async (text: string, values: unknown[]) => (await pool.query(text, values)).rows[0];
  const row = (id: string) =>
    one(
      "select *, reason_in_words(reason) as reason, message_id as vendor_id from deliveries where id = $1",
      [id],
    );
  const webhook = ({ id }: TestEndpoint) => one("select * from webhooks where id = $1", [id]);

  async function attempts(id: string) {
    const rows = await pool.sql`select a.*,
        extract(epoch from a.next_at - a.ended_at) * 1000 as next_in_ms
      from attempts a where delivery_id = ${id} order by number`;
    return rows;
  }

  /** Acts as the release loop: publishes the messages again, whether due or not. */
  async function release(...ids: string[]): Promise<void> {
    await pool.sql`update deliveries set released_at = now(), due_at = now()
      where id = any (${ids}::uuid[])`;
  }

  const { url } = database;
  return {
    ...{ url, pool, log, logged, tenant, endpoint, rotate, told, sender, row, webhook, attempts },
    release,
  };
}

/** With an endpoint of a tenant at a server that records, and a sender. */
export async function createWebhookPair(
  t: TestContext,
  options: Partial<WebhookSendingOptions> = {},
) {
  const fixture = await createWebhookFixture(t);
  const server = await startRecordingServer(t);
  const endpoint = await fixture.endpoint(await fixture.tenant(), server.url);
  return { fixture, server, endpoint, handle: fixture.sender(options) };
}

export type WebhookFixture = Awaited<ReturnType<typeof createWebhookFixture>>;

/** Returns a message of the form that the release loop publishes. */
export function message(tenantId: string, ids: string[]): Message {
  return {
    subject: `test.deliveries.WEBHOOK.${tenantId}`,
    data: new TextEncoder().encode(encodeQueueMessage(ids.map((id) => ({ id, traceId: "t" })))),
    deliveryCount: 1,
    streamSequence: 1,
  };
}

function newSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}
