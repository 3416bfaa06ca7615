import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";

/**
 * Counts one event in a tenant's minute and day, as accept_events does, for a message that is no event.
 * False where there is no room; nothing is counted then.
 */
export async function takeEvent(db: Database, tenantId: string): Promise<boolean> {
  return await db.transaction().execute(async (transaction) => {
    await transaction
      .selectFrom("tenant_limits")
      .select("tenant_id")
      .where("tenant_id", "=", tenantId)
      .forUpdate()
      .execute();
    // A statement of its own: it sees what the holder of the lock before us has counted.
    const { numAffectedRows } = await sql`
      update tenant_limits l
      set ring = ring_with(o.ring, o.second, 1), ring_second = o.second, ring_total = o.used + 1,
          day = o.day, day_total = o.day_total + 1
      from (
        select r.ring, r.used, s.second, t.per_minute, t.daily_cap, greatest(k.day, d.today) as day,
               case when k.day >= d.today then k.day_total else 0 end as day_total
        from tenants t join tenant_limits k on k.tenant_id = t.id
        cross join lateral (select (clock_timestamp() at time zone 'UTC')::date as today) d
        cross join lateral (select ring_second(k.ring_second, clock_timestamp()) as second) s
        cross join lateral turned_ring(k.ring, k.ring_total, k.ring_second, s.second) r
        where t.id = ${tenantId}
      ) o
      where l.tenant_id = ${tenantId} and o.used < o.per_minute
        and (o.daily_cap is null or o.day_total < o.daily_cap)`.execute(transaction);
    return numAffectedRows === 1n;
  });
}
