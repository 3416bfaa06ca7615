import type { Database } from "@belfry/database/connection";
import { type ReceiptRow, receiptsOfDeliveries } from "@belfry/database/functions/store-receipts";
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
  deliveries: (DeliveryRow & { attempts: AttemptRow[]; receipts: ReceiptRow[] })[];
  notification: NotificationState | undefined;
}

export async function readEventFacts(db: Database, event: EventRow): Promise<EventFacts> {
  const deliveries = await deliveriesOfEvent(db, event.tenantId, event.id);
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
      attempts: attempts.get(row.id) ?? [],
      receipts: receipts.get(row.id) ?? [],
    })),
    notification: await notificationOfEvent(db, event.tenantId, event.id),
  };
}
