import { isDataFault } from "@belfry/database/connection";
import {
  claimWebhooks,
  noteWebhookCalls,
  type WebhookCall,
  type WebhookClaim,
} from "@belfry/database/functions/claim-webhooks";
import { postponeDeliveries, type Settlement } from "@belfry/database/functions/settle-deliveries";
import type { Resolve } from "@belfry/providers/address-guard";
import { createLeases } from "@belfry/sending/leases";
import { persistently } from "@belfry/sending/persistently";
import { renewLeases } from "@belfry/sending/renew-leases";
import type { SendingOptions } from "@belfry/sending/sending";
import { settlePersistently } from "@belfry/sending/settle-persistently";
import { createAskedBatcher } from "@belfry/service/batcher";
import type { MessageHandler } from "@belfry/service/message-batch";
import { createFairSemaphore } from "@belfry/service/semaphore";
import { createEndpointCalls } from "./endpoint-calls.ts";
import { createEndpointSecrets } from "./endpoint-secrets.ts";
import { createEndpointSlots } from "./endpoint-slots.ts";
import { MAX_RETRIES } from "./next-try.ts";
import { createWebhooksHandler } from "./webhooks-handler.ts";

/** As of a sender of messages, of endpoints in place of providers. */
type OfSending =
  | ("pool" | "keys" | "concurrency" | "messagesInHand" | "leaseMs" | "allowPrivateAddresses")
  | ("giveUp" | "log" | "clock");

export interface WebhookSendingOptions extends Pick<SendingOptions, OfSending> {
  /** In [0, 1); these three and the clock are replaced by tests. */
  random?: () => number;
  resolve?: Resolve;
  /** Epoch milliseconds. */
  now?: () => number;
}

export interface WebhookSending {
  handler: MessageHandler;
  /** Lets calls in hand finish. */
  close(): Promise<void>;
}

/** Of a tenant, and of one endpoint of it, at a time. */
const TENANT_CALLS = 64;
const ENDPOINT_CALLS = 16;
/** So many failures in a row pause an endpoint. */
const FAILURES_TO_PAUSE = 10;
const MAX_BATCH = 200;
const SLOT_WAIT_MS = 5_000;

/** Puts together what turns messages of delivery ids into calls of endpoints and their ends in Postgres. */
export function createWebhookSending(options: WebhookSendingOptions): WebhookSending {
  const { pool, leaseMs, log, clock } = options;
  const batching = { maxItems: MAX_BATCH, maxInFlight: 2, isItemFault: isDataFault };
  const endpoints = createEndpointSlots({
    most: ENDPOINT_CALLS,
    mostInDoubt: Math.ceil(options.concurrency / 2),
    clock,
  });
  const claims = createAskedBatcher<{ id: string; tenantId: string }, WebhookClaim>({
    ...batching,
    lingerMs: 1,
    run: (batch) =>
      claimWebhooks(pool, batch, { full: endpoints.full(), leaseMs, maxRetries: MAX_RETRIES }),
  });
  const settlements = createAskedBatcher<Settlement, boolean>({
    ...batching,
    lingerMs: 4,
    run: (batch) => settlePersistently(batch, options),
  });
  const notes = createAskedBatcher<WebhookCall, void>({
    ...batching,
    lingerMs: 4,
    async run(batch) {
      const disabled = await persistently(
        "note calls of endpoints",
        () => noteWebhookCalls(pool, batch, FAILURES_TO_PAUSE),
        options,
      );
      // Its address is the tenant's text: the id is enough.
      for (const { webhookId, tenantId, reason } of disabled) {
        log.warn({ webhookId, tenantId, reason }, "an endpoint was disabled");
      }
      return batch.map(() => undefined);
    },
  });
  const calls = createEndpointCalls(options);
  const handler = createWebhooksHandler({
    slots: createFairSemaphore(
      options.concurrency,
      options.messagesInHand - options.concurrency,
      async () => TENANT_CALLS,
    ),
    endpoints,
    leases: createLeases({
      leaseMs,
      renew: (leases) => renewLeases(pool, leases, leaseMs),
      log,
      clock,
    }),
    secrets: createEndpointSecrets(options.keys),
    post: calls.post,
    claim: (item) => claims(item),
    settle: (settlement) => settlements(settlement),
    note: (call) => notes(call),
    postpone: (postponement) => postponeDeliveries(pool, postponement),
    slotWaitMs: SLOT_WAIT_MS,
    now: options.now ?? Date.now,
    random: options.random ?? Math.random,
    log,
  });
  return { handler, close: () => calls.close() };
}
