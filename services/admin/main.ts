import { firstOperatorToken } from "@belfry/administration/people/invitations";
import { eventsStream, eventsSubject } from "@belfry/contracts/streams";
import { createDatabase, createPool } from "@belfry/database/connection";
import { parseSecretKeys } from "@belfry/database/secrets";
import { waitForSchema } from "@belfry/database/wait-for-schema";
import { loadConfig } from "@belfry/service/config";
import { createLogger } from "@belfry/service/logger";
import { startManagement } from "@belfry/service/management";
import { connectNats, type NatsLink, natsFiles } from "@belfry/service/nats";
import { createPublisher } from "@belfry/service/publish";
import { parseTokenKeys, signRealtimeToken } from "@belfry/service/realtime-token";
import { createStopSignal } from "@belfry/service/stop-signal";
import { createApp } from "./app.ts";
import { configSchema } from "./config.ts";
import { readSystemFacts } from "./platform/read-system-facts.ts";
import { rollActivity } from "./tenant/activity-roller.ts";

const config = loadConfig(configSchema);
const secretKeys = parseSecretKeys(config.SECRETS_KEYS);
const tokenKeys = parseTokenKeys(config.REALTIME_TOKEN_KEYS);
const prefix = config.NATS_PREFIX;

const log = createLogger({ service: "admin", level: config.LOG_LEVEL });
await using resources = new AsyncDisposableStack();
const stop = resources.use(
  createStopSignal({
    log,
    delayMs: config.SHUTDOWN_DELAY_MS,
    graceMs: config.SHUTDOWN_GRACE_MS,
    stopWithParent: config.STOP_WITH_PARENT,
  }),
);
const { signal } = stop;

const pool = createPool({
  url: config.DATABASE_URL,
  applicationName: "belfry-admin",
  onConnectionError: (err) => log.warn({ err }, "idle database connection lost"),
});
const db = createDatabase(pool);
resources.defer(() => pool.end());
let isListening = false;
let nats: NatsLink | undefined;
resources.use(
  await startManagement({
    host: config.MANAGEMENT_HOST,
    port: config.MANAGEMENT_PORT,
    checks: {
      postgres: async () => (await pool.query("select 1")).rowCount === 1,
      http: () => isListening,
    },
    // Without it the pages are there all the same; sending an event again is not possible.
    others: { nats: () => nats?.isConnected() ?? false },
    log,
    signal: stop.stopping,
  }),
);

resources.defer(() => nats?.close());

const connectBroker = async () => {
  nats = await connectNats({
    url: config.NATS_URL,
    files: natsFiles(config),
    name: "belfry-admin",
    log,
    signal,
  });
};

const serve = async () => {
  await waitForSchema(pool, { log, signal });
  const streams = [eventsStream(prefix)];
  const app = await createApp({
    db,
    pool,
    keys: secretKeys,
    config: {
      baseUrl: config.ADMIN_BASE_URL,
      apiUrl: config.API_URL,
      wsUrl: config.WS_URL,
      allowPrivateAddresses: config.ALLOW_PRIVATE_PROVIDER_ADDRESSES,
      trustProxy: config.TRUST_PROXY,
    },
    signToken: (claims) => signRealtimeToken(tokenKeys, claims),
    async publishEvent(id, traceId) {
      if (nats === undefined) throw new Error("NATS is not connected");
      const publisher = createPublisher({ nats, streams, replicas: config.NATS_REPLICAS, log });
      await publisher.publishIds(eventsSubject(prefix, "express"), [{ id, traceId }], {
        messageId: id,
        expectStream: eventsStream(prefix).name,
      });
    },
    systemFacts: () => readSystemFacts(db, nats, prefix),
    log,
  });
  await app.listen({ host: config.ADMIN_HOST, port: config.ADMIN_PORT });
  isListening = true;
  const token = await firstOperatorToken(db);
  if (token !== undefined) {
    // Its only way to the person who starts Belfry; it works once, for a day, while there is no operator.
    log.info(`open this link to become the first operator: ${config.ADMIN_BASE_URL}/join/${token}`);
  }
  const rolling = rollActivity({ db, everyMs: config.ACTIVITY_EVERY_MS, log, signal });
  resources.defer(async () => {
    await app.close();
    await rolling;
  });
  await stop.stopped;
};

try {
  await Promise.all([connectBroker(), serve()]);
} catch (err) {
  // Stopped while it still waited for Postgres or NATS.
  if (!signal.aborted) throw err;
}
