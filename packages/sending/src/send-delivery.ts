import { setTimeout as sleep } from "node:timers/promises";
import type { SendOutcome } from "@belfry/contracts/sending";
import type { ClaimedDelivery, ClaimResult } from "@belfry/database/functions/claim-deliveries";
import type { Settlement } from "@belfry/database/functions/settle-deliveries";
import type { ActiveProvider } from "./active-providers.ts";
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
 * Claims one delivery, tries it once and settles it; where a provider does not take it and another may, at once by
 * that one. The caller holds a slot for it: given back here, as soon as the last call has ended. Resolves to how
 * long another sender holds the delivery; 0: it does not.
 */
export async function sendDelivery(item: DeliveryToSend, deps: DeliveriesHandlerDeps) {
  const { id, tenantId } = item;
  let slotHeld = true;
  const giveSlot = () => {
    if (slotHeld) deps.slots.release(tenantId);
    slotHeld = false;
  };
  // A probe that makes no call must not keep others from probing.
  const probes = new Set<ActiveProvider>();
  const refusedBy = new Set<string>();
  let permit: DeliveryToSend["permit"] | undefined = item.permit;
  let at = item.at;
  try {
    while (permit !== undefined) {
      const given: DeliveryToSend["permit"] = permit;
      permit = undefined;
      if (given.kind === "send" && given.probe) probes.add(given.provider);
      const provider = given.kind === "send" ? given.provider : null;
      const claimed = await deps.claim({ id, tenantId, provider });
      if (claimed.becomes === "busy") return claimed.waitMs;
      if (claimed.becomes === "gone") return 0;
      if (claimed.becomes !== "sending") {
        await noteEnd(item, claimed, deps);
        return 0;
      }
      const { delivery } = claimed;
      using _lease = deps.leases.hold({ id: delivery.id, attempt: delivery.attempt });
      if (given.kind === "none") throw new Error("a delivery was claimed for no provider");
      const startsInMs = given.startsAt[at]! - performance.now();
      if (startsInMs > 0) await sleep(startsInMs);
      const learn = async (outcome: SendOutcome) => {
        await deps.circuits.note(given.provider, outcome, probes.delete(given.provider));
        if (outcome.class === "policy" || outcome.ofOneMessage) {
          refusedBy.add(given.provider.id);
          const next = await deps.permits.ask(tenantId, 1, refusedBy).catch((err) => {
            deps.log.warn({ err, deliveryId: id }, "no other provider could be looked for");
          });
          if (next?.kind !== "send") return next?.kind === "none" ? undefined : "later";
          [permit, at] = [next, 0];
          return "now";
        }
        if (!deps.circuits.isOpen(given.provider.id)) return undefined;
        const another = given.providers.some(({ id: other }) => !deps.circuits.isOpen(other));
        return another ? "now" : undefined;
      };
      const settlement = await attemptDelivery(delivery, given.provider, { ...deps, learn });
      if (permit === undefined) giveSlot();
      if (!(await settleDelivery(delivery, settlement, deps))) return 0;
    }
    return 0;
  } finally {
    giveSlot();
    if (permit?.kind === "send" && permit.probe) probes.add(permit.provider);
    for (const probe of probes) await deps.circuits.giveBack(probe);
  }
}

async function settleDelivery(
  delivery: ClaimedDelivery,
  settlement: Settlement,
  deps: DeliveriesHandlerDeps,
): Promise<boolean> {
  const moved = await deps.settle(settlement);
  if (!moved) {
    const { id: deliveryId, tenantId, traceId, attempt } = delivery;
    const details = { deliveryId, tenantId, traceId, attempt, status: settlement.status };
    deps.log.warn(details, "the lease had ended: another attempt decides");
  }
  if (delivery.sensitive && settlement.status !== "waiting") {
    await deps.eraseVariables(delivery.eventId);
  }
  return moved;
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
