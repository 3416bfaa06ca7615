import { storedReason } from "@belfry/contracts/reasons";
import type { Pool } from "@belfry/database/connection";
import type { EventDispatch } from "@belfry/database/functions/dispatch-events";
import { suppressionsOf } from "@belfry/database/functions/recipients";

/**
 * Takes out what would wait (for the end of quiet hours, of a digest's window, or to be read), or count as let
 * through, and then be skipped, as its address is suppressed: that is told now. One statement for a batch in which
 * there is any; of what leaves at once the claim decides.
 */
export async function leaveSuppressed(pool: Pool, batch: readonly EventDispatch[]): Promise<void> {
  const waiting = batch.flatMap((dispatch) =>
    dispatch.deliveries
      .filter(({ waits, timing }) => waits !== undefined || timing !== undefined)
      .map((delivery) => ({ dispatch, delivery })),
  );
  if (waiting.length === 0) return;
  const reasons = await suppressionsOf(
    pool,
    waiting.map(({ delivery }) => delivery),
  );
  for (const [at, { dispatch, delivery }] of waiting.entries()) {
    const reason = reasons[at];
    if (reason === undefined) continue;
    const { channel } = delivery;
    const { [channel]: _, ...waits } = dispatch.outcome?.waits ?? {};
    const why = storedReason("address-suppressed", { reason });
    const skipped = { ...dispatch.outcome?.skipped, [channel]: why };
    dispatch.outcome = { ...dispatch.outcome, skipped, waits };
    if (Object.keys(waits).length === 0) delete dispatch.outcome.waits;
    dispatch.deliveries = dispatch.deliveries.filter((one) => one !== delivery);
    // With no delivery under way the last channel has ended here.
    dispatch.eraseVariables = dispatch.isSensitive && dispatch.deliveries.length === 0;
  }
}
