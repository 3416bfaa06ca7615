import type { ProviderChannel } from "@belfry/contracts/channels";
import type { Receipt } from "@belfry/contracts/sending";
import type pg from "pg";
import { callFunction, chunks, type Database } from "../connection.ts";
import { eraseSensitiveVariables } from "./release-deliveries.ts";

export interface ReceiptsOrigin {
  tenantId: string;
  /** The channels that the provider serves. */
  channels: readonly ProviderChannel[];
  providerKind: string;
}

export interface StoredReceipts {
  /** Number of deliveries with a receipt that was not known before. */
  fresh: number;
  /** Number of events with a delivery whose status changed. */
  moved: number;
}

const BATCH_RECEIPTS = 500;

/**
 * Stores receipts and updates their deliveries, in batches. Receipts that are already stored, and those of other
 * tenants' deliveries, change nothing. Safe to call again.
 */
export async function storeReceipts(
  pool: pg.Pool,
  origin: ReceiptsOrigin,
  receipts: readonly Receipt[],
): Promise<StoredReceipts> {
  const fresh = new Set<string>();
  const movedEvents = new Set<string>();
  for (const batch of chunks(receipts, BATCH_RECEIPTS)) {
    type Row = { deliveryId: string; eventId: string | null };
    const rows = await callFunction<Row>(pool, "store_receipts_of_addresses", {
      p_tenant: origin.tenantId,
      p_channels: origin.channels,
      p_provider_kind: origin.providerKind,
      p_vendor_events: batch.map((receipt) => receipt.vendorEvent),
      p_deliveries: batch.map((receipt) => receipt.deliveryId),
      p_kinds: batch.map((receipt) => receipt.kind),
      p_reasons: batch.map((receipt) => receipt.reason),
      p_vendor_statuses: batch.map((receipt) => receipt.vendorStatus),
      p_times: batch.map((receipt) => receipt.occurredAt),
      p_suppress: batch.map((receipt) => receipt.suppress),
      p_addresses: batch.map((receipt) => receipt.address ?? null),
    });
    for (const row of rows) {
      fresh.add(row.deliveryId);
      if (row.eventId !== null) movedEvents.add(row.eventId);
    }
  }
  // A delivery that waited for another attempt may have been the last that needed the variables.
  if (movedEvents.size > 0) await eraseSensitiveVariables(pool, [...movedEvents]);
  return { fresh: fresh.size, moved: movedEvents.size };
}

/** Returns the receipts of deliveries of one tenant, in the order in which they were received. */
export async function receiptsOfDeliveries(
  db: Database,
  tenantId: string,
  deliveryIds: readonly string[],
) {
  if (deliveryIds.length === 0) return [];
  return await db
    .selectFrom("receipts")
    .select([
      "delivery_id as deliveryId",
      "provider_kind as providerKind",
      "kind",
      "reason",
      "vendor_status as vendorStatus",
      "occurred_at as occurredAt",
      "received_at as receivedAt",
      // The address that got a copy; null if the receipt is about the recipient.
      "address",
    ])
    .where("delivery_id", "in", deliveryIds)
    .where("tenant_id", "=", tenantId)
    .orderBy("received_at")
    .orderBy("vendor_event")
    .execute();
}

export type ReceiptRow = Awaited<ReturnType<typeof receiptsOfDeliveries>>[number];
