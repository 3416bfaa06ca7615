import { encodeRealtimeMessage } from "@belfry/contracts/realtime-message";
import { eventsStream, realtimeSubject } from "@belfry/contracts/streams";
import { userSubjectToken } from "@belfry/contracts/user-subject";
import { readConfigurationVersion } from "@belfry/database/configuration-version";
import { createDatabase, createPool } from "@belfry/database/connection";
import {
  acceptEvents,
  acknowledgeEvents,
  refuseEvents,
} from "@belfry/database/functions/accept-events";
import { storeReceipts } from "@belfry/database/functions/store-receipts";
import { countUnread } from "@belfry/database/notifications";
import { parseSecretKeys } from "@belfry/database/secrets";
import { waitForSchema } from "@belfry/database/wait-for-schema";
import { loadConfig } from "@belfry/service/config";
import { watchVersion } from "@belfry/service/configuration-watch";
import { createLogger } from "@belfry/service/logger";
import { startManagement } from "@belfry/service/management";
import { connectNats, type NatsLink, natsFiles } from "@belfry/service/nats";
import { pause } from "@belfry/service/pause";
import { createPublisher } from "@belfry/service/publish";
import { parseTokenKeys, signRealtimeToken } from "@belfry/service/realtime-token";
import { createStopSignal } from "@belfry/service/stop-signal";
import { ensureStreams } from "@belfry/service/streams";
import { type Acceptor, createAcceptor } from "./accept.ts";
import { createApp } from "./app.ts";
import { configSchema } from "./config.ts";
import { createKeyUses } from "./key-uses.ts";
import { createTenantDirectory } from "./tenant-directory.ts";
import { KnownRefusals } from "./tenant-limits.ts";
import { createWebhookKeys } from "./webhook-keys.ts";

/** With the publish timeout this leaves room in the 5 s in which a 500 has to come. */
const STATEMENT_TIMEOUT_MS = 1500;
/** Where NATS is there at all it is there by now, and no trigger has to be refused. */
const BROKER_PATIENCE_MS = 5000;

const config = loadConfig(configSchema);
const secretKeys = parseSecretKeys(config.SECRETS_KEYS);
const tokenKeys = parseTokenKeys(config.REALTIME_TOKEN_KEYS);
const prefix = config.NATS_PREFIX;
const now = () => new Date();

const log = createLogger({ service: "ingest-api", level: config.LOG_LEVEL });
await using resources = new AsyncDisposableStack();
const stop = resources.use(
  createStopSignal({
    log,
    delayMs: config.SHUTDOWN_DELAY_MS,
    graceMs: config.SHUTDOWN_GRACE_MS,
    stopWithParent: config.STOP_WITH_PARENT,
  }),
);

const pool = createPool({
  url: config.DATABASE_URL,
  applicationName: "ingest-api",
  statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  queryTimeoutMs: STATEMENT_TIMEOUT_MS + 200,
  connectTimeoutMs: STATEMENT_TIMEOUT_MS,
  onConnectionError: (err) => log.warn({ err }, "idle database connection lost"),
});
const db = createDatabase(pool);
resources.defer(() => pool.end());
let broker: { nats: NatsLink; acceptor: Acceptor } | undefined;
let isListening = false;
resources.use(
  await startManagement({
    host: config.MANAGEMENT_HOST,
    port: config.MANAGEMENT_PORT,
    checks: {
      postgres: () => pool.query("select 1").then(() => true),
      http: () => isListening,
    },
    // Without it a trigger is a 500, which this service says itself; all else goes on.
    others: { nats: () => broker?.nats.isConnected() ?? false },
    log,
    signal: stop.stopping,
  }),
);
resources.defer(() => broker?.nats.close());

const connectBroker = async (): Promise<NatsLink["nc"]> => {
  const nats = await connectNats({
    url: config.NATS_URL,
    files: natsFiles(config),
    name: "ingest-api",
    log,
    signal: stop.signal,
  });
  const streams = [eventsStream(prefix)];
  const { NATS_REPLICAS: replicas } = config;
  const acceptor = createAcceptor({
    acceptEvents: (batch) => acceptEvents(pool, batch),
    refuseEvents: (ids) => refuseEvents(pool, ids),
    acknowledgeEvents: (ids) => acknowledgeEvents(pool, ids),
    publisher: createPublisher({ nats, streams, replicas, log }),
    prefix,
    expressPerMinute: config.EXPRESS_PER_MINUTE,
    log,
  });
  broker = { nats, acceptor };
  await ensureStreams(nats.nc, streams, { replicas, log, signal: stop.signal });
  return nats.nc;
};

const serve = async (connecting: Promise<NatsLink["nc"]>) => {
  await waitForSchema(pool, { log, signal: stop.signal });
  await Promise.race([connecting, pause(BROKER_PATIENCE_MS, stop.signal)]);
  const directory = createTenantDirectory(db, secretKeys);
  const refusals = new KnownRefusals();
  const webhookKeys = createWebhookKeys(db, secretKeys);
  const keyUses = resources.use(createKeyUses(db, now, log));
  const app = await createApp({
    config: {
      trustProxy: config.TRUST_PROXY,
      unknownKeysPerMinute: config.UNKNOWN_KEYS_PER_MINUTE,
      otherPerMinute: config.OTHER_REQUESTS_PER_MINUTE,
      receiptsPerMinute: config.RECEIPTS_PER_MINUTE,
    },
    acceptor: () => (broker?.nats.isConnected() ? broker.acceptor : undefined),
    refusals,
    directory,
    keyUses,
    webhookKeys,
    storeReceipts: (origin, receipts) => storeReceipts(pool, origin, receipts),
    db,
    signToken: (claims) => signRealtimeToken(tokenKeys, claims, {}),
    async announceMarked(tenantId, userId, notificationId) {
      const unread = await countUnread(db, { tenantId, userId });
      const subject = realtimeSubject(prefix, tenantId, userSubjectToken(userId));
      const message = { version: 1, kind: "marked", userId, notificationId, unread } as const;
      if (!broker?.nats.isConnected()) return;
      broker.nats.nc.publish(subject, encodeRealtimeMessage(message));
    },
    now,
    log,
  });
  const watch = watchVersion({
    read: () => readConfigurationVersion(db),
    nc: connecting,
    prefix,
    onChange() {
      directory.clear();
      refusals.clear();
      webhookKeys.clear();
    },
    log,
    signal: stop.signal,
  });
  await app.listen({ host: config.INGEST_API_HOST, port: config.INGEST_API_PORT });
  isListening = true;
  resources.defer(async () => {
    await app.close();
    await broker?.acceptor.idle();
    await watch;
  });
  await Promise.race([stop.stopped, watch]);
};

try {
  const connecting = connectBroker();
  await Promise.all([connecting, serve(connecting)]);
} catch (error) {
  // Stopped while it still waited for Postgres or NATS.
  if (!stop.signal.aborted) throw error;
}
