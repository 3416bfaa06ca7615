import type { ProviderChannel, WEBHOOK } from "@belfry/contracts/channels";
import { deliveriesConsumer, deliveriesStream } from "@belfry/contracts/streams";
import { messageTries, storeDeadMessage } from "@belfry/database/message-tries";
import { type OpenDatabase, openDatabase } from "@belfry/database/open-database";
import { consumeLoop } from "@belfry/service/consume";
import type { MessageHandler } from "@belfry/service/message-batch";
import type { NatsLink } from "@belfry/service/nats";
import type { Parts, Service } from "@belfry/service/run-service";
import type { ClaimingConfig } from "./sender-config.ts";

/** The part of the shutdown grace period in ms that is kept for closing connections after settling has given up. */
const CLOSING_MS = 1_000;

export interface Deliverer {
  handler: MessageHandler;
  /** Starts other work that runs until the signal. */
  beside?: (nc: NatsLink["nc"]) => Promise<unknown>[];
  close(): Promise<void>;
}

export interface DeliveryServiceOptions<C extends ClaimingConfig>
  extends Pick<Service<C, OpenDatabase>, "name" | "config" | "check"> {
  channel: ProviderChannel | typeof WEBHOOK;
  /** `giveUp` is aborted when failed settlements are no longer retried; the deliveries' leases then expire. */
  deliverer: (parts: Parts<C, OpenDatabase>, giveUp: AbortSignal) => Deliverer;
}

/** Returns the service that sends a channel's deliveries from JetStream. At a stop it finishes the running ones. */
export function deliveryService<C extends ClaimingConfig>({
  channel,
  deliverer,
  ...service
}: DeliveryServiceOptions<C>): Service<C, OpenDatabase> {
  return {
    ...service,
    database: (config, log) =>
      openDatabase({
        url: config.DATABASE_URL,
        applicationName: service.name,
        maxConnections: config.DATABASE_CONNECTIONS,
        statementTimeoutMs: 5_000,
        queryTimeoutMs: 6_000,
        mustWrite: true,
        log,
      }),
    needsNats: true,
    work: "consumer",
    async start(parts) {
      const { config, log, database, nats, signal } = parts;
      const { pool } = database;
      const { nc } = await nats;
      const giveUp = abortedLater(signal, Math.max(0, config.SHUTDOWN_GRACE_MS - CLOSING_MS));
      const { handler, beside, close } = deliverer(parts, giveUp);
      const stream = deliveriesStream(config.NATS_PREFIX);
      let isConsuming = false;
      return {
        hasBegun: () => isConsuming,
        run: () => [
          ...(beside?.(nc) ?? []),
          consumeLoop({
            nc,
            stream,
            consumer: deliveriesConsumer(config.NATS_PREFIX, channel, config.DELIVERY_ACK_WAIT_MS),
            replicas: config.NATS_REPLICAS,
            handler,
            // Each message is acknowledged separately, so that a slow receiver does not delay other messages.
            batchSize: 1,
            concurrency: config.MESSAGES_IN_HAND,
            async setAside({ subject, data, deliveryCount: deliveries }, reason) {
              const message = { stream: stream.name, subject, data, deliveries, reason };
              await storeDeadMessage(pool, message);
            },
            tries: messageTries(pool, stream.name),
            canWork: () => database.isThere(),
            onStarted: () => {
              isConsuming = true;
            },
            log,
            signal,
          }),
        ],
        close,
      };
    },
  };
}

/** Returns a signal that is aborted `delayMs` after `signal`. Its timer does not keep the process alive. */
export function abortedLater(signal: AbortSignal, delayMs: number): AbortSignal {
  const later = new AbortController();
  const start = () => setTimeout(() => later.abort(), delayMs).unref();
  signal.addEventListener("abort", start, { once: true });
  return later.signal;
}
