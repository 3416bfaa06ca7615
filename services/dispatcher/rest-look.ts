import { setImmediate as nextTurn } from "node:timers/promises";
import { SENT_CHANNELS, type SentChannel } from "@belfry/contracts/channels";
import type { Pool } from "@belfry/database/connection";

/** All that an idle dispatcher has to know. */
export interface Rest {
  /** On which deliveries are at rest, due or not: for the others a turn has nothing to do. */
  channels: SentChannel[];
  /** Whether a scheduled event is due by the database's clock. */
  isEventDue: boolean;
}

/** Returns the look at it: whoever asks in one turn of the event loop shares the one that follows. */
export function createRestLook(pool: Pool): () => Promise<Rest> {
  let look: Promise<Rest> | undefined;
  return () => {
    look ??= nextTurn().then(() => {
      look = undefined;
      return readRest(pool);
    });
    return look;
  };
}

async function readRest(pool: Pool): Promise<Rest> {
  const { rows } = await pool.query({
    name: "read_rest",
    // Of events the soonest, then the clock: as a condition of the index a clock that runs on is asked row by row.
    text: `select array(
             select c.channel from unnest($1::text[]) as c (channel)
             cross join lateral (
               select from deliveries d
               where d.channel = c.channel and d.released_at is null
                 and d.status in ('queued', 'waiting')
               order by d.tenant_id limit 1
             ) d
           ) as channels,
           (select send_at from scheduled_events order by send_at limit 1)
             <= clock_timestamp() as is_event_due`,
    values: [SENT_CHANNELS],
  });
  return { channels: rows[0].channels, isEventDue: rows[0].is_event_due === true };
}
