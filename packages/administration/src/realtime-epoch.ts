import type { Database } from "@belfry/database/connection";
import { renewEpoch } from "@belfry/database/realtime-history";

/**
 * Tells every realtime client, at its next reconnect, that its place in the history is worth nothing:
 * it reads the history anew. Part of a restore, as offsets after the backup are given a second time.
 */
export async function newRealtimeEpoch(db: Database): Promise<{ epoch: string }> {
  return { epoch: await renewEpoch(db) };
}
