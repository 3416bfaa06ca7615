import type { Database } from "@belfry/database/connection";
import { type ReceiptRow, receiptsOfDeliveries } from "@belfry/database/functions/store-receipts";
import { type GatheringRow, gatheringsOfEvent } from "./digest-rows.ts";
import { type NotificationState, notificationOfEvent } from "./notification-rows.ts";
import {
  type AttemptRow,
  attemptsOfDeliveries,
  type DeliveryRow,
  deliveriesOfEvent,
  type EventRow,
} from "./timeline-rows.ts";

/** An event with all that became of it. */
export interface EventFacts {
  event: EventRow;
  /** Its own, and those of the digests that it is in. */
  deliveries: (DeliveryRow & { attempts: AttemptRow[]; receipts: ReceiptRow[] })[];
  gatherings: GatheringRow[];
  notification: NotificationState | undefined;
}

export async function readEventFacts(db: Database, event: EventRow): Promise<EventFacts> {
  const gatherings = await gatheringsOfEvent(db, event.tenantId, event.id);
  const digests = gatherings.filter(({ state }) => state === "in").map((one) => one.digestId);
  const deliveries = await deliveriesOfEvent(db, event.tenantId, [event.id, ...digests]);
  const ids = deliveries.map((delivery) => delivery.id);
  const attempts = Map.groupBy(
    await attemptsOfDeliveries(db, ids),
    (attempt) => attempt.deliveryId,
  );
  const receipts = Map.groupBy(
    await receiptsOfDeliveries(db, event.tenantId, ids),
    (receipt) => receipt.deliveryId,
  );
  return {
    event,
    deliveries: deliveries.map((row) => ({
      ...row,
      // Of a digest the delivery says only that one of its events was cancelled.
      cancelAskedAt:
        row.eventId === event.id
          ? row.cancelAskedAt
          : (gatherings.find(({ digestId }) => digestId === row.eventId)?.cancelAskedAt ?? null),
      attempts: attempts.get(row.id) ?? [],
      receipts: receipts.get(row.id) ?? [],
    })),
    gatherings,
    notification: await notificationOfEvent(db, event.tenantId, event.id),
  };
}
