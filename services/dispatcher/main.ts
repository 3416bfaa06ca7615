import {
  deliveriesStream,
  EVENT_LANES,
  eventsConsumer,
  eventsStream,
} from "@belfry/contracts/streams";
import { readConfigurationVersion } from "@belfry/database/configuration-version";
import { createDatabase, createPool } from "@belfry/database/connection";
import { isWritable } from "@belfry/database/is-writable";
import { messageTries } from "@belfry/database/message-tries";
import { waitForSchema } from "@belfry/database/wait-for-schema";
import { loadConfig } from "@belfry/service/config";
import { watchVersion } from "@belfry/service/configuration-watch";
import { consumeLoop } from "@belfry/service/consume";
import { createLogger } from "@belfry/service/logger";
import { startManagement } from "@belfry/service/management";
import { connectNats, natsFiles } from "@belfry/service/nats";
import { oldestMessageMs } from "@belfry/service/oldest-message";
import { createPublisher } from "@belfry/service/publish";
import { createStopSignal } from "@belfry/service/stop-signal";
import { createStoreWatch } from "@belfry/service/store-watch";
import { ensureStreams } from "@belfry/service/streams";
import { DispatcherConfig } from "./config.ts";
import { createConfiguration } from "./configuration.ts";
import { showBacklogAges, showExpiryLags } from "./dispatcher-metrics.ts";
import { createEventHandler } from "./event-handler.ts";
import { every } from "./every.ts";
import { createExpiry } from "./expiry.ts";
import { createOutward } from "./outward.ts";
import { createReleaseLoop } from "./release-loop.ts";
import { createNotedErasure } from "./sensitive-events.ts";
import { createSetAside } from "./set-aside.ts";
import { republishLost, republishStuck } from "./sweeper.ts";
import { createUserTurns } from "./user-turns.ts";

const STORE_LOOK_EVERY_MS = 2000;
const ERASE_EVERY_MS = 5000;
const ERASED_PER_LOOK = 1000;

const config = loadConfig(DispatcherConfig);
const prefix = config.NATS_PREFIX;
const replicas = config.NATS_REPLICAS;

const log = createLogger({ service: "dispatcher", level: config.LOG_LEVEL });
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
  applicationName: "belfry-dispatcher",
  // Every lane's batches, the release of each channel, the sweeper, and the watch of the configuration.
  maxConnections: EVENT_LANES.length * config.DISPATCH_CONCURRENCY + 6,
  onConnectionError: (err) => log.warn({ err }, "a Postgres connection broke"),
});
const db = createDatabase(pool);
resources.defer(() => pool.end());
let connected = () => false;
const consuming = new Set<string>();
const checks = {
  postgres: () => isWritable(pool),
  nats: () => connected(),
  consumers: () => consuming.size === EVENT_LANES.length,
};
const management = resources.use(
  await startManagement({
    host: config.MANAGEMENT_HOST,
    port: config.MANAGEMENT_PORT,
    checks,
    log,
    signal: stop.stopping,
  }),
);

try {
  const nats = resources.use(
    await connectNats({
      url: config.NATS_URL,
      files: natsFiles(config),
      name: "belfry-dispatcher",
      log,
      signal,
    }),
  );
  connected = nats.isConnected;
  await waitForSchema(pool, { log, signal });
  const streams = [eventsStream(prefix), deliveriesStream(prefix)];
  await ensureStreams(nats.nc, streams, { replicas, log, signal });

  const publisher = createPublisher({ nats, streams, replicas, log });
  const outward = createOutward({ nats, publisher, prefix, log });
  const configuration = createConfiguration(pool);
  const inFlightPerTenant = config.IN_FLIGHT_PER_TENANT;
  const release = createReleaseLoop({
    pool,
    outward,
    inFlightPerTenant,
    everyMs: config.RELEASE_EVERY_MS,
    againAfterMs: config.RELEASE_AGAIN_AFTER_MS,
    log,
  });
  const dispatching = {
    pool,
    configuration,
    outward,
    inFlightPerTenant,
    turns: createUserTurns(),
    concurrency: config.DISPATCH_CONCURRENCY,
    onRest: () => release.wake(),
    log,
  };
  const expressPerMinute = config.EXPRESS_PER_MINUTE;
  const sweeping = { pool, publisher, prefix, expressPerMinute, log };
  const lookAfterStore = createStoreWatch({
    nc: nats.nc,
    streams,
    recentMs: config.REPUBLISH_AFTER_MS,
    async onLost(stream, ageMs) {
      if (stream === eventsStream(prefix).name) await republishLost(sweeping, ageMs);
      else release.storeLost();
    },
    now: Date.now,
  });
  const retention = {
    eventDays: config.EVENT_RETENTION_DAYS,
    notificationDays: config.NOTIFICATION_RETENTION_DAYS,
  };
  const expire = createExpiry({ pool, retention, log });

  showBacklogAges(pool);
  showExpiryLags(pool, retention);
  log.info("dispatching");
  await Promise.all([
    ...EVENT_LANES.map((lane) =>
      consumeLoop({
        nc: nats.nc,
        stream: eventsStream(prefix),
        consumer: eventsConsumer(prefix, lane, config.EVENT_ACK_WAIT_MS),
        replicas,
        handler: createEventHandler(dispatching),
        batchSize: config.DISPATCH_BATCH,
        concurrency: config.DISPATCH_CONCURRENCY,
        setAside: createSetAside(pool, eventsStream(prefix).name, publisher),
        tries: messageTries(pool, eventsStream(prefix).name),
        canWork: async () => (await management.away()).every((name) => name === "consumers"),
        onStarted: () => consuming.add(lane),
        log: log.child({ lane }),
        signal,
      }),
    ),
    release.run(signal),
    watchVersion({
      read: () => readConfigurationVersion(db),
      nc: nats.nc,
      prefix,
      onChange: () => configuration.clear(),
      log,
      signal,
    }),
    every(
      config.REPUBLISH_EVERY_MS,
      "publishing stuck events",
      () =>
        republishStuck(sweeping, config.REPUBLISH_AFTER_MS, () =>
          oldestMessageMs(nats.nc, eventsStream(prefix)),
        ),
      { log, signal },
    ),
    every(
      ERASE_EVERY_MS,
      "erasing sensitive variables",
      createNotedErasure(pool, ERASED_PER_LOOK),
      { log, signal },
    ),
    every(STORE_LOOK_EVERY_MS, "looking after the streams", lookAfterStore, { log, signal }),
    every(config.EXPIRE_EVERY_MS, "deleting what has had its time", () => expire(signal), {
      log,
      signal,
    }),
  ]);
} catch (err) {
  if (!signal.aborted) throw err;
}
log.info("stopped");
