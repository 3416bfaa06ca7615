import { textFault } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import { changeConfiguration } from "../change-configuration.ts";
import { faultAt, refuseFaults } from "../input-error.ts";
import { lockTenant } from "../tenants/tenant-rows.ts";
import { findProviders, renameProviderRow } from "./provider-rows.ts";
import { type ProviderAddress, showProvider } from "./providers.ts";

/**
 * Gives a provider another name: what it has and what it sent stay. No two of a channel have one name.
 * Throws `InvalidInput`, and as `showProvider`.
 */
export async function renameProvider(db: Database, address: ProviderAddress, newName: string) {
  const refuse = (message: string | undefined) => refuseFaults([faultAt("newName", message)]);
  refuse(textFault(newName));
  return await changeConfiguration(db, async (transaction) => {
    const { id, tenantId, channel } = await showProvider(transaction, address);
    await lockTenant(transaction, tenantId);
    const named = await findProviders(transaction, { tenantId, channel, name: newName });
    const isTaken = named.some((other) => other.id !== id);
    refuse(isTaken ? "is taken by another account of this channel" : undefined);
    await renameProviderRow(transaction, { id, tenantId }, newName);
    return await showProvider(transaction, { id });
  });
}
