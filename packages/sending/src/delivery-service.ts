import type { ProviderChannel, WEBHOOK } from "@belfry/contracts/channels";
import { deliveriesConsumer, deliveriesStream } from "@belfry/contracts/streams";
import { messageTries } from "@belfry/database/message-tries";
import { type OpenDatabase, openDatabase } from "@belfry/database/open-database";
import { consumeLoop } from "@belfry/service/consume";
import type { MessageHandler, SetAside } from "@belfry/service/message-batch";
import type { NatsLink } from "@belfry/service/nats";
import type { Parts, Service } from "@belfry/service/run-service";
import type pg from "pg";
import { uuidv7 } from "uuidv7";
import type { ClaimingConfig } from "./sender-config.ts";

/** The part of the shutdown grace that remains for closing connections once settling has given up. */
const CLOSING_MS = 1_000;

export interface Deliverer {
  handler: MessageHandler;
  /** Other work that runs until the signal. */
  beside?: (nc: NatsLink["nc"]) => Promise<unknown>[];
  close(): Promise<void>;
}

export interface DeliveryServiceOptions<C extends ClaimingConfig>
  extends Pick<Service<C, OpenDatabase>, "name" | "config" | "check"> {
  channel: ProviderChannel | typeof WEBHOOK;
  /** `giveUp`: aborted when settlements that Postgres does not take are left to the lease. */
  deliverer: (parts: Parts<C, OpenDatabase>, giveUp: AbortSignal) => Deliverer;
}

/** A process that sends a channel's deliveries as JetStream brings them, and at a stop finishes those in hand. */
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
            // Each message settles on its own: one of a slow receiver holds up no other.
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
        close,
      };
    },
  };
}

/** Stores messages that will never be handled in `dead_messages`. */
export function setAsideIn(pool: pg.Pool, stream: string): SetAside {
  return async (message, reason) => {
    await pool.query(
      `insert into dead_messages (id, stream, subject, data, deliveries, reason)
       values ($1, $2, $3, $4, $5, $6)`,
      [uuidv7(), stream, message.subject, Buffer.from(message.data), message.deliveryCount, reason],
    );
  };
}

/** Aborted `delayMs` after `signal`. Keeps no process alive. */
export function abortedLater(signal: AbortSignal, delayMs: number): AbortSignal {
  const later = new AbortController();
  const start = () => setTimeout(() => later.abort(), delayMs).unref();
  signal.addEventListener("abort", start, { once: true });
  return later.signal;
}
