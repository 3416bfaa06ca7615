import { namesKind, type ProviderChannel, sentRow, TO_DEVICES } from "@belfry/contracts/channels";
import { parsePublicUrl } from "@belfry/contracts/message-links";
import { configurationSubject } from "@belfry/contracts/streams";
import type { Database } from "@belfry/database/connection";
import { isDataFault } from "@belfry/database/connection";
import { cancelledDeliveries } from "@belfry/database/functions/cancel-events";
import {
  type ClaimResult,
  claimDeliveries,
  type DeliveryToClaim,
} from "@belfry/database/functions/claim-deliveries";
import { settleDevices, takeDevices } from "@belfry/database/functions/devices";
import { suppressAddress } from "@belfry/database/functions/recipients";
import { eraseSensitiveVariables } from "@belfry/database/functions/release-deliveries";
import { postponeDeliveries, type Settlement } from "@belfry/database/functions/settle-deliveries";
import type { OpenDatabase } from "@belfry/database/open-database";
import { type NewOutboxMessage, storeOutboxMessages } from "@belfry/database/outbox";
import { parseSecretKeys, type SecretKeys } from "@belfry/database/secrets";
import { type Clock, SYSTEM_CLOCK } from "@belfry/providers/call-timeout";
import { createAskedBatcher } from "@belfry/service/batcher";
import type { Logger } from "@belfry/service/logger";
import type { MessageHandler } from "@belfry/service/message-batch";
import { publishNow } from "@belfry/service/nats";
import type { Service } from "@belfry/service/run-service";
import { createFairSemaphore } from "@belfry/service/semaphore";
import { startStatement } from "@belfry/service/tracing";
import { watchVersion } from "@belfry/service/versioned-cache";
import type pg from "pg";
import { createActiveProviders } from "./active-providers.ts";
import { createAttachmentReading } from "./attachment-reading.ts";
import { createCircuits } from "./circuits.ts";
import { createDeliveriesHandler } from "./deliveries-handler.ts";
import { deliveryService } from "./delivery-service.ts";
import { createLeases, persistently, renewLeases, settlePersistently } from "./leases.ts";
import { createRenderers, type MessageLinks, messageLinks } from "./make-message.ts";
import { maxRetries } from "./next-step.ts";
import {
  beginDeliveries,
  createPermits,
  LOOK_BEFORE_MS,
  type SendDeliveryDeps,
} from "./send-delivery.ts";
import { type SendToDevicesDeps, sendToDevices } from "./send-to-devices.ts";
import { crossCheck, type SenderConfig, senderConfig } from "./sender-config.ts";
import { createTargetPace } from "./target-pace.ts";

export interface SendingOptions {
  channel: ProviderChannel;
  pool: pg.Pool;
  db: Database;
  keys: SecretKeys;
  /** The maximum number of calls of providers at a time. */
  concurrency: number;
  /** The maximum number of messages in hand. More than `concurrency`, so that some wait while others are sent. */
  messagesInHand: number;
  leaseMs: number;
  providerTimeoutMs: number;
  allowPrivateAddresses: boolean;
  /** The public URL of ingest-api for vendors' receipts; undefined or empty if there is none. */
  publicUrl?: string | undefined;
  /** Memory in bytes for the attachments of all mails at a time. Default: 48 MiB. */
  attachmentBytes?: number | undefined;
  /** Makes unsubscribe links; undefined if messages have none. */
  links?: MessageLinks | undefined;
  /** Tells the other replicas to read circuits and configuration at once. */
  announceChange?: () => void;
  /** Aborted when failed settlements are no longer retried; the deliveries' leases then expire. */
  giveUp: AbortSignal;
  random: () => number;
  log: Logger;
  /** The clock for timeouts of calls and the renewal of leases. Tests replace it. */
  clock?: Clock;
}

export interface Sending {
  handler: MessageHandler;
  /** Makes providers and template settings be read again before their next use. */
  forgetConfiguration(): void;
  /** Reads the circuits of all replicas. Returns the configuration's version. */
  refreshCircuits(): Promise<string>;
  /** Closes the providers after their running calls. */
  close(): Promise<void>;
}

/** Most deliveries to devices of one tenant at a time, each of at most 20 calls. */
const DEVICE_DELIVERIES = 32;
const MAX_BATCH = 200;
const SLOT_WAIT_MS = 5_000;

/** Connects the parts that handle messages with delivery ids: they call providers and store outcomes in Postgres. */
export function createSending(options: SendingOptions): Sending {
  const { channel, pool, db, leaseMs, log, clock = SYSTEM_CLOCK } = options;
  const batching = { maxItems: MAX_BATCH, maxInFlight: 2, isItemFault: isDataFault };
  const claims = createAskedBatcher<DeliveryToClaim, ClaimResult>({
    ...batching,
    lingerMs: 1,
    async run(batch) {
      const startedAt = Date.now();
      const options = { channel, leaseMs, maxRetries: maxRetries(channel) };
      const results = await claimDeliveries(pool, batch, options);
      startStatement("claim_deliveries", results, traceParentOf, startedAt)?.end();
      return results;
    },
  });
  const settlements = createAskedBatcher<Settlement, boolean>({
    ...batching,
    lingerMs: 4,
    run: (batch) => settlePersistently(batch, options),
  });
  const cancelLooks = createAskedBatcher<string, boolean>({
    ...batching,
    // One query checks all calls that begin soon.
    lingerMs: LOOK_BEFORE_MS - 10,
    async run(ids) {
      const cancelled = await cancelledDeliveries(pool, ids);
      return ids.map((id) => cancelled.has(id));
    },
  });
  const erasures = createAskedBatcher<string, void>({
    ...batching,
    lingerMs: 4,
    async run(eventIds) {
      await eraseSensitiveVariables(pool, eventIds);
      return eventIds.map(() => undefined);
    },
  });
  const outbox = createAskedBatcher<NewOutboxMessage, string>({
    ...batching,
    lingerMs: 1,
    run: (entries) => storeOutboxMessages(db, entries),
  });
  const providers = createActiveProviders({
    pool,
    channel,
    keys: options.keys,
    deps: {
      timeoutMs: options.providerTimeoutMs,
      allowPrivateAddresses: options.allowPrivateAddresses,
      publicUrl: options.publicUrl,
      storeInOutbox: (entry) => outbox({ ...entry, channel }),
      clock,
    },
    log,
  });
  const renderers = createRenderers(pool);
  const circuits = createCircuits({
    pool,
    channel,
    probeMs: leaseMs,
    onChange: options.announceChange,
    log,
  });
  const permits = createPermits(pool, channel, providers, circuits, clock);
  const slots = createFairSemaphore(
    options.concurrency,
    options.messagesInHand - options.concurrency,
    channel === TO_DEVICES ? async () => DEVICE_DELIVERIES : permits.maxCalls,
  );
  const deps: SendDeliveryDeps = {
    channel,
    permits,
    circuits,
    pace: namesKind(channel) ? createTargetPace(clock, options.random) : undefined,
    renderers,
    links: options.links,
    attachments: createAttachmentReading(pool, options.attachmentBytes),
    slots,
    leases: createLeases({
      leaseMs,
      renew: (leases) => renewLeases(pool, leases, leaseMs),
      log,
      clock,
    }),
    claim: claims,
    settle: settlements,
    isCancelled: cancelLooks,
    eraseVariables: erasures,
    async suppress({ tenantId, recipient: address }, reason, source) {
      if (address !== null)
        await suppressAddress(db, { tenantId, channel, address, reason, source });
    },
    random: options.random,
    clock,
    log,
  };
  const toDevices: SendToDevicesDeps = {
    ...deps,
    keys: options.keys,
    providers,
    take: createAskedBatcher({
      ...batching,
      lingerMs: 0,
      run: (claimed) => takeDevices(pool, claimed),
    }),
    settleDevice: createAskedBatcher({
      ...batching,
      lingerMs: 1,
      async run(results) {
        await persistently("store results of devices", () => settleDevices(pool, results), options);
        return results.map(() => undefined);
      },
    }),
  };
  const begin =
    channel === TO_DEVICES
      ? async (tenantId: string, ids: string[], held: number) => ({
          begun: ids.slice(0, held).map((id) => sendToDevices({ id, tenantId }, toDevices)),
          rest: ids.slice(held),
        })
      : (tenantId: string, ids: string[], held: number) =>
          beginDeliveries(tenantId, ids, held, deps);
  const handler = createDeliveriesHandler({
    slots,
    slotWaitMs: SLOT_WAIT_MS,
    begin,
    postpone: (postponement) => postponeDeliveries(pool, postponement),
  });
  return {
    handler,
    forgetConfiguration() {
      providers.forget();
      // Mails have no template settings that a renderer needs.
      if (sentRow(channel).content !== "email") renderers.forget();
    },
    refreshCircuits: () => circuits.refresh(),
    close: () => providers.close(),
  };
}

function traceParentOf(result: ClaimResult): string | null {
  return result.becomes === "sending" ? result.delivery.traceParent : null;
}

/** Returns the service that sends one channel's deliveries. */
export function senderOf(channel: ProviderChannel): Service<SenderConfig, OpenDatabase> {
  return deliveryService({
    name: sentRow(channel).sender.service,
    config: senderConfig,
    check: crossCheck,
    channel,
    deliverer({ config, log, database: { pool, db }, link, signal }, giveUp) {
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
        announceChange() {
          publishNow(link, configurationSubject(config.NATS_PREFIX));
        },
        giveUp,
        random: Math.random,
        log,
      });
      return {
        handler: sending.handler,
        beside: (nc) => [
          watchVersion({
            read: () => sending.refreshCircuits(),
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
