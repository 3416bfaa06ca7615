import {
  deliveriesConsumer,
  deliveriesStream,
  EVENT_LANES,
  eventsConsumer,
  eventsStream,
} from "@belfry/contracts/streams";
import { noteInstallationDays } from "@belfry/database/configuration-version";
import type { Rest } from "@belfry/database/functions/read-rest";
import { messageTries } from "@belfry/database/message-tries";
import { openDatabase } from "@belfry/database/open-database";
import { parseSecretKeys } from "@belfry/database/secrets";
import { consumeLoop } from "@belfry/service/consume";
import { every } from "@belfry/service/every";
import { createKeyedSerialQueue } from "@belfry/service/keyed-serial-queue";
import { createPublisher } from "@belfry/service/publish";
import { runService } from "@belfry/service/run-service";
import { createStoreWatch, oldestMessageMs, oldestUndeliveredMs } from "@belfry/service/streams";
import { watchVersion } from "@belfry/service/versioned-cache";
import { createBroadcastLoop } from "./broadcast-loop.ts";
import { DispatcherConfig } from "./config.ts";
import { createDispatchPublisher } from "./dispatch-publisher.ts";
import { showLags } from "./dispatcher-metrics.ts";
import { deleteTenants, eraseUsers } from "./erasures.ts";
import { createEventHandler, createSetAside } from "./event-handler.ts";
import { createExpiry } from "./expiry.ts";
import { continueImports } from "./imports.ts";
import { createReleaseLoop } from "./release-loop.ts";
import { createRoutingCache } from "./routing-cache.ts";
import { createSearch } from "./search.ts";
import { createNotedErasure } from "./sensitive-events.ts";
import { republishLost, republishStuck } from "./sweeper.ts";
import { createRestLook, createWakeLoop } from "./wake-loop.ts";

const STORE_LOOK_EVERY_MS = 2000;
const ERASE_EVERY_MS = 5000;
const ERASED_PER_LOOK = 1000;
const ERASURES_EVERY_MS = 5000;
const IMPORTS_EVERY_MS = 2000;
const SEARCH_EVERY_MS = 2000;

const streamsOf = (prefix: string) => [eventsStream(prefix), deliveriesStream(prefix)];

await runService({
  name: "dispatcher",
  config: DispatcherConfig,
  check: ({ SEARCH_TERMS, SECRETS_KEYS }) =>
    SEARCH_TERMS && SECRETS_KEYS === "" ? ["SECRETS_KEYS: are needed for SEARCH_TERMS"] : [],
  database: (config, log) =>
    openDatabase({
      url: config.DATABASE_URL,
      applicationName: "belfry-dispatcher",
      // Connections for the batches of each lane, and 11 more: for the release of each channel, the sweeper, scheduled
      // events, broadcasts, the configuration version, erasures, imports and search.
      maxConnections: EVENT_LANES.length * config.DISPATCH_CONCURRENCY + 11,
      mustWrite: true,
      log,
    }),
  streams: streamsOf,
  needsNats: true,
  work: "consumers",
  async start({ config, log, database, nats, canWork, signal }) {
    const { pool, db } = database;
    const link = await nats;
    const prefix = config.NATS_PREFIX;
    const replicas = config.NATS_REPLICAS;
    const streams = streamsOf(prefix);
    const consuming = new Set<string>();
    const publisher = createPublisher({ nats: link, streams, replicas, log });
    const dispatchPublisher = createDispatchPublisher({ nats: link, publisher, prefix, log });
    const retention = {
      eventDays: config.EVENT_RETENTION_DAYS,
      notificationDays: config.NOTIFICATION_RETENTION_DAYS,
    };
    // If this fails, readers use the value that is already stored, so dispatching can go on.
    await noteInstallationDays(db, retention).catch((err) => {
      log.warn({ err }, "cannot write down how long events and notifications are kept");
    });
    const routing = createRoutingCache(pool, retention);
    const inFlightPerTenant = config.IN_FLIGHT_PER_TENANT;
    const lookAtRest = createRestLook(pool);
    const release = createReleaseLoop({
      pool,
      lookAtRest,
      dispatchPublisher,
      inFlightPerTenant,
      everyMs: config.RELEASE_EVERY_MS,
      undeliveredMs: (channel) => oldestUndeliveredMs(link.nc, deliveriesConsumer(prefix, channel)),
      againAfterMs: config.RELEASE_AGAIN_AFTER_MS,
      log,
    });
    const dispatching = {
      pool,
      routing,
      dispatchPublisher,
      inFlightPerTenant,
      userQueue: createKeyedSerialQueue(),
      concurrency: config.DISPATCH_CONCURRENCY,
      onRest: () => release.wake(),
      log,
    };
    const expressPerMinute = config.EXPRESS_PER_MINUTE;
    const sweeping = { pool, publisher, prefix, expressPerMinute, log };
    const wake = createWakeLoop({
      ...sweeping,
      lookAtRest,
      canPublish: () => link.isConnected(),
    });
    const moveBroadcasts = createBroadcastLoop({
      ...sweeping,
      lookAtRest,
      canPublish: () => link.isConnected(),
      dayShare: config.BROADCAST_DAY_PERCENT / 100,
    });
    const lookAfterStore = createStoreWatch({
      nc: link.nc,
      streams,
      recentMs: config.REPUBLISH_AFTER_MS,
      async onLost(stream, ageMs) {
        if (stream === eventsStream(prefix).name) await republishLost(sweeping, ageMs);
        else release.storeLost();
      },
      now: Date.now,
    });
    const expire = createExpiry({ pool, retention, log });
    const erasing = { db, nats: link, prefix, log };
    /** Skips the work if the query that all idle loops share shows that there is none. */
    const whileSome = (what: keyof Rest, work: () => Promise<unknown>) => async () =>
      (await lookAtRest())[what] === true ? await work() : undefined;
    const eraseNoted = createNotedErasure(pool, ERASED_PER_LOOK);
    const rounds: [everyMs: number, what: string, work: () => Promise<unknown>][] = [
      [
        config.REPUBLISH_EVERY_MS,
        "publishing stuck events",
        () =>
          republishStuck(sweeping, config.REPUBLISH_AFTER_MS, () =>
            oldestMessageMs(link.nc, eventsStream(prefix)),
          ),
      ],
      [config.WAKE_EVERY_MS, "letting scheduled events go", () => wake(signal)],
      [config.WAKE_EVERY_MS, "moving broadcasts on", () => moveBroadcasts(signal)],
      [ERASE_EVERY_MS, "erasing sensitive variables", whileSome("hasSensitive", eraseNoted)],
      [
        ERASURES_EVERY_MS,
        "erasing users",
        whileSome("isErasureOpen", () => eraseUsers(erasing, signal)),
      ],
      [
        ERASURES_EVERY_MS,
        "deleting tenants",
        whileSome("isDeletionOpen", () => deleteTenants(erasing, signal)),
      ],
      [
        IMPORTS_EVERY_MS,
        "importing",
        whileSome("isImportDue", () => continueImports(erasing, signal)),
      ],
      [STORE_LOOK_EVERY_MS, "looking after the streams", lookAfterStore],
      [config.EXPIRE_EVERY_MS, "deleting what has had its time", () => expire(signal)],
    ];
    if (config.SEARCH_TERMS) {
      const search = createSearch({ pool, db, keys: parseSecretKeys(config.SECRETS_KEYS) });
      rounds.push([SEARCH_EVERY_MS, "writing search terms", () => search(signal)]);
    }
    showLags(pool, retention, config.SEARCH_TERMS);
    log.info("dispatching");
    return {
      hasBegun: () => consuming.size === EVENT_LANES.length,
      run: () => [
        ...EVENT_LANES.map((lane) =>
          consumeLoop({
            nc: link.nc,
            stream: eventsStream(prefix),
            consumer: eventsConsumer(prefix, lane, config.EVENT_ACK_WAIT_MS),
            replicas,
            handler: createEventHandler(dispatching),
            batchSize: config.DISPATCH_BATCH,
            concurrency: config.DISPATCH_CONCURRENCY,
            setAside: createSetAside(pool, eventsStream(prefix).name, publisher),
            tries: messageTries(pool, eventsStream(prefix).name),
            canWork,
            onStarted: () => consuming.add(lane),
            log: log.child({ lane }),
            signal,
          }),
        ),
        release.run(signal),
        watchVersion({
          read: async () => (await lookAtRest()).version,
          nc: link.nc,
          prefix,
          onChange: () => routing.clear(),
          log,
          signal,
        }),
        ...rounds.map(([everyMs, what, work]) => every(everyMs, what, work, { log, signal })),
      ],
    };
  },
});
