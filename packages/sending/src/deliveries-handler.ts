import type { ProviderChannel } from "@belfry/contracts/channels";
import { TENANT_ID, UUID } from "@belfry/contracts/identifiers";
import { decodeQueueMessage } from "@belfry/contracts/queue-message";
import type {
  ClaimedDelivery,
  ClaimResult,
  DeliveryToClaim,
} from "@belfry/database/claim-deliveries";
import type { Settlement } from "@belfry/database/settle-deliveries";
import type { Logger } from "@belfry/service/logger";
import { DONE, type Message, type MessageHandler, type Outcome } from "@belfry/service/outcome";
import type { Account, Accounts } from "./accounts.ts";
import { attemptDelivery } from "./attempt-delivery.ts";
import { checkMove } from "./next-step.ts";
import type { Renderers } from "./renderers.ts";
import type { Slots } from "./slots.ts";

export interface DeliveriesHandlerDeps {
  channel: ProviderChannel;
  accounts: Accounts;
  renderers: Renderers;
  slots: Slots;
  /** Each of these gathers what comes in the same moment into one call of Postgres. */
  claim: (delivery: DeliveryToClaim) => Promise<ClaimResult>;
  settle: (settlement: Settlement) => Promise<boolean>;
  /** Puts deliveries back to rest, untried. */
  postpone: (tenantId: string, ids: string[], delayMs: number) => Promise<void>;
  /** Called when a delivery of a sensitive template has ended. */
  eraseVariables: (eventId: string) => Promise<void>;
  /** How long a message waits for its tenant's share of the calls before the rest is put back. */
  slotWaitMs: number;
  random: () => number;
  log: Logger;
}

/** When the tenant's share of the calls was never free. */
const POSTPONE_MS = 1000;
/** Added to the end of another sender's lease. */
const BUSY_MARGIN_MS = 500;

/**
 * Handles messages of delivery ids, each on its own: a message is done when each of its deliveries is
 * settled, put back to rest, or not ours to send. Safe to run twice: a delivery is claimed by state.
 */
export function createDeliveriesHandler(deps: DeliveriesHandlerDeps): MessageHandler {
  return (messages) => Promise.all(messages.map((message) => handleMessage(message, deps)));
}

async function handleMessage(message: Message, deps: DeliveriesHandlerDeps): Promise<Outcome> {
  const tenantId = message.subject.slice(message.subject.lastIndexOf(".") + 1);
  if (!TENANT_ID.test(tenantId)) return { kind: "reject", reason: "no tenant in the subject" };
  const decoded = decodeQueueMessage(message.data);
  if (decoded === undefined) return { kind: "reject", reason: "not a message of deliveries" };
  const ids = [...new Set(decoded.items.map(({ id }) => id.toLowerCase()))];
  if (ids.some((id) => !UUID.test(id)))
    return { kind: "reject", reason: "not an id of a delivery" };
  const busyMs = await sendAll(tenantId, ids, deps);
  // Held by another sender: it settles them, or dies, and then this message is what brings them back.
  if (busyMs === 0) return DONE;
  return { kind: "retry", delayMs: busyMs + BUSY_MARGIN_MS, reason: "held by another sender" };
}

/** Resolves to how long other senders hold some of the deliveries; 0: none. */
async function sendAll(
  tenantId: string,
  ids: string[],
  deps: DeliveriesHandlerDeps,
): Promise<number> {
  const { slots } = deps;
  const waitUntil = performance.now() + deps.slotWaitMs;
  const sent: Promise<number>[] = [];
  let rest = ids;
  while (rest.length > 0) {
    // No active provider: claiming says so and ends them, without a call.
    const account = (await deps.accounts.of(tenantId))[0];
    const waitMs = Math.max(0, waitUntil - performance.now());
    const taken = await slots.take(tenantId, rest.length, waitMs);
    if (taken === 0) {
      sent.push(deps.postpone(tenantId, rest, POSTPONE_MS).then(() => 0));
      break;
    }
    for (const id of rest.slice(0, taken)) {
      sent.push(sendOne({ id, tenantId, provider: account ?? null }, account, deps));
    }
    rest = rest.slice(taken);
  }
  const ended = await Promise.allSettled(sent);
  const fault = ended.find((one) => one.status === "rejected");
  if (fault !== undefined) throw fault.reason;
  return Math.max(0, ...ended.map((one) => (one.status === "fulfilled" ? one.value : 0)));
}

async function sendOne(
  item: DeliveryToClaim,
  account: Account | undefined,
  deps: DeliveriesHandlerDeps,
): Promise<number> {
  let slotHeld = true;
  const giveSlot = () => {
    if (slotHeld) deps.slots.give(item.tenantId);
    slotHeld = false;
  };
  try {
    const claimed = await deps.claim(item);
    if (claimed.becomes === "busy") return claimed.waitMs;
    if (claimed.becomes === "gone") return 0;
    if (claimed.becomes !== "sending") {
      await noteEnd(item, claimed, deps);
      return 0;
    }
    if (account === undefined) throw new Error("a delivery was claimed for no provider");
    const { settlement } = await attemptDelivery(claimed.delivery, account, deps);
    giveSlot();
    await settleOne(claimed.delivery, settlement, deps);
    return 0;
  } finally {
    giveSlot();
  }
}

async function settleOne(
  delivery: ClaimedDelivery,
  settlement: Settlement,
  deps: DeliveriesHandlerDeps,
): Promise<void> {
  const moved = await deps.settle(settlement);
  if (!moved) {
    const { id: deliveryId, tenantId, traceId, attempt } = delivery;
    const details = { deliveryId, tenantId, traceId, attempt, status: settlement.status };
    deps.log.warn(details, "the lease had ended: another attempt decides");
  }
  if (delivery.sensitive && settlement.status !== "waiting") {
    await deps.eraseVariables(delivery.eventId);
  }
}

async function noteEnd(
  item: DeliveryToClaim,
  ended: Extract<ClaimResult, { was: unknown }>,
  deps: DeliveriesHandlerDeps,
): Promise<void> {
  checkMove(ended.was, ended.becomes);
  const { id: deliveryId, tenantId } = item;
  const { becomes: status, reason, eventId } = ended;
  deps.log.info({ deliveryId, tenantId, eventId, status, reason }, "delivery ended");
  if (ended.sensitive) await deps.eraseVariables(eventId);
}
