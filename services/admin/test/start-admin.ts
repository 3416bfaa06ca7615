import { randomBytes } from "node:crypto";
import type { AddressInfo } from "node:net";
import type { ActServices, TestNotification } from "@belfry/administration/act";
import { glanceAtDeadLetters } from "@belfry/administration/dead-letters/dead-letters";
import { hashPassword } from "@belfry/administration/people/password";
import { insertPerson, putMembership } from "@belfry/administration/people/person-rows";
import { beginSession } from "@belfry/administration/people/sessions";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { createDatabase } from "@belfry/database/connection";
import { reconciledWithin } from "@belfry/database/reconciliations";
import { parseSecretKeys } from "@belfry/database/secrets";
import { createTenantDirectory } from "@belfry/http-api/tenant-directory";
import { createLogger } from "@belfry/service/logger";
import type { Cleanup } from "@belfry/testing/cleanup";
import { createTestPool } from "@belfry/testing/database";
import { createTestDatabase } from "@belfry/testing/postgres";
import { type AppDeps, createApp } from "../src/app.ts";
import { connectedServices, type SystemFacts } from "../src/platform/system-pages.ts";
import { createBrowser, PASSWORD } from "./browser.ts";

const BASE_URL = "http://admin.test";
const CHEAP = { log2N: 10, r: 8, p: 1 };

/** For tests: the Admin UI over a database of the test's own, on a port of its own. */
export async function startAdmin(
  t: Cleanup,
  given: {
    config?: Partial<AppDeps["config"]>;
    services?: Partial<ActServices>;
    facts?: Partial<SystemFacts>;
    /** Takes the log's lines; without it there is none. */
    log?: { write(line: string): void };
    isNatsAway?: boolean;
    /** The clock of codes; by default the real one. */
    nowMs?: () => number;
  } = {},
) {
  const cleanup = new AsyncDisposableStack();
  t.after(() => cleanup.disposeAsync());
  const database = await createTestDatabase();
  cleanup.use(database);
  const secretsKeys = `t1:${randomBytes(32).toString("base64")}`;
  const keys = parseSecretKeys(secretsKeys);
  /** Messages that were published to the dispatcher. */
  const published: string[] = [];
  /** Notifications that were published to browsers. */
  const notifications: TestNotification[] = [];
  /** Users whose open pages were told of changed preferences. */
  const announced: string[] = [];
  /** Users whose connections were closed; a tenant alone stands for all its users. */
  const disconnected: string[] = [];

  const start = async (config: Partial<AppDeps["config"]> = {}) => {
    const options = { url: database.url, applicationName: "admin-test", maxConnections: 6 };
    const pool = createTestPool(options);
    const db = createDatabase(pool);
    cleanup.defer(() => db.destroy());
    // The origin is known once it listens, and the form's address is checked against the Host.
    const app = await createApp({
      db,
      keys,
      config: {
        baseUrl: BASE_URL,
        apiUrl: "http://api.test",
        wsUrl: "ws://ws.test/connection/websocket",
        trustProxy: "",
        limits: { unknownKeysPerMinute: 1_000, otherPerMinute: 100_000 },
        ...given.config,
        ...config,
      },
      directory: createTenantDirectory(db, keys),
      keyUses: { note: () => undefined },
      signToken: async ({ sub, tenant, concealed }) =>
        `token of ${sub} in ${tenant}${concealed ? ", concealed" : ""}`,
      services: {
        pool,
        keys: async () => keys,
        adminUrl: async () => config.baseUrl ?? given.config?.baseUrl ?? BASE_URL,
        publicUrl: async () => config.apiUrl ?? given.config?.apiUrl ?? "http://api.test",
        allowPrivateAddresses: async () => true,
        allowPrivateWebhooks: async () => true,
        publishEvent: async (id) => void published.push(id),
        publishNotification: async (notification) => void notifications.push(notification),
        announcePreferences: ({ tenantId, userId }) => void announced.push(`${tenantId}/${userId}`),
        async disconnect({ tenantId, userId }) {
          if (given.isNatsAway === true) throw new Error("NATS is not connected");
          disconnected.push(userId === undefined ? tenantId : `${tenantId}/${userId}`);
        },
        ...given.services,
      },
      systemFacts: async () => ({
        services: await connectedServices(db),
        streams: undefined,
        oldestDue: [],
        undispatched: { count: 0, since: null },
        circuits: [],
        reconciled: await reconciledWithin(db, 24),
        deadLetters: await glanceAtDeadLetters(db, {}),
        ...given.facts,
      }),
      nowMs: given.nowMs ?? Date.now,
      log: createLogger({
        service: "admin",
        ...(given.log === undefined
          ? { level: "silent" }
          : { level: "trace", destination: given.log }),
      }),
    });
    cleanup.defer(() => app.close());
    await app.listen({ host: "127.0.0.1", port: 0 });
    const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
    return { app, db, pool, url };
  };

  const first = await start();
  const browser = () => createBrowser(first.url);
  /** Somebody who is signed in, with `PASSWORD`: at once, as hashing it in earnest takes half a second. */
  const person = async (who: {
    email: string;
    name: string;
    operator?: boolean;
    of?: { tenantId: string; role: "owner" | "editor" | "viewer" };
  }) => {
    const { email, name, operator = false, of } = who;
    const password = await hashPassword(PASSWORD, { network: "test" }, CHEAP);
    const found = { email, name, password, operator, isSignInTrusted: true };
    const personId = await insertPerson(first.db, found);
    if (of !== undefined) await putMembership(first.db, { personId, ...of });
    const place = { address: "192.0.2.1", userAgent: "test" };
    const signedIn = browser();
    signedIn.cookies.set("belfry_session", await beginSession(first.db, personId, place));
    return signedIn;
  };
  return {
    /** Variables for the command line. */
    environment: {
      ...{ DATABASE_URL: database.url, SECRETS_KEYS: secretsKeys },
      PUBLIC_URL: "http://api.test",
    },
    ...{ ...first, keys, published, notifications, announced, disconnected, browser, person },
    /** The first operator, signed in. */
    operator: () => person({ email: "op@example.com", name: "Olga Operator", operator: true }),
    /** Another replica on the same database, perhaps of other settings; returns its address. */
    replica: async (config?: Partial<AppDeps["config"]>) => (await start(config)).url,
  };
}

export type AdminUnderTest = Awaited<ReturnType<typeof startAdmin>>;

/** With the first operator, signed in. */
export async function startForOperator(...given: Parameters<typeof startAdmin>) {
  const admin = await startAdmin(...given);
  return { admin, operator: await admin.operator() };
}

/** And with a tenant. */
export async function startForTenant(...given: Parameters<typeof startAdmin>) {
  const { admin, operator } = await startForOperator(...given);
  const { id } = await createTenant(admin.db, { name: "Acme" });
  return { admin, operator, id };
}
