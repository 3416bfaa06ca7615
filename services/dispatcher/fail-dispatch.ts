import { CHANNELS } from "@belfry/contracts/channels";
import type pg from "pg";

/**
 * Ends an event that no try can dispatch: every channel failed, with the reason. Does nothing to an
 * event that has been dispatched or refused meanwhile.
 */
export async function failDispatch(pool: pg.Pool, eventId: string, reason: string): Promise<void> {
  const failed = Object.fromEntries(CHANNELS.map((channel) => [channel, reason]));
  await pool.query("select fail_dispatch(p_id => $1, p_outcome => $2)", [
    eventId,
    JSON.stringify({ failed }),
  ]);
}
