import { CHANNELS, IN_APP } from "@belfry/contracts/channels";
import type { Database } from "./connection.ts";

/** Returns the channels for which the tenant has active templates, in our order; all channels if it has none. */
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

/** Returns the realtime channel names that active notification templates of tenant and platform publish to. */
export async function findTargetChannels(db: Database, tenantId: string): Promise<string[]> {
  const rows = await db
    .selectFrom("templates as t")
    .innerJoin("template_variants as v", "v.template_id", "t.id")
    .select("t.target_channel")
    .distinct()
    .where("t.tenant_id", "in", [tenantId, "platform"])
    .where("t.channel", "=", IN_APP)
    .where("t.active", "=", true)
    .where("v.locale", "=", "")
    .where("t.target_channel", "is not", null)
    .orderBy("t.target_channel")
    .execute();
  return rows.map((row) => row.target_channel!);
}
