import { type Settlement, settleDeliveries } from "@belfry/database/functions/settle-deliveries";
import type pg from "pg";
import { type Persistence, persistently } from "./persistently.ts";

/**
 * Settles until Postgres takes it; for each, whether it moved. What the other side has accepted and nobody
 * has written down is sent again when the lease has ended: with a sender that dies in that moment this is
 * the window for a double, so it is given up only at the end of the shutdown.
 */
export async function settlePersistently(
  batch: readonly Settlement[],
  options: Persistence & { pool: pg.Pool },
): Promise<boolean[]> {
  const moved = await persistently("settle", () => settleDeliveries(options.pool, batch), options);
  return batch.map(({ deliveryId }) => moved.has(deliveryId));
}
