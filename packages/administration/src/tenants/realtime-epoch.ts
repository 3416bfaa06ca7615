import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";

/**
 * Tells every realtime client, at its next reconnect, that its place in the history is worth nothing:
 * it reads the history anew. Part of a restore, as offsets after the backup are given a second time.
 */
export async function newRealtimeEpoch(db: Database): Promise<{ epoch: string }> {
  const { rows } = await sql<{ epoch: string }>`
    update realtime_epoch set epoch = substr(md5(gen_random_uuid()::text), 1, 8)
    returning epoch`.execute(db);
  return { epoch: rows[0]!.epoch };
}
