import { type ProviderChannel, sentRow } from "@belfry/contracts/channels";
import { type Database, isDataFault } from "@belfry/database/connection";
import {
  type ClaimResult,
  claimDeliveries,
  type DeliveryToClaim,
} from "@belfry/database/functions/claim-deliveries";
import { suppressAddress } from "@belfry/database/functions/recipients";
import { eraseSensitiveVariables } from "@belfry/database/functions/release-deliveries";
import { postponeDeliveries, type Settlement } from "@belfry/database/functions/settle-deliveries";
import { type NewOutboxMessage, storeOutboxMessages } from "@belfry/database/outbox";
import type { SecretKeys } from "@belfry/database/secrets";
import type { Clock } from "@belfry/providers/clock";
import { createAskedBatcher } from "@belfry/service/batcher";
import type { Logger } from "@belfry/service/logger";
import type { MessageHandler } from "@belfry/service/message-batch";
import { createFairSemaphore } from "@belfry/service/semaphore";
import type pg from "pg";
import { createActiveProviders } from "./active-providers.ts";
import { createCircuits } from "./circuits.ts";
import { createDeliveriesHandler } from "./deliveries-handler.ts";
import { createLeases } from "./leases.ts";
import type { MessageLinks } from "./message-links.ts";
import { maxRetries } from "./next-step.ts";
import { createPermits } from "./permits.ts";
import { createRenderers } from "./renderers.ts";
import { renewLeases } from "./renew-leases.ts";
import { settlePersistently } from "./settle-persistently.ts";

export interface SendingOptions {
  channel: ProviderChannel;
  pool: pg.Pool;
  db: Database;
  keys: SecretKeys;
  /** Calls of providers at a time. */
  concurrency: number;
  /** Messages in hand at a time: more than that, so that some wait while others are called for. */
  messagesInHand: number;
  leaseMs: number;
  providerTimeoutMs: number;
  allowPrivateAddresses: boolean;
  /** Where vendors reach ingest-api with receipts; undefined or empty: nowhere. */
  publicUrl?: string | undefined;
  /** Where readers of messages turn them off; undefined: nowhere. */
  links?: MessageLinks | undefined;
  /** When what Postgres does not take any more is left to the lease. */
  giveUp: AbortSignal;
  random: () => number;
  log: Logger;
  /** What patience with a provider and the renewal of leases go by, replaced by tests. */
  clock?: Clock;
}

export interface Sending {
  handler: MessageHandler;
  /** Providers and what is set of templates are read again before their next use. */
  forgetConfiguration(): void;
  /** Reads which providers other replicas have found out of order, or back; the configuration's version. */
  refreshCircuits(): Promise<string>;
  /** Lets calls in hand finish. */
  close(): Promise<void>;
}

const MAX_BATCH = 200;
const SLOT_WAIT_MS = 5_000;

/** Puts together what turns messages of delivery ids into calls of providers and their ends in Postgres. */
export function createSending(options: SendingOptions): Sending {
  const { channel, pool, db, leaseMs, log, clock } = options;
  const batching = { maxItems: MAX_BATCH, maxInFlight: 2, isItemFault: isDataFault };
  const claims = createAskedBatcher<DeliveryToClaim, ClaimResult>({
    ...batching,
    lingerMs: 1,
    run: (batch) =>
      claimDeliveries(pool, batch, { channel, leaseMs, maxRetries: maxRetries(channel) }),
  });
  const settlements = createAskedBatcher<Settlement, boolean>({
    ...batching,
    lingerMs: 4,
    run: (batch) => settlePersistently(batch, options),
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
  const circuits = createCircuits({ pool, channel, probeMs: leaseMs, log });
  const permits = createPermits(pool, providers, circuits);
  const handler = createDeliveriesHandler({
    channel,
    permits,
    circuits,
    renderers,
    links: options.links,
    slots: createFairSemaphore(
      options.concurrency,
      options.messagesInHand - options.concurrency,
      permits.maxCalls,
    ),
    leases: createLeases({
      leaseMs,
      renew: (leases) => renewLeases(pool, leases, leaseMs),
      log,
      clock,
    }),
    claim: (item) => claims(item),
    settle: (settlement) => settlements(settlement),
    postpone: (postponement) => postponeDeliveries(pool, postponement),
    eraseVariables: (eventId) => erasures(eventId),
    async suppress({ tenantId, recipient: address }, reason, source) {
      if (address !== null)
        await suppressAddress(db, { tenantId, channel, address, reason, source });
    },
    slotWaitMs: SLOT_WAIT_MS,
    random: options.random,
    log,
  });
  return {
    handler,
    forgetConfiguration() {
      providers.forget();
      // Only of short messages anything is set that a renderer needs.
      if (sentRow(channel).content === "text") renderers.forget();
    },
    refreshCircuits: () => circuits.refresh(),
    close: () => providers.close(),
  };
}
