import { randomBytes } from "node:crypto";
import type { TestContext } from "node:test";
import type { ProviderChannel } from "@belfry/contracts/channels";
import type { DeviceTarget } from "@belfry/contracts/devices";
import type { Envelope } from "@belfry/contracts/envelope";
import { encodeQueueMessage } from "@belfry/contracts/streams";
import { createDatabase } from "@belfry/database/connection";
import { storeDevice } from "@belfry/database/functions/devices";
import { encryptSecret, parseSecretKeys, providerSettingsOwner } from "@belfry/database/secrets";
import { createLogger } from "@belfry/service/logger";
import type { Message } from "@belfry/service/message-batch";
import { createTestPool } from "@belfry/testing/database";
import { createTestDatabase } from "@belfry/testing/postgres";
import { anEvent } from "@belfry/testing/rows";
import { uuidv7 } from "uuidv7";
import { createSending, type SendingOptions } from "../src/sending.ts";

export const SECRETS_KEYS = `test:${Buffer.alloc(32, 7).toString("base64")}`;
export const keys = parseSecretKeys(SECRETS_KEYS);

/** The tables of a test, with the rows of a dispatcher. */
export async function createFixture(t: TestContext) {
  const database = await createTestDatabase();
  const { url } = database;
  const pool = createTestPool({ url });
  const db = createDatabase(pool);
  const logged: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void logged.push(JSON.parse(line)) };
  const log = createLogger({ service: "test", level: "info", destination });
  const sendings: { close(): Promise<void> }[] = [];
  t.after(async () => {
    await Promise.all(sendings.map((sending) => sending.close()));
    await db.destroy();
    await database[Symbol.asyncDispose]();
  });

  async function tenant(): Promise<string> {
    const id = `t${randomBytes(6).toString("hex")}`;
    await pool.sql`insert into tenants (id, name, per_minute) values (${id}, ${id}, 600)`;
    return id;
  }

  async function provider(
    tenantId: string,
    channel: ProviderChannel,
    kind: string,
    settings: Record<string, unknown>,
    more: { position?: number; maxPerSecond?: number } = {},
  ): Promise<string> {
    const id = uuidv7();
    const sealed = await encryptSecret(
      keys,
      providerSettingsOwner(tenantId, id),
      JSON.stringify(settings),
    );
    await pool.sql`insert into providers (id, tenant_id, channel, kind, name, position, settings,
        masked_settings, max_per_second)
      values (${id}::uuid, ${tenantId}, ${channel}, ${kind}, ${id}::uuid::text, ${more.position ?? 0},
        ${sealed}, '{}', ${more.maxPerSecond ?? null})`;
    return id;
  }

  const sendgrid = (tenantId: string, baseUrl: string, more = {}) =>
    provider(
      tenantId,
      "EMAIL",
      "sendgrid",
      { apiKey: "SG.secret-key-of-the-tenant", from: "shop@example.com", baseUrl },
      more,
    );

  /** Returns the version's id. */
  async function template(
    tenantId: string,
    compiled: Record<string, unknown> = EMAIL_TEMPLATE,
    more: {
      atMostOnce?: boolean;
      sensitive?: boolean;
      envelope?: Envelope;
      image?: string;
      data?: Record<string, string>;
      collapseKey?: string;
    } = {},
  ): Promise<string> {
    const id = uuidv7();
    await pool.sql`insert into templates (id, tenant_id, event_type, channel, at_most_once,
        sensitive, from_name, reply_to, cc, bcc, image, data, collapse_key)
      values (${id}, ${tenantId}, ${`type.${id}`}, ${CHANNEL_OF[compiled.kind as keyof typeof CHANNEL_OF]},
        ${more.atMostOnce ?? false}, ${more.sensitive ?? false}, ${more.envelope?.fromName},
        ${more.envelope?.replyTo}, ${more.envelope?.cc}, ${more.envelope?.bcc},
        ${more.image}, ${more.data && JSON.stringify(more.data)}, ${more.collapseKey})`;
    const rows = await pool.sql`insert into template_versions (template_id, version, content,
        compiled)
      values (${id}, 1, 'x', ${JSON.stringify(compiled)}) returning id`;
    return rows[0].id;
  }

  /** A released delivery, due now. Returns its id. */
  async function delivery(
    tenantId: string,
    versionId: string,
    more: {
      channel?: ProviderChannel;
      variables?: string | null;
      to?: string | null;
      expiresInMs?: number;
      dueInMs?: number;
      envelope?: Envelope;
    } = {},
  ): Promise<string> {
    const id = uuidv7();
    const channel = more.channel ?? "EMAIL";
    const to = more.to === undefined ? ADDRESS_ON[channel] : more.to;
    const eventId = await anEvent(pool, {
      tenant_id: tenantId,
      event_type: "order.confirmed",
      recipient_email: to,
      recipient_phone: to,
      variables: more.variables === undefined ? '{"name":"Ann"}' : more.variables,
      trace_id: `trace-${id}`,
      envelope: more.envelope && JSON.stringify(more.envelope),
    });
    await pool.query(
      `insert into deliveries (id, event_id, tenant_id, channel, recipient, template_version_id, due_at, released_at, expires_at)
       values ($1, $2, $3, $4, $8, $5, now() + $6 * interval '1 ms', case when $6 > 0 then null else now() end,
               now() + $7 * interval '1 ms')`,
      [id, eventId, tenantId, channel, versionId, more.dueInMs ?? 0, more.expiresInMs ?? null, to],
    );
    return id;
  }

  /** Registers a device of the user of `anEvent`. Returns nothing: the tests name devices by their ids. */
  async function device(
    tenantId: string,
    deviceId: string,
    target: DeviceTarget = { kind: "fcm", token: deviceId },
    userId = "ann",
  ): Promise<void> {
    await storeDevice(db, keys, { tenantId, userId, deviceId, target, name: null });
  }

  /** Returns the state of a delivery on each device. */
  async function sends(id: string): Promise<Record<string, string>> {
    const rows = await pool.sql`select device_id, state from device_sends
      where delivery_id = ${id} order by device_id`;
    return Object.fromEntries(rows.map((one) => [one.device_id, one.state]));
  }

  function sender(options: Partial<SendingOptions> = {}) {
    const sending = createSending({
      channel: "EMAIL",
      pool,
      db,
      keys,
      concurrency: 64,
      messagesInHand: 128,
      leaseMs: 30_000,
      providerTimeoutMs: 10_000,
      allowPrivateAddresses: true,
      giveUp: new AbortController().signal,
      random: () => 0.5,
      log,
      ...options,
    });
    sendings.push(sending);
    const handle = (...messages: Message[]) =>
      sending.handler(messages, { log, signal: new AbortController().signal });
    return { ...sending, handle };
  }

  /** Its reason in words. */
  async function row(id: string) {
    const rows = await pool.sql`select d.*, reason_in_words(d.reason) as reason,
        extract(epoch from d.due_at - d.created_at) * 1000 as due_after_ms
      from deliveries d where id = ${id}`;
    return rows[0];
  }

  /** Returns the time of Postgres' clock. */
  async function nowMs(): Promise<number> {
    return (await pool.sql`select clock_timestamp() as now`)[0].now.getTime();
  }

  async function attempts(id: string) {
    const rows = await pool.sql`select a.*,
        extract(epoch from a.next_at - a.ended_at) * 1000 as next_in_ms
      from attempts a where delivery_id = ${id} order by number`;
    return rows;
  }

  /** Releases it again as the release loop does, due or not. */
  async function release(...ids: string[]): Promise<void> {
    await pool.sql`update deliveries set released_at = now(), due_at = now()
      where id = any (${ids}::uuid[])`;
  }

  return {
    ...{ url, pool, db, logged, tenant, provider, sendgrid, template, delivery, sender },
    ...{ row, nowMs, attempts, release, device, sends },
  };
}

export type Fixture = Awaited<ReturnType<typeof createFixture>>;

const CHANNEL_OF = { email: "EMAIL", text: "SMS", notification: "DEVICE", chat: "CHAT" };
export const TO = "ann@example.com";
export const PHONE = "+12025550123";
const ADDRESS_ON: Record<ProviderChannel, string> = {
  EMAIL: TO,
  SMS: PHONE,
  DEVICE: "",
  CHAT: "slack:C024BE91L",
};
export const EMAIL_TEMPLATE = {
  kind: "email",
  format: "html",
  subject: "Hello {{name}}",
  html: "<p>Hello {{name}}</p>",
  text: "Hello {{name}}",
  variables: ["name"],
};
export const SMS_TEMPLATE = { kind: "text", text: "Code {{code}}", variables: ["code"] };

export function message(tenantId: string, ids: string[], channel = "EMAIL"): Message {
  return {
    data: new TextEncoder().encode(encodeQueueMessage(ids.map((id) => ({ id, traceId: "t" })))),
    subject: `belfry.deliveries.${channel}.${tenantId}`,
    deliveryCount: 1,
    streamSequence: 1,
  };
}
