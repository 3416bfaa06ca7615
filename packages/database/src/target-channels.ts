import { IN_APP } from "@belfry/contracts/channels";
import type { Database } from "./connection.ts";

/** The realtime channel names that active notification templates of the tenant and the platform publish to. */
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
