import { readFile } from "node:fs/promises";
import type { ActServices } from "@belfry/administration/act";
import { sendAlerts } from "@belfry/administration/alerts/tell-alerts";
import { unknownTenants } from "@belfry/administration/people/group-roles";
import { firstOperatorToken } from "@belfry/administration/people/invitations";
import { testMessage } from "@belfry/administration/templates/send-test";
import { isBundleDue, workBundles } from "@belfry/administration/templates/work-bundles";
import { bootstrap } from "@belfry/administration/tenants/bootstrap";
import { disconnectMessage } from "@belfry/administration/tenants/realtime";
import { eventsStream, eventsSubject } from "@belfry/contracts/streams";
import { readConfigurationVersion } from "@belfry/database/configuration-version";
import { openDatabase } from "@belfry/database/open-database";
import { parseSecretKeys } from "@belfry/database/secrets";
import { createKeyUses, createTenantDirectory } from "@belfry/http-api/tenant-directory";
import { every } from "@belfry/service/every";
import { closeAfterAnswers } from "@belfry/service/http";
import { announce, publishAll } from "@belfry/service/nats";
import { createPublisher } from "@belfry/service/publish";
import { parseTokenKeys, signRealtimeToken } from "@belfry/service/realtime-token";
import { runService } from "@belfry/service/run-service";
import { watchVersion } from "@belfry/service/versioned-cache";
import { createApp } from "./app.ts";
import { oidcFaults, oidcSettings } from "./auth/oidc-settings.ts";
import { configSchema } from "./config.ts";
import { readSystemFacts } from "./platform/system-pages.ts";
import { rollActivity } from "./tenant/count-activity.ts";

const ALERTS_EVERY_MS = 60_000;
const BUNDLES_EVERY_MS = 2_000;

await runService({
  name: "admin",
  config: configSchema,
  check: oidcFaults,
  database: (config, log) =>
    openDatabase({ url: config.DATABASE_URL, applicationName: "belfry-admin", log }),
  // The pages work without NATS, except for sending an event again.
  work: "http",
  async start({ config, log, database, nats, link, stopping, signal, stopped }) {
    const { db, pool } = database;
    const prefix = config.NATS_PREFIX;
    const oidc = oidcSettings(config);
    const tokenKeys = parseTokenKeys(config.REALTIME_TOKEN_KEYS);
    const keys = parseSecretKeys(config.SECRETS_KEYS);
    const directory = createTenantDirectory(db, keys);
    const keyUses = createKeyUses(db, () => new Date(), log);
    const publisher = createPublisher({
      nats: link,
      streams: [eventsStream(prefix)],
      replicas: config.NATS_REPLICAS,
      log,
    });
    const services: ActServices = {
      pool,
      keys: async () => keys,
      adminUrl: async () => config.ADMIN_BASE_URL,
      publicUrl: async () => config.API_URL,
      allowPrivateAddresses: async () => config.ALLOW_PRIVATE_PROVIDER_ADDRESSES,
      allowPrivateWebhooks: async () => config.ALLOW_PRIVATE_WEBHOOK_ADDRESSES,
      async publishEvent(id, traceId) {
        await publisher.publishIds(eventsSubject(prefix, "express"), [{ id, traceId }], {
          messageId: id,
          expectStream: eventsStream(prefix).name,
        });
      },
      publishNotification: (notification) => publishAll(link, [testMessage(prefix, notification)]),
      announcePreferences: ({ tenantId, userId }) =>
        void announce(link, prefix, tenantId, { version: 1, kind: "preferences", userId }),
      disconnect: async (owner) => publishAll(link, [await disconnectMessage(db, owner, prefix)]),
    };
    const app = await createApp({
      db,
      keys,
      directory,
      keyUses,
      config: {
        baseUrl: config.ADMIN_BASE_URL,
        apiUrl: config.API_URL,
        wsUrl: config.WS_URL,
        trustProxy: config.TRUST_PROXY,
        limits: {
          unknownKeysPerMinute: config.UNKNOWN_KEYS_PER_MINUTE,
          otherPerMinute: config.MANAGE_REQUESTS_PER_MINUTE,
        },
        oidc,
      },
      signToken: (claims) => signRealtimeToken(tokenKeys, claims),
      services,
      systemFacts: () => readSystemFacts(db, link, prefix),
      nowMs: Date.now,
      log,
    });
    const unknown = await unknownTenants(db, oidc?.groupRoles.map((one) => one.tenantId) ?? []);
    if (unknown.size > 0) {
      log.warn({ tenantIds: [...unknown] }, "OIDC_ROLES: no such tenant; nothing is given there");
    }
    if (config.BOOTSTRAP_FILE !== "") {
      const made = await bootstrap(db, await readFile(config.BOOTSTRAP_FILE, "utf8"));
      log.info(made, "BOOTSTRAP_FILE: made what was not there");
    }
    const token = await firstOperatorToken(db);
    closeAfterAnswers(app.server, stopping);
    await app.listen({ host: config.ADMIN_HOST, port: config.ADMIN_PORT });
    if (token !== undefined) {
      // Only this log line contains the link. It works once, for a day, and only as long as there is no operator.
      log.info(
        `open this link to become the first operator: ${config.ADMIN_BASE_URL}/join/${token}`,
      );
    }
    return {
      run: () => [
        stopped.then(() => app.close()),
        rollActivity({ db, everyMs: config.ACTIVITY_EVERY_MS, log, signal }),
        every(ALERTS_EVERY_MS, "telling people of trouble", () => sendAlerts(db, services), {
          log,
          signal,
          atOnce: true,
        }),
        every(
          BUNDLES_EVERY_MS,
          "applying bundles in the background",
          async () => {
            const onPostponed = (err: unknown) => log.warn({ err }, "a bundle: trying again");
            if (await isBundleDue(pool)) await workBundles({ db, onPostponed }, signal);
          },
          { log, signal, atOnce: true },
        ),
        watchVersion({
          read: () => readConfigurationVersion(pool),
          nc: nats.then(({ nc }) => nc),
          prefix,
          onChange: () => directory.clear(),
          log,
          signal,
        }),
      ],
      close: async () => keyUses[Symbol.asyncDispose](),
    };
  },
});
