import type { ProviderChannel } from "@belfry/contracts/channels";
import { deliveriesConsumer, deliveriesStream } from "@belfry/contracts/streams";
import { createDatabase, createPool } from "@belfry/database/connection";
import { isWritable } from "@belfry/database/is-writable";
import { messageTries } from "@belfry/database/message-tries";
import { parseSecretKeys } from "@belfry/database/secrets";
import { waitForSchema } from "@belfry/database/wait-for-schema";
import { watchVersion } from "@belfry/service/configuration-watch";
import { consumeLoop } from "@belfry/service/consume";
import { createLogger } from "@belfry/service/logger";
import { startManagement } from "@belfry/service/management";
import { connectNats, natsFiles } from "@belfry/service/nats";
import { createStopSignal } from "@belfry/service/stop-signal";
import { checkConfig, type SenderConfig } from "./sender-config.ts";
import { createSending } from "./sending.ts";
import { setAsideIn } from "./set-aside.ts";

/** How soon a replica knows what another has found out about a provider account. */
const CIRCUITS_EVERY_MS = 1_000;
/** Left of the shutdown grace for closing connections once settling has given up. */
const CLOSING_MS = 1_000;

/**
 * The whole process of one channel's sender: waits for Postgres and NATS, sends what JetStream brings,
 * and on SIGTERM is not ready, takes nothing more, finishes what is in hand and closes.
 */
export async function runSender(channel: ProviderChannel, config: SenderConfig): Promise<void> {
  const service = `${channel.toLowerCase()}-sender`;
  const log = createLogger({ service, level: config.LOG_LEVEL });
  checkConfig(config);
  const keys = parseSecretKeys(config.SECRETS_KEYS);
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
  try {
    const pool = createPool({
      url: config.DATABASE_URL,
      applicationName: service,
      maxConnections: config.DATABASE_CONNECTIONS,
      statementTimeoutMs: 5_000,
      queryTimeoutMs: 6_000,
      onConnectionError: (err) => log.warn({ err }, "idle database connection lost"),
    });
    const db = createDatabase(pool);
    // Not by `db`: Kysely ends no pool that it has not used.
    resources.defer(() => pool.end());
    const postgresIsThere = () => isWritable(pool);
    let isConnected = () => false;
    let isConsuming = false;
    resources.use(
      await startManagement({
        host: config.MANAGEMENT_HOST,
        port: config.MANAGEMENT_PORT,
        checks: {
          postgres: postgresIsThere,
          nats: () => isConnected(),
          consumer: () => isConsuming,
        },
        log,
        signal: stop.stopping,
      }),
    );
    const nats = resources.use(
      await connectNats({
        url: config.NATS_URL,
        files: natsFiles(config),
        name: service,
        log,
        signal,
      }),
    );
    isConnected = nats.isConnected;
    await waitForSchema(pool, { log, signal });

    const sending = createSending({
      channel,
      pool,
      db,
      keys,
      concurrency: config.CONCURRENCY,
      messagesInHand: config.MESSAGES_IN_HAND,
      leaseMs: config.LEASE_MS,
      providerTimeoutMs: config.PROVIDER_TIMEOUT_MS,
      allowPrivateAddresses: config.ALLOW_PRIVATE_PROVIDER_ADDRESSES,
      giveUp: abortedLater(signal, Math.max(0, config.SHUTDOWN_GRACE_MS - CLOSING_MS)),
      random: Math.random,
      log,
    });
    resources.defer(() => sending.close());
    const stream = deliveriesStream(config.NATS_PREFIX);
    await Promise.all([
      watchVersion({
        read: () => sending.refreshCircuits(),
        everyMs: CIRCUITS_EVERY_MS,
        nc: nats.nc,
        prefix: config.NATS_PREFIX,
        onChange: () => sending.forgetConfiguration(),
        log,
        signal,
      }),
      consumeLoop({
        nc: nats.nc,
        stream,
        consumer: deliveriesConsumer(config.NATS_PREFIX, channel, config.DELIVERY_ACK_WAIT_MS),
        replicas: config.NATS_REPLICAS,
        handler: sending.handler,
        // Each message settles on its own: one of a slow provider holds up no other.
        batchSize: 1,
        concurrency: config.MESSAGES_IN_HAND,
        setAside: setAsideIn(pool, stream.name),
        tries: messageTries(pool, stream.name),
        canWork: postgresIsThere,
        onStarted: () => {
          isConsuming = true;
        },
        log,
        signal,
      }),
    ]);
  } catch (error) {
    // Stopped while it still waited for Postgres or NATS.
    if (!signal.aborted) throw error;
  }
}

function abortedLater(signal: AbortSignal, delayMs: number): AbortSignal {
  const later = new AbortController();
  const start = () => setTimeout(() => later.abort(), delayMs).unref();
  signal.addEventListener("abort", start, { once: true });
  return later.signal;
}
