import { TENANT_ID, UUID } from "@belfry/contracts/identifiers";
import { decodeQueueMessage } from "@belfry/contracts/streams";
import type { Postponement } from "@belfry/database/functions/settle-deliveries";
import {
  DONE,
  type Message,
  type MessageHandler,
  type MessageOutcome,
} from "@belfry/service/message-batch";
import type { FairSemaphore } from "@belfry/service/semaphore";

export interface DeliveriesHandlerDeps {
  /** Calls at a time, of which each tenant has a share. */
  slots: FairSemaphore;
  /** How long a message waits for its tenant's share of the calls before the rest is put back. */
  slotWaitMs: number;
  /** Begins as many of the deliveries as may be sent now: at most `held`, each of which gives back its slot. */
  begin(tenantId: string, ids: string[], held: number): Promise<Begun>;
  /** Puts deliveries back to rest, untried. */
  postpone: (postponement: Postponement) => Promise<void>;
}

export interface Begun {
  /** One for each delivery that was begun: for how many ms another sender holds it; 0: none does. */
  begun: Promise<number>[];
  rest: string[];
  /** Deliveries that can go on although the rest cannot. */
  others?: string[];
  /** The outcome of the rest; undefined: continue with it. */
  postponement?: Pick<Postponement, "reason" | "delayMs" | "spacingMs">;
}

/** When every slot of the tenant's share was in use. */
const NO_SLOT = { reason: null, delayMs: 1_000, spacingMs: 0 };
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
  const tenantId = message.subject.slice(message.subject.lastIndexOf(".") + 1);
  if (!TENANT_ID.test(tenantId)) return rejected("no tenant in the subject");
  const decoded = decodeQueueMessage(message.data);
  if (decoded === undefined) return rejected("not a message of deliveries");
  const ids = [...new Set(decoded.items.map(({ id }) => id.toLowerCase()))];
  if (ids.some((id) => !UUID.test(id))) return rejected("not an id of a delivery");
  const busyMs = await sendAll(tenantId, ids, performance.now() + deps.slotWaitMs, deps);
  // Another sender holds some: it settles them, or dies, and then this message brings them back.
  if (busyMs === 0) return DONE;
  return { kind: "retry", delayMs: busyMs + BUSY_MARGIN_MS, reason: "held by another sender" };
}

function rejected(reason: string): MessageOutcome {
  return { kind: "reject", reason };
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
  const { begun, rest, others = [], postponement } = await sendSome(tenantId, ids, waitMs, deps);
  const following =
    postponement === undefined
      ? [sendAll(tenantId, [...rest, ...others], waitUntil, deps)]
      : [
          deps.postpone({ tenantId, ids: rest, ...postponement }),
          sendAll(tenantId, others, waitUntil, deps),
        ];
  const ended = await Promise.allSettled([...begun, ...following]);
  const fault = ended.find((one) => one.status === "rejected");
  if (fault !== undefined) throw fault.reason;
  return Math.max(0, ...ended.map((one) => (one.status === "fulfilled" && one.value) || 0));
}

/** Begins as many deliveries as the tenant's share of the slots allows now, and `deps.begin`. */
async function sendSome(
  tenantId: string,
  ids: string[],
  slotWaitMs: number,
  deps: DeliveriesHandlerDeps,
): Promise<Begun> {
  let held = await deps.slots.acquire(tenantId, ids.length, slotWaitMs);
  if (held === 0) return { begun: [], rest: ids, postponement: NO_SLOT };
  try {
    const some = await deps.begin(tenantId, ids, held);
    held -= some.begun.length;
    return some;
  } finally {
    for (; held > 0; held -= 1) deps.slots.release(tenantId);
  }
}
