import { type ProviderChannel, sentRow } from "@belfry/contracts/channels";
import { parsePublicUrl } from "@belfry/contracts/message-links";
import type { OpenDatabase } from "@belfry/database/open-database";
import { parseSecretKeys } from "@belfry/database/secrets";
import type { Service } from "@belfry/service/run-service";
import { watchVersion } from "@belfry/service/versioned-cache";
import { deliveryService } from "./delivery-service.ts";
import { messageLinks } from "./message-links.ts";
import { crossCheck, type SenderConfig, senderConfig } from "./sender-config.ts";
import { createSending } from "./sending.ts";

/** How soon a replica knows what another has found out about a provider account. */
const CIRCUITS_EVERY_MS = 1_000;

/** One channel's sender. */
export function senderOf(channel: ProviderChannel): Service<SenderConfig, OpenDatabase> {
  return deliveryService({
    name: sentRow(channel).sender.service,
    config: senderConfig,
    check: crossCheck,
    channel,
    deliverer({ config, log, database: { pool, db }, signal }, giveUp) {
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
        publicUrl: config.PUBLIC_URL === "" ? "" : parsePublicUrl(config.PUBLIC_URL),
        links,
        giveUp,
        random: Math.random,
        log,
      });
      return {
        handler: sending.handler,
        beside: (nc) => [
          watchVersion({
            read: () => sending.refreshCircuits(),
            everyMs: CIRCUITS_EVERY_MS,
            nc,
            prefix: config.NATS_PREFIX,
            onChange: () => sending.forgetConfiguration(),
            log,
            signal,
          }),
        ],
        close: () => sending.close(),
      };
    },
  });
}
