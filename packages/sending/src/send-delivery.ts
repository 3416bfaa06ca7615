import { setTimeout as sleep } from "node:timers/promises";
import type { SendOutcome } from "@belfry/contracts/sending";
import type { ClaimedDelivery, ClaimResult } from "@belfry/database/functions/claim-deliveries";
import type { Settlement } from "@belfry/database/functions/settle-deliveries";
import { attemptDelivery } from "./attempt-delivery.ts";
import type { DeliveriesHandlerDeps } from "./deliveries-handler.ts";
import type { Permit } from "./permits.ts";
import { countOutcome } from "./sending-metrics.ts";

export interface DeliveryToSend {
  id: string;
  tenantId: string;
  permit: Exclude<Permit, { kind: "wait" }>;
  /** Its place among the moments of the permit. */
  at: number;
}

/**
 * Claims one delivery, tries it once and settles it. The caller holds a slot for it: given back here,
 * as soon as the call has ended. Resolves to how long another sender holds the delivery; 0: it does not.
 */
export async function sendDelivery(item: DeliveryToSend, deps: DeliveriesHandlerDeps) {
  const { id, tenantId, permit } = item;
  const provider = permit.kind === "send" ? permit.provider : null;
  let slotHeld = true;
  const giveSlot = () => {
    if (slotHeld) deps.slots.give(tenantId);
    slotHeld = false;
  };
  // A probe that makes no call must not keep others from probing.
  let probeHeld = permit.kind === "send" && permit.probe;
  try {
    const claimed = await deps.claim({ id, tenantId, provider });
    if (claimed.becomes === "busy") return claimed.waitMs;
    if (claimed.becomes === "gone") return 0;
    if (claimed.becomes !== "sending") {
      await noteEnd(item, claimed, deps);
      return 0;
    }
    const { delivery } = claimed;
    using _lease = deps.leases.hold({ id: delivery.id, attempt: delivery.attempt });
    if (permit.kind === "none") throw new Error("a delivery was claimed for no provider");
    const startsInMs = permit.startsAt[item.at]! - performance.now();
    if (startsInMs > 0) await sleep(startsInMs);
    const learn = async (outcome: SendOutcome) => {
      await deps.circuits.note(permit.provider, outcome, probeHeld);
      probeHeld = false;
      if (!deps.circuits.isOpen(permit.provider.id)) return false;
      return permit.providers.some(({ id: other }) => !deps.circuits.isOpen(other));
    };
    const settlement = await attemptDelivery(delivery, permit.provider, { ...deps, learn });
    giveSlot();
    await settleDelivery(delivery, settlement, deps);
    return 0;
  } finally {
    giveSlot();
    if (probeHeld && permit.kind === "send") await deps.circuits.giveBack(permit.provider);
  }
}

async function settleDelivery(
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
  item: DeliveryToSend,
  ended: Extract<ClaimResult, { was: unknown }>,
  deps: DeliveriesHandlerDeps,
): Promise<void> {
  const { id: deliveryId, tenantId } = item;
  const { becomes: status, reason, eventId, traceId } = ended;
  countOutcome(deps.channel, null, status);
  deps.log.info({ deliveryId, tenantId, eventId, traceId, status, reason }, "delivery ended");
  if (ended.sensitive) await deps.eraseVariables(eventId);
}
