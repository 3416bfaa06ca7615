import type { WebhookCall, WebhookClaim } from "@belfry/database/functions/claim-webhooks";
import type { Postponement, Settlement } from "@belfry/database/functions/settle-deliveries";
import { deliveryIds } from "@belfry/sending/delivery-ids";
import type { Leases } from "@belfry/sending/leases";
import type { Logger } from "@belfry/service/logger";
import {
  DONE,
  type Message,
  type MessageHandler,
  type MessageOutcome,
} from "@belfry/service/message-batch";
import type { FairSemaphore } from "@belfry/service/semaphore";
import type { EndpointCalls } from "./endpoint-calls.ts";
import type { EndpointSecrets } from "./endpoint-secrets.ts";
import type { EndpointSlots } from "./endpoint-slots.ts";
import { sendWebhook } from "./send-webhook.ts";

export interface WebhooksHandlerDeps {
  /** Of tenants. */
  slots: FairSemaphore;
  endpoints: EndpointSlots;
  leases: Leases;
  secrets: EndpointSecrets;
  post: EndpointCalls["post"];
  /** Each of these gathers what comes in the same moment into one call of Postgres. */
  claim: (delivery: { id: string; tenantId: string }) => Promise<WebhookClaim>;
  settle: (settlement: Settlement) => Promise<boolean>;
  note: (call: WebhookCall) => Promise<void>;
  /** Puts deliveries back to rest, untried. */
  postpone: (postponement: Postponement) => Promise<void>;
  /** How long a message waits for its tenant's share of the calls before the rest is put back. */
  slotWaitMs: number;
  /** Epoch milliseconds. */
  now: () => number;
  /** In [0, 1). */
  random: () => number;
  log: Logger;
}

/** When the tenant's share of the calls was never free. */
const NO_SLOT_DELAY_MS = 1_000;
/** Added to the end of another sender's lease. */
const BUSY_MARGIN_MS = 500;

/**
 * Handles messages of delivery ids, each on its own: a message is done when each of its deliveries is
 * settled, put back to rest, or not ours to post. Safe to run twice: a delivery is claimed by state.
 */
export function createWebhooksHandler(deps: WebhooksHandlerDeps): MessageHandler {
  return (messages) => Promise.all(messages.map((message) => handleMessage(message, deps)));
}

async function handleMessage(message: Message, deps: WebhooksHandlerDeps): Promise<MessageOutcome> {
  const named = deliveryIds(message);
  if (!named.ok) return named.rejected;
  const busyMs = await sendAll(named.tenantId, named.ids, deps);
  // Held by another sender: it settles them, or dies, and then this message is what brings them back.
  if (busyMs === 0) return DONE;
  return { kind: "retry", delayMs: busyMs + BUSY_MARGIN_MS, reason: "held by another sender" };
}

/**
 * Resolves to how long other senders hold some of the deliveries; 0: none. Everything that is begun is
 * observed from its first moment, and waited for also when something else fails: a message that comes
 * again must not find its own deliveries still under way.
 */
async function sendAll(tenantId: string, ids: readonly string[], deps: WebhooksHandlerDeps) {
  const waitUntil = performance.now() + deps.slotWaitMs;
  const begun: Promise<PromiseSettledResult<number>>[] = [];
  const begin = (work: Promise<number>) => begun.push(settled(work));
  for (let at = 0; at < ids.length; ) {
    const waitMs = Math.max(0, waitUntil - performance.now());
    const held = await deps.slots.acquire(tenantId, ids.length - at, waitMs);
    if (held === 0) {
      const rest = { tenantId, ids: ids.slice(at), reason: null, spacingMs: 0 };
      begin(deps.postpone({ ...rest, delayMs: NO_SLOT_DELAY_MS }).then(() => 0));
      break;
    }
    for (const id of ids.slice(at, at + held)) begin(sendWebhook({ id, tenantId }, deps));
    at += held;
  }
  const ended = await Promise.all(begun);
  const fault = ended.find((one) => one.status === "rejected");
  if (fault !== undefined) throw fault.reason;
  return Math.max(0, ...ended.map((one) => (one.status === "fulfilled" ? one.value : 0)));
}

async function settled<T>(work: Promise<T>): Promise<PromiseSettledResult<T>> {
  const [one] = await Promise.allSettled([work]);
  return one;
}
