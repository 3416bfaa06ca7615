import type { Database } from "@belfry/database/connection";
import { changeConfiguration } from "../change-configuration.ts";
import { invalid } from "../input-error.ts";
import { lockTenant } from "../tenants/tenant-rows.ts";
import { setProviderActive } from "./provider-rows.ts";
import { type Provider, type ProviderAddress, placeProvider, showProvider } from "./providers.ts";

/**
 * Puts a provider into use, at its place or before all others. What is not in use has first to be shown
 * to work: throws `InvalidInput` where no test of its settings was accepted, and as `showProvider`.
 */
export async function useProvider(
  db: Database,
  address: ProviderAddress,
  { first }: { first: boolean },
): Promise<Provider> {
  return await changeConfiguration(db, async (transaction) => {
    const { id, tenantId } = await showProvider(transaction, address);
    await lockTenant(transaction, tenantId);
    // As it is now: nobody puts other settings while the tenant is locked.
    const provider = await showProvider(transaction, { id, tenantId });
    if (!provider.active && provider.testedAt === null) {
      throw invalid("provider", "must be tested first: no test of these settings was accepted");
    }
    if (!provider.active) await setProviderActive(transaction, provider, true);
    if (first) await placeProvider(transaction, provider, 0);
    return await showProvider(transaction, { id, tenantId });
  });
}
