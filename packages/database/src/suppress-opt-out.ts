import type { ProviderChannel } from "@belfry/contracts/channels";
import { sql } from "kysely";
import type { Database } from "./connection.ts";

export interface OptOut {
  tenantId: string;
  channel: ProviderChannel;
  /** As its delivery names it. */
  address: string;
  /** The kind of provider that told it. */
  source: string;
}

/** From now on nothing is sent to the address; safe to call again. */
export async function suppressOptOut(db: Database, optOut: OptOut): Promise<void> {
  const { tenantId, channel, address, source } = optOut;
  await sql`
    insert into suppressions (tenant_id, channel, address, reason, source)
    select t.id, ${channel}, lower(${address} collate "C"), 'opted out', ${source}
    from tenants t where t.id = ${tenantId}
    on conflict do nothing`.execute(db);
}
