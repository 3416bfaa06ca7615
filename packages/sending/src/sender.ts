import { type ProviderChannel, sentRow } from "@belfry/contracts/channels";
import { deliveriesConsumer, deliveriesStream } from "@belfry/contracts/streams";
import { messageTries } from "@belfry/database/message-tries";
import { type OpenDatabase, openDatabase } from "@belfry/database/open-database";
import { parseSecretKeys } from "@belfry/database/secrets";
import { watchVersion } from "@belfry/service/configuration-watch";
import { consumeLoop } from "@belfry/service/consume";
import type { Service } from "@belfry/service/run-service";
import { abortedLater } from "./aborted-later.ts";
import { messageLinks } from "./message-links.ts";
import { crossCheck, type SenderConfig, senderConfig } from "./sender-config.ts";
import { createSending } from "./sending.ts";
import { setAsideIn } from "./set-aside.ts";

/** How soon a replica knows what another has found out about a provider account. */
const CIRCUITS_EVERY_MS = 1_000;
/** Left of the shutdown grace for closing connections once settling has given up. */
const CLOSING_MS = 1_000;

/** One channel's sender: it sends what JetStream brings, and at a stop finishes what is in hand. */
export function senderOf(channel: ProviderChannel): Service<SenderConfig, OpenDatabase> {
  const name = sentRow(channel).sender.service;
  return {
    name,
    config: senderConfig,
    check: crossCheck,
    database: (config, log) =>
      openDatabase({
        url: config.DATABASE_URL,
        applicationName: name,
        maxConnections: config.DATABASE_CONNECTIONS,
        statementTimeoutMs: 5_000,
        queryTimeoutMs: 6_000,
        mustWrite: true,
        log,
      }),
    needsNats: true,
    work: "consumer",
    async start({ config, log, database, nats, signal }) {
      const { pool, db } = database;
      const { nc } = await nats;
      const links = messageLinks(config);
      if (links === undefined) {
        log.info(
          {},
          "PUBLIC_URL or LINK_KEYS is not set: messages have no links to unsubscribe by",
        );
      }
      const sending = createSending({
        channel,
        pool,
        db,
        keys: parseSecretKeys(config.SECRETS_KEYS),
        concurrency: config.CONCURRENCY,
        messagesInHand: config.MESSAGES_IN_HAND,
        leaseMs: config.LEASE_MS,
        providerTimeoutMs: config.PROVIDER_TIMEOUT_MS,
        allowPrivateAddresses: config.ALLOW_PRIVATE_PROVIDER_ADDRESSES,
        links,
        giveUp: abortedLater(signal, Math.max(0, config.SHUTDOWN_GRACE_MS - CLOSING_MS)),
        random: Math.random,
        log,
      });
      const stream = deliveriesStream(config.NATS_PREFIX);
      let isConsuming = false;
      return {
        hasBegun: () => isConsuming,
        run: () => [
          watchVersion({
            read: () => sending.refreshCircuits(),
            everyMs: CIRCUITS_EVERY_MS,
            nc,
            prefix: config.NATS_PREFIX,
            onChange: () => sending.forgetConfiguration(),
            log,
            signal,
          }),
          consumeLoop({
            nc,
            stream,
            consumer: deliveriesConsumer(config.NATS_PREFIX, channel, config.DELIVERY_ACK_WAIT_MS),
            replicas: config.NATS_REPLICAS,
            handler: sending.handler,
            // Each message settles on its own: one of a slow provider holds up no other.
            batchSize: 1,
            concurrency: config.MESSAGES_IN_HAND,
            setAside: setAsideIn(pool, stream.name),
            tries: messageTries(pool, stream.name),
            canWork: () => database.isThere(),
            onStarted: () => {
              isConsuming = true;
            },
            log,
            signal,
          }),
        ],
        close: () => sending.close(),
      };
    },
  };
}
