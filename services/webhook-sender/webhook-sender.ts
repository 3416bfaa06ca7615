import { senderService, WEBHOOK } from "@belfry/contracts/channels";
import { deliveriesConsumer, deliveriesStream } from "@belfry/contracts/streams";
import { messageTries } from "@belfry/database/message-tries";
import { type OpenDatabase, openDatabase } from "@belfry/database/open-database";
import { parseSecretKeys } from "@belfry/database/secrets";
import { abortedLater } from "@belfry/sending/aborted-later";
import { setAsideIn } from "@belfry/sending/set-aside";
import { consumeLoop } from "@belfry/service/consume";
import type { Service } from "@belfry/service/run-service";
import { configSchema, crossCheck, type WebhookSenderConfig } from "./config.ts";
import { createWebhookSending } from "./webhook-sending.ts";

/** Left of the shutdown grace for closing connections once settling has given up. */
const CLOSING_MS = 1_000;

const name = senderService(WEBHOOK);

/** Posts the status webhooks that JetStream brings, and at a stop finishes what is in hand. */
export const webhookSender: Service<WebhookSenderConfig, OpenDatabase> = {
  name,
  config: configSchema,
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
    const { pool } = database;
    const { nc } = await nats;
    const sending = createWebhookSending({
      pool,
      keys: parseSecretKeys(config.SECRETS_KEYS),
      concurrency: config.CONCURRENCY,
      messagesInHand: config.MESSAGES_IN_HAND,
      leaseMs: config.LEASE_MS,
      allowPrivateAddresses: config.ALLOW_PRIVATE_WEBHOOK_ADDRESSES,
      giveUp: abortedLater(signal, Math.max(0, config.SHUTDOWN_GRACE_MS - CLOSING_MS)),
      log,
    });
    const stream = deliveriesStream(config.NATS_PREFIX);
    let isConsuming = false;
    return {
      hasBegun: () => isConsuming,
      run: () => [
        consumeLoop({
          nc,
          stream,
          consumer: deliveriesConsumer(config.NATS_PREFIX, WEBHOOK, config.DELIVERY_ACK_WAIT_MS),
          replicas: config.NATS_REPLICAS,
          handler: sending.handler,
          // Each message settles on its own: one of a slow endpoint holds up no other.
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
