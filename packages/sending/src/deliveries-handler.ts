import type { ProviderChannel } from "@belfry/contracts/channels";
import type { ClaimResult, DeliveryToClaim } from "@belfry/database/functions/claim-deliveries";
import type { Postponement, Settlement } from "@belfry/database/functions/settle-deliveries";
import type { Logger } from "@belfry/service/logger";
import {
  DONE,
  type Message,
  type MessageHandler,
  type MessageOutcome,
} from "@belfry/service/message-batch";
import type { FairSemaphore } from "@belfry/service/semaphore";
import type { AttemptDeps } from "./attempt-delivery.ts";
import type { Circuits } from "./circuits.ts";
import { deliveryIds } from "./delivery-ids.ts";
import type { Leases } from "./leases.ts";
import type { Permits } from "./permits.ts";
import type { Renderers } from "./renderers.ts";
import { sendDelivery } from "./send-delivery.ts";

export interface DeliveriesHandlerDeps {
  channel: ProviderChannel;
  permits: Permits;
  circuits: Circuits;
  renderers: Renderers;
  links?: AttemptDeps["links"];
  slots: FairSemaphore;
  leases: Leases;
  /** Each of these gathers what comes in the same moment into one call of Postgres. */
  claim: (delivery: DeliveryToClaim) => Promise<ClaimResult>;
  settle: (settlement: Settlement) => Promise<boolean>;
  /** Puts deliveries back to rest, untried. */
  postpone: (postponement: Postponement) => Promise<void>;
  /** Called when a delivery of a sensitive template has ended. */
  eraseVariables: (eventId: string) => Promise<void>;
  /** Called when a vendor says that a delivery's address is gone for good or wants nothing more. */
  suppress: AttemptDeps["suppress"];
  /** How long a message waits for its tenant's share of the calls before the rest is put back. */
  slotWaitMs: number;
  random: () => number;
  log: Logger;
}

/** When the tenant's share of the calls was never free. */
const NO_SLOT_DELAY_MS = 1_000;
/** While a better message to probe with is on its way. */
const NO_PROBE_DELAY_MS = 2_000;
/** Added to the end of another sender's lease. */
const BUSY_MARGIN_MS = 500;

/**
 * Handles messages of delivery ids, each on its own: a message is done when each of its deliveries is
 * settled, put back to rest, or not ours to send. Safe to run twice: a delivery is claimed by state.
 */
export function createDeliveriesHandler(deps: DeliveriesHandlerDeps): MessageHandler {
  return (messages) => Promise.all(messages.map((message) => handleMessage(message, deps)));
}

async function handleMessage(
  message: Message,
  deps: DeliveriesHandlerDeps,
): Promise<MessageOutcome> {
  const named = deliveryIds(message);
  if (!named.ok) return named.rejected;
  const { tenantId, ids } = named;
  const busyMs = await sendAll(tenantId, ids, performance.now() + deps.slotWaitMs, deps);
  // Held by another sender: it settles them, or dies, and then this message is what brings them back.
  if (busyMs === 0) return DONE;
  return { kind: "retry", delayMs: busyMs + BUSY_MARGIN_MS, reason: "held by another sender" };
}

/**
 * Resolves to how long other senders hold some of the deliveries; 0: none. Everything that is begun is
 * observed from its first moment, and waited for also when something else fails: a message that comes
 * again must not find its own deliveries still under way.
 */
async function sendAll(
  tenantId: string,
  ids: string[],
  waitUntil: number,
  deps: DeliveriesHandlerDeps,
): Promise<number> {
  if (ids.length === 0) return 0;
  const waitMs = Math.max(0, waitUntil - performance.now());
  const { begun, rest, postponement } = await sendSome(tenantId, ids, waitMs, deps);
  const following =
    postponement === undefined
      ? sendAll(tenantId, rest, waitUntil, deps)
      : deps.postpone({ tenantId, ids: rest, ...postponement });
  const ended = await Promise.allSettled([...begun, following]);
  const fault = ended.find((one) => one.status === "rejected");
  if (fault !== undefined) throw fault.reason;
  return Math.max(0, ...ended.map((one) => (one.status === "fulfilled" && one.value) || 0));
}

interface Begun {
  /** One for each delivery that was begun: how long another sender holds it. */
  begun: Promise<number>[];
  rest: string[];
  /** For the rest; undefined: go on with it. */
  postponement?: Pick<Postponement, "reason" | "delayMs" | "spacingMs">;
}

/** Begins as many deliveries as the tenant's share, the circuits and the provider's rate allow now. */
async function sendSome(
  tenantId: string,
  ids: string[],
  slotWaitMs: number,
  deps: DeliveriesHandlerDeps,
): Promise<Begun> {
  const { slots, permits } = deps;
  let held = await slots.acquire(tenantId, ids.length, slotWaitMs);
  if (held === 0) {
    return { begun: [], rest: ids, postponement: soon(NO_SLOT_DELAY_MS) };
  }
  try {
    const permit = await permits.ask(tenantId, held);
    if (permit.kind === "wait") return { begun: [], rest: ids, postponement: permit };
    let next = ids;
    if (permit.kind === "send" && permit.probe) {
      const probe = await deps.circuits.chooseProbe(tenantId, ids);
      if (probe === undefined) {
        await deps.circuits.giveBack(permit.provider);
        return { begun: [], rest: ids, postponement: soon(NO_PROBE_DELAY_MS) };
      }
      next = [probe, ...ids.filter((id) => id !== probe)];
    }
    const count = permit.kind === "none" ? held : permit.startsAt.length;
    const begun = next.slice(0, count).map((id, at) => {
      held -= 1;
      return sendDelivery({ id, tenantId, permit, at }, deps);
    });
    return { begun, rest: next.slice(count) };
  } finally {
    for (; held > 0; held -= 1) slots.release(tenantId);
  }
}

function soon(delayMs: number) {
  return { reason: null, delayMs, spacingMs: 0 };
}
