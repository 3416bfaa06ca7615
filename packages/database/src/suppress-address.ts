import type { ProviderChannel } from "@belfry/contracts/channels";
import type { SendOutcome } from "@belfry/contracts/sending";
import { sql } from "kysely";
import type { Database } from "./connection.ts";

export interface AddressToSuppress {
  tenantId: string;
  channel: ProviderChannel;
  /** As its delivery names it. */
  address: string;
  reason: NonNullable<SendOutcome["suppress"]>;
  /** The kind of provider that told it. */
  source: string;
}

/** From now on nothing is sent to the address; safe to call again. */
export async function suppressAddress(db: Database, given: AddressToSuppress): Promise<void> {
  const { tenantId, channel, address, reason, source } = given;
  await sql`
    insert into suppressions (tenant_id, channel, address, reason, source)
    select t.id, ${channel}, lower(${address} collate "C"), ${reason}, ${source}
    from tenants t where t.id = ${tenantId}
    on conflict do nothing`.execute(db);
}
