import { CHANNELS } from "@belfry/contracts/channels";
import type { Database } from "./connection.ts";

/** The channels that the tenant has templates for, in our order; all of them where it has none. */
export async function channelsInUse(db: Database, tenantId: string): Promise<string[]> {
  const rows = await db
    .selectFrom("templates")
    .select("channel")
    .distinct()
    .where("tenant_id", "=", tenantId)
    .where("active", "=", true)
    .execute();
  const used = CHANNELS.filter((channel) => rows.some((row) => row.channel === channel));
  return used.length === 0 ? CHANNELS : used;
}
