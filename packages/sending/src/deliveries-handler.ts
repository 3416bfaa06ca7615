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
  /** Limits the calls at a time. Each tenant has a share of them. */
  slots: FairSemaphore;
  /** The time in ms that a message waits for slots of its tenant before its other deliveries are postponed. */
  slotWaitMs: number;
  /** Begins as many deliveries as may be sent now, at most `held`. Each of them releases its slot. */
  begin(tenantId: string, ids: string[], held: number): Promise<Begun>;
  /** Puts deliveries back to `waiting` without an attempt. */
  postpone: (postponement: Postponement) => Promise<void>;
}

export interface Begun {
  /** One per begun delivery: for how many ms another sender holds its lease; 0 if none does. */
  begun: Promise<number>[];
  /** Deliveries that were not begun. */
  rest: string[];
  /** Deliveries for other providers, which may begin even if `rest` is postponed. */
  others?: string[];
  /** How to postpone `rest`; undefined if it may begin next. */
  postponement?: Pick<Postponement, "reason" | "delayMs" | "spacingMs">;
}

/** The postponement if all slots of the tenant's share are in use. */
const NO_SLOT = { reason: null, delayMs: 1_000, spacingMs: 0 };
/** Added to the time until another sender's lease ends. */
const BUSY_MARGIN_MS = 500;

/**
 * Creates the handler of messages with delivery ids. Each message is handled separately, and is done when all its
 * deliveries are settled, postponed or not ours to send. Handling a message twice is safe, because a delivery can only
 * be claimed in certain states.
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
  // Another sender holds some of the deliveries. If it dies before it settles them, this message delivers them again.
  if (busyMs === 0) return DONE;
  return { kind: "retry", delayMs: busyMs + BUSY_MARGIN_MS, reason: "held by another sender" };
}

function rejected(reason: string): MessageOutcome {
  return { kind: "reject", reason };
}

/**
 * Sends deliveries and resolves to the longest time in ms that another sender holds one; 0 if none does. Waits for all
 * begun deliveries, even if one fails. Otherwise a redelivered message would find its own deliveries still running.
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

/** Begins as many deliveries as the tenant's share of the slots and `deps.begin` allow now. */
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
