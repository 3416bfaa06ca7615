import { senderService, WEBHOOK } from "@belfry/contracts/channels";
import { parseSecretKeys } from "@belfry/database/secrets";
import { deliveryService } from "@belfry/sending/delivery-service";
import { runService } from "@belfry/service/run-service";
import { configSchema, crossCheck, type WebhookSenderConfig } from "./config.ts";
import { createWebhookSending } from "./webhook-sending.ts";

const webhookSender = deliveryService<WebhookSenderConfig>({
  name: senderService(WEBHOOK),
  config: configSchema,
  check: crossCheck,
  channel: WEBHOOK,
  deliverer: ({ config, log, database: { pool } }, giveUp) =>
    createWebhookSending({
      pool,
      keys: parseSecretKeys(config.SECRETS_KEYS),
      concurrency: config.CONCURRENCY,
      messagesInHand: config.MESSAGES_IN_HAND,
      leaseMs: config.LEASE_MS,
      allowPrivateAddresses: config.ALLOW_PRIVATE_WEBHOOK_ADDRESSES,
      giveUp,
      log,
    }),
});

await runService(webhookSender);
