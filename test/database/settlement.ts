import { randomUUID } from "node:crypto";
import type { Receipt } from "@belfry/contracts/sending";
import type { Settlement } from "@belfry/database/functions/settle-deliveries";

/** The outcome of an accepted first attempt; `more` replaces fields. */
export const settlement = (deliveryId: string, more: Partial<Settlement> = {}): Settlement => ({
  ...{ deliveryId, attempt: 1, status: "accepted", reason: null, delayMs: null },
  ...{ counted: false, missing: null },
  end: {
    ...{ class: "accepted", durationMs: 1, reason: null, vendor_status: null },
    ...{ vendor_answer: null, message_id: "m1" },
  },
  ...more,
});

/** A receipt "delivered"; `more` replaces fields. */
export const receipt = (deliveryId: string, more: Partial<Receipt> = {}): Receipt => ({
  ...{ vendorEvent: randomUUID(), deliveryId, kind: "delivered", suppress: null },
  ...{ reason: null, vendorStatus: null, occurredAt: null, ...more },
});
