import { randomBytes } from "node:crypto";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { putActiveProvider } from "@belfry/administration/test/acts";
import { putTemplate } from "@belfry/administration/test/templates";
import { createDatabase, createPool, type Database } from "@belfry/database/connection";
import { migrateToLatest } from "@belfry/database/migrate";
import { parseSecretKeys, type SecretKeys } from "@belfry/database/secrets";
import type { Cleanup } from "@belfry/testing/cleanup";
import { ownNatsServer } from "@belfry/testing/nats-server";
import { ownPostgresServer } from "@belfry/testing/postgres-server";
import { startServices, TREE } from "./services.ts";
import type { FailureSettings } from "./settings.ts";
import { startVendors } from "./vendors.ts";

export interface LoadTenant {
  id: string;
  apiKey: string;
  users: string[];
  /** The kind of the chat in which its events name their users' addresses. */
  chatKind?: string;
}

export const EVENT_TYPE = "order.confirmed";
/** So that a crash finds calls of providers under way. */
const VENDOR_DELAY_MS = 150;

/** The servers that Belfry runs on; `env` tells the services of them what the addresses do not. */
interface Servers {
  nats: { url: string };
  postgres: { url: string };
  env?: Record<string, string>;
}

/** A version of Belfry: its source tree, and what a world needs of its code. */
export interface Version {
  tree: URL;
  migrateToLatest: (url: string) => Promise<string[]>;
  createLoadTenant: typeof createLoadTenant;
}

const THIS_VERSION: Version = { tree: TREE, migrateToLatest, createLoadTenant };

/** Belfry whole, on one nats-server and one Postgres that can be killed, between a load and vendors of ours. */
export async function createWorld(t: Cleanup, settings: FailureSettings) {
  const [nats, postgres] = await Promise.all([ownNatsServer(t), ownPostgresServer(t)]);
  return createWorldOn(t, settings, { nats, postgres });
}

/** The same on other servers, and with other replicas or of another version. */
export async function createWorldOn<S extends Servers>(
  t: Cleanup,
  settings: FailureSettings,
  servers: S,
  options: { version?: Version; replicas?: Readonly<Record<string, string>> } = {},
) {
  const { version = THIS_VERSION } = options;
  const nats: S["nats"] = servers.nats;
  const postgres: S["postgres"] = servers.postgres;
  const vendors = await startVendors(t);
  vendors.delayMs = VENDOR_DELAY_MS;
  await version.migrateToLatest(postgres.url);
  // It outlives every outage.
  const pool = createPool({ url: postgres.url, applicationName: "failure-test" });
  const db = createDatabase(pool);
  t.after(() => db.destroy());
  const prefix = "failure";
  const secretsKeys = `k1:${randomBytes(32).toString("base64")}`;
  const keys = parseSecretKeys(secretsKeys);
  const tenant = (name: string, perMinute: number) =>
    version.createLoadTenant(db, { name, perMinute, vendorUrl: vendors.url, keys });
  // They send on all channels.
  const tenants = [await tenant("Acme", 100_000), await tenant("Globex", 100_000)];
  // Its limit is far below its load.
  const limited = await tenant("Limited", 10);
  const env = {
    DATABASE_URL: postgres.url,
    NATS_URL: nats.url,
    NATS_PREFIX: prefix,
    SECRETS_KEYS: secretsKeys,
    REALTIME_TOKEN_KEYS: `k1:${randomBytes(32).toString("base64")}`,
    ALLOW_PRIVATE_PROVIDER_ADDRESSES: "true",
    UNKNOWN_KEYS_PER_MINUTE: "100000",
    ...servers.env,
    ...settings.env,
  };
  const services = await startServices(t, env, {
    ...options,
    tree: version.tree,
  });
  return { settings, nats, postgres, pool, prefix, services, vendors, tenants, limited, keys };
}

export type World = Awaited<ReturnType<typeof createWorld>>;
/** A world on any servers. */
export type AnyWorld = Awaited<ReturnType<typeof createWorldOn<Servers>>>;

/** A tenant with both vendors and a template a channel, which carry the variable `key`. */
export async function createLoadTenant(
  db: Database,
  options: { name: string; perMinute: number; vendorUrl: string; keys: SecretKeys },
): Promise<LoadTenant> {
  const { name, perMinute, vendorUrl: baseUrl, keys } = options;
  const { id, apiKey } = await createTenant(db, { name, perMinute, dailyCap: null }, keys);
  const accounts = [
    ["EMAIL", "sendgrid", { apiKey: "SG.failure-test", from: "bell@example.com", baseUrl }],
    ["SMS", "vonage", { sender: "Belfry", apiKey: "key1", apiSecret: "secret-one", baseUrl }],
  ] as const;
  for (const [channel, kind, settings] of accounts) {
    await putActiveProvider(
      db,
      { tenantId: id, channel, kind, settings },
      { keys, allowPrivateAddresses: true },
    );
  }
  const base = { tenantId: id, eventType: EVENT_TYPE };
  await putTemplate(db, {
    ...base,
    channel: "EMAIL",
    subject: "{{key}}",
    content: "<p>Hello.</p>",
  });
  await putTemplate(db, { ...base, channel: "SMS", content: "Hello {{key}}" });
  await putTemplate(db, { ...base, channel: "PUSH", title: "{{key}}", content: "Hello." });
  return { id, apiKey, users: ["ann", "bob"] };
}
