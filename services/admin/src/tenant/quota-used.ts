import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";

const DAY_MS = 24 * 60 * 60_000;

/** How much of its limits a tenant used: in the last 60 seconds, and since midnight UTC (`since`). */
export async function quotaUsed(
  db: Database,
  tenantId: string,
): Promise<{ minute: number; day: number; since: Date }> {
  const { rows } = await sql<{ minute: number; day: number }>`
    select (select t.used from turned_ring(l.ring, l.ring_total, l.ring_second,
              greatest(l.ring_second, extract(epoch from clock_timestamp())::bigint)) t) as minute,
           case when l.day = (clock_timestamp() at time zone 'UTC')::date then l.day_total else 0 end as day
    from tenant_limits l where l.tenant_id = ${tenantId}`.execute(db);
  const since = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS);
  return { ...(rows[0] ?? { minute: 0, day: 0 }), since };
}
