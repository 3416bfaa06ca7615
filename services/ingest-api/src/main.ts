import { resolve } from "node:path";
import { parsePublicUrl } from "@belfry/contracts/message-links";
import { eventsStream } from "@belfry/contracts/streams";
import { readConfigurationVersion } from "@belfry/database/configuration-version";
import { storeReceipts } from "@belfry/database/functions/store-receipts";
import { storeInbound } from "@belfry/database/inbound";
import { parseLinkKeys } from "@belfry/database/link-token";
import { countUnread } from "@belfry/database/notifications";
import { openDatabase } from "@belfry/database/open-database";
import { parseSecretKeys } from "@belfry/database/secrets";
import { createKeyUses, createTenantDirectory } from "@belfry/http-api/tenant-directory";
import { closeAfterAnswers } from "@belfry/service/http";
import type { Logger } from "@belfry/service/logger";
import { announce } from "@belfry/service/nats";
import { pause } from "@belfry/service/pause";
import { createPublisher } from "@belfry/service/publish";
import { parseTokenKeys, signRealtimeToken } from "@belfry/service/realtime-token";
import { runService } from "@belfry/service/run-service";
import { watchVersion } from "@belfry/service/versioned-cache";
import { createAcceptor } from "./accept.ts";
import { createApp } from "./app.ts";
import { type Config, configSchema } from "./config.ts";
import { createImages } from "./image-route.ts";
import { KnownRefusals } from "./tenant-limits.ts";
import { createEventTypes } from "./trigger-warnings.ts";
import { createWebhookKeys } from "./vendor-webhooks.ts";

/** Together with the publish timeout this fits into the 5 s within which a 500 must be sent. */
const STATEMENT_TIMEOUT_MS = 1500;
/** Longer, because such a call may wait for rows that the tenant's calls before it change. */
const OTHER_STATEMENT_TIMEOUT_MS = 3000;
/** Longest wait for NATS before the service listens, so that no trigger is refused when both start at the same time. */
const BROKER_PATIENCE_MS = 5000;

const streamsOf = (prefix: string) => [eventsStream(prefix)];

await runService({
  name: "ingest-api",
  config: configSchema,
  database: (config, log) =>
    openConnections(config, config.ACCEPT_CONNECTIONS, STATEMENT_TIMEOUT_MS, log),
  // While NATS is not reachable, triggers are answered 500 unless they are scheduled. Everything else works.
  streams: streamsOf,
  work: "http",
  async start({ config, log, database, nats, link, stopping, signal, stopped }) {
    // Triggers have connections of their own, so that other calls do not delay them.
    const accepting = database;
    const others = openConnections(
      config,
      config.OTHER_CONNECTIONS,
      OTHER_STATEMENT_TIMEOUT_MS,
      log,
    );
    const { db, pool } = others;
    const prefix = config.NATS_PREFIX;
    const now = () => new Date();
    const secretKeys = parseSecretKeys(config.SECRETS_KEYS);
    const linkKeys = config.LINK_KEYS === "" ? undefined : parseLinkKeys(config.LINK_KEYS);
    if (linkKeys === undefined) log.info({}, "LINK_KEYS is not set: no link in a message works");
    const tokenKeys = parseTokenKeys(config.REALTIME_TOKEN_KEYS);
    const publisher = createPublisher({
      nats: link,
      streams: streamsOf(prefix),
      replicas: config.NATS_REPLICAS,
      log,
    });
    const acceptor = createAcceptor({
      pool: accepting.pool,
      publisher,
      prefix,
      expressPerMinute: config.EXPRESS_PER_MINUTE,
      log,
    });
    await Promise.race([nats, pause(BROKER_PATIENCE_MS, signal)]);
    const directory = createTenantDirectory(accepting.db, secretKeys);
    const refusals = new KnownRefusals();
    const images = createImages(db);
    const eventTypes = createEventTypes(db, log);
    const webhookKeys = createWebhookKeys(db, secretKeys);
    const keyUses = createKeyUses(db, now, log);
    const app = await createApp({
      config: {
        trustProxy: config.TRUST_PROXY,
        trustTraceSampling: config.TRUST_TRACE_SAMPLING,
        manageUrl: config.MANAGE_URL || config.PUBLIC_URL,
        packagesFolder: resolve(import.meta.dirname, "..", config.PACKAGES_FOLDER),
        unknownKeysPerMinute: config.UNKNOWN_KEYS_PER_MINUTE,
        otherPerMinute: config.OTHER_REQUESTS_PER_MINUTE,
        otherAtATime: config.OTHER_CONNECTIONS,
        receiptsPerMinute: config.RECEIPTS_PER_MINUTE,
        linksPerMinute: config.LINK_REQUESTS_PER_MINUTE,
        imagesPerMinute: config.IMAGE_REQUESTS_PER_MINUTE,
      },
      acceptor,
      nats: link,
      attachmentPool: accepting.pool,
      refusals,
      eventTypes,
      images,
      directory,
      keyUses,
      webhookKeys,
      secretKeys,
      allowPrivateWebhooks: config.ALLOW_PRIVATE_WEBHOOK_ADDRESSES,
      linkKeys,
      publicUrl: config.PUBLIC_URL === "" ? "" : parsePublicUrl(config.PUBLIC_URL),
      storeInbound: (origin, message) => storeInbound(db, origin, message),
      storeReceipts: (origin, receipts) => storeReceipts(pool, origin, receipts),
      db,
      pool,
      signToken: (claims) => signRealtimeToken(tokenKeys, claims, {}),
      async announceInbox({ tenantId, userId }, kind, notificationId) {
        const unread = await countUnread(db, { tenantId, userId });
        const message = { version: 1, kind, userId, notificationId, unread } as const;
        announce(link, prefix, tenantId, message);
      },
      announcePreferences: ({ tenantId, userId }) =>
        void announce(link, prefix, tenantId, { version: 1, kind: "preferences", userId }),
      now,
      log,
    });
    closeAfterAnswers(app.server, stopping);
    await app.listen({ host: config.INGEST_API_HOST, port: config.INGEST_API_PORT });
    return {
      run: () => [
        stopped.then(() => app.close()),
        watchVersion({
          read: () => readConfigurationVersion(accepting.pool),
          nc: nats.then(({ nc }) => nc),
          prefix,
          onChange() {
            directory.clear();
            refusals.clear();
            images.clear();
            eventTypes.clear();
            webhookKeys.clear();
          },
          log,
          signal,
        }),
      ],
      async close() {
        await acceptor.idle();
        await keyUses[Symbol.asyncDispose]();
        await others.close();
      },
    };
  },
});

function openConnections(
  { DATABASE_URL: url }: Config,
  maxConnections: number,
  statementTimeoutMs: number,
  log: Logger,
) {
  return openDatabase({
    url,
    maxConnections,
    applicationName: "ingest-api",
    statementTimeoutMs,
    queryTimeoutMs: statementTimeoutMs + 200,
    connectTimeoutMs: STATEMENT_TIMEOUT_MS,
    log,
  });
}
