import { isDataFault } from "@belfry/database/connection";
import {
  claimWebhooks,
  noteWebhookCalls,
  type WebhookCall,
  type WebhookClaim,
} from "@belfry/database/functions/claim-webhooks";
import { postponeDeliveries, type Settlement } from "@belfry/database/functions/settle-deliveries";
import type { Resolve } from "@belfry/providers/address-guard";
import { createDeliveriesHandler } from "@belfry/sending/deliveries-handler";
import {
  createLeases,
  persistently,
  renewLeases,
  settlePersistently,
} from "@belfry/sending/leases";
import type { SendingOptions } from "@belfry/sending/sending";
import { createAskedBatcher } from "@belfry/service/batcher";
import type { MessageHandler } from "@belfry/service/message-batch";
import { createFairSemaphore } from "@belfry/service/semaphore";
import { createEndpointCalls } from "./endpoint-calls.ts";
import { createEndpointSlots } from "./endpoint-slots.ts";
import { MAX_RETRIES, type SendWebhookDeps, sendWebhook } from "./send-webhook.ts";
import { createEndpointSecrets } from "./sign-webhook.ts";

/** The options with the same meaning as those of the other senders, but for endpoints instead of providers. */
type OfSending =
  | ("pool" | "keys" | "concurrency" | "messagesInHand" | "leaseMs" | "allowPrivateAddresses")
  | ("giveUp" | "log" | "clock");

export interface WebhookSendingOptions extends Pick<SendingOptions, OfSending> {
  /** Returns a number in [0, 1). Tests replace this, the next two and the clock. */
  random?: () => number;
  resolve?: Resolve;
  /** Epoch milliseconds. */
  now?: () => number;
}

export interface WebhookSending {
  handler: MessageHandler;
  /** Closes the connections and waits for the calls in progress. */
  close(): Promise<void>;
}

/** Most concurrent calls of a tenant, and of one endpoint. */
const TENANT_CALLS = 64;
const ENDPOINT_CALLS = 16;
/** Number of failures in a row after which an endpoint is paused. */
const FAILURES_TO_PAUSE = 10;
const MAX_BATCH = 200;
const SLOT_WAIT_MS = 5_000;

/** Builds the handler of messages with delivery ids. It calls the endpoints and stores the results in Postgres. */
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
      // The URL is not logged, because it is the tenant's text. The id is enough.
      for (const { webhookId, tenantId, reason } of disabled) {
        log.warn({ webhookId, tenantId, reason }, "an endpoint was disabled");
      }
      return batch.map(() => undefined);
    },
  });
  const calls = createEndpointCalls(options);
  const slots = createFairSemaphore(
    options.concurrency,
    options.messagesInHand - options.concurrency,
    async () => TENANT_CALLS,
  );
  const deps: SendWebhookDeps = {
    slots,
    endpoints,
    leases: createLeases({
      leaseMs,
      renew: (leases) => renewLeases(pool, leases, leaseMs),
      log,
      clock,
    }),
    secrets: createEndpointSecrets(options.keys),
    post: calls.post,
    claim: claims,
    settle: settlements,
    note: notes,
    now: options.now ?? Date.now,
    random: options.random ?? Math.random,
    log,
  };
  const handler = createDeliveriesHandler({
    slots,
    slotWaitMs: SLOT_WAIT_MS,
    begin: async (tenantId, ids, held) => ({
      begun: ids.slice(0, held).map((id) => sendWebhook({ id, tenantId }, deps)),
      rest: ids.slice(held),
    }),
    postpone: (postponement) => postponeDeliveries(pool, postponement),
  });
  return { handler, close: () => calls.close() };
}
