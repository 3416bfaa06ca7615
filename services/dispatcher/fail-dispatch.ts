import { CHANNELS } from "@belfry/contracts/channels";
import { storedReason } from "@belfry/contracts/reasons";
import type pg from "pg";

/**
 * Ends an event that no try can dispatch: every channel failed. Does nothing to an
 * event that has been dispatched or refused meanwhile.
 */
export async function failDispatch(pool: pg.Pool, eventId: string): Promise<void> {
  const reason = storedReason("dispatch-failed");
  const failed = Object.fromEntries(CHANNELS.map((channel) => [channel, reason]));
  await pool.query("select fail_dispatch(p_id => $1, p_outcome => $2)", [
    eventId,
    JSON.stringify({ failed }),
  ]);
}
