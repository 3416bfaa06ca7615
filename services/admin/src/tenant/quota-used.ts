import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";

const DAY_MS = 24 * 60 * 60_000;

/**
 * Returns how much of its limits a tenant uses: in the last 60 s, since midnight UTC (`since`), and for attachments.
 */
export async function quotaUsed(
  db: Database,
  tenantId: string,
): Promise<{ minute: number; day: number; attachmentMib: number; since: Date }> {
  const { rows } = await sql<{ minute: number; day: number; attachmentMib: number }>`
    select (select t.used from turned_ring(l.ring, l.ring_total, l.ring_second,
              greatest(l.ring_second, extract(epoch from clock_timestamp())::bigint)) t) as minute,
           case when l.day = (clock_timestamp() at time zone 'UTC')::date then l.day_total else 0 end as day,
           coalesce((select ceil(s.bytes / 1048576.0) from attachment_sums s where s.tenant_id = l.tenant_id), 0)::integer
             as "attachmentMib"
    from tenant_limits l where l.tenant_id = ${tenantId}`.execute(db);
  const since = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS);
  return { ...(rows[0] ?? { minute: 0, day: 0, attachmentMib: 0 }), since };
}
