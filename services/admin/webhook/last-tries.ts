import { WEBHOOK } from "@belfry/contracts/channels";
import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";

/** How the last call for a message went. */
export interface LastTry {
  messageId: string;
  /** So many tries there were. */
  number: number;
  /** null: it goes on, or its process died. */
  durationMs: number | null;
  /** Of HTTP; null: nothing was answered. */
  status: string | null;
  reason: string | null;
}

/** By message; of those that were not tried there is none. */
export async function lastTries(
  db: Database,
  tenantId: string,
  messageIds: readonly string[],
): Promise<Map<string, LastTry>> {
  const { rows } = await sql<LastTry>`
    select d.event_id as "messageId", a.number, a.vendor_status as status, a.reason,
           (extract(epoch from a.ended_at - a.started_at) * 1000)::integer as "durationMs"
    from unnest(${messageIds}::uuid[]) i (id)
    cross join lateral (
      select * from deliveries
      where event_id = i.id and channel = ${WEBHOOK} and tenant_id = ${tenantId} limit 1) d
    cross join lateral (
      select * from attempts where delivery_id = d.id order by number desc limit 1) a`.execute(db);
  return new Map(rows.map((row) => [row.messageId, row]));
}
