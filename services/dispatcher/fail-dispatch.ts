import { CHANNELS } from "@belfry/contracts/channels";
import type pg from "pg";

/**
 * Ends an event that no try can dispatch: every channel failed, with the reason. Does nothing to an
 * event that has been dispatched or refused meanwhile.
 */
export async function failDispatch(pool: pg.Pool, eventId: string, reason: string): Promise<void> {
  const failed = Object.fromEntries(CHANNELS.map((channel) => [channel, reason]));
  await pool.query(
    `with claimed as (delete from undispatched_events where event_id = $1 returning event_id)
     update events set dispatched_at = clock_timestamp(), outcome = $2
     from claimed where events.id = claimed.event_id`,
    [eventId, JSON.stringify({ failed })],
  );
}
