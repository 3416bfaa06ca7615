import { createHash } from "node:crypto";
import { channelMask } from "@belfry/contracts/channels";
import type { Pool } from "@belfry/database/connection";
import { acceptEvents } from "@belfry/database/functions/accept-events";
import { uuidv7 } from "uuidv7";
import { EVENT_TYPE } from "../failure/world.ts";

const BATCH = 1_000;
/** Far enough: they are made due together. */
const DELAY_SECONDS = 86_400;

/** Events on EMAIL that rest, `count` of them, with keys `key-<label>-<number>`. */
export async function acceptResting(
  pool: Pool,
  tenantId: string,
  { label, count }: { label: string; count: number },
): Promise<void> {
  for (let from = 0; from < count; from += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - from) }, (_, at) => {
      const key = `key-${label}-${from + at}`;
      return {
        ...{ tenantId, id: uuidv7(), eventType: EVENT_TYPE, userId: `user-${at}`, reference: null },
        ...{ recipientEmail: "ann@example.com", recipientPhone: null, traceId: "resting" },
        dedupKey: createHash("sha256").update(key).digest("hex"),
        variables: JSON.stringify({ key }),
        options: { delaySeconds: DELAY_SECONDS, channels: channelMask(["EMAIL"]) },
      };
    });
    batch.sort((one, other) => (one.dedupKey < other.dedupKey ? -1 : 1));
    const results = await acceptEvents(pool, batch);
    const refused = results.find(({ outcome }) => outcome !== "scheduled");
    if (refused !== undefined) throw new Error(JSON.stringify(refused));
  }
}

/** All that rests is due in the same moment: now. */
export async function makeDue(pool: Pool): Promise<void> {
  await pool.query(
    `with moment as materialized (select clock_timestamp() as at),
     moved as (update scheduled_events s set send_at = m.at from moment m returning s.event_id, s.send_at)
     update events e set send_at = m.send_at from moved m where e.id = m.event_id`,
  );
}
