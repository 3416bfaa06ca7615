import { MAX_LIVE_API_KEYS } from "@belfry/contracts/bounds";
import type { Database } from "@belfry/database/connection";
import { changeConfiguration } from "../change-configuration.ts";
import { InvalidInput, refuseFaults } from "../input-error.ts";
import { keyName, newApiKey } from "./api-key.ts";
import { deleteOldApiKeys, expireApiKeys, insertApiKey, liveApiKeys } from "./api-key-rows.ts";
import { lockTenant } from "./tenant-rows.ts";
import { showTenant, type TenantWithKey, tenantNotFound } from "./tenants.ts";

/** A day to bring the new key to every machine of the tenant. */
export const DEFAULT_OVERLAP_SECONDS = 24 * 60 * 60;
export const MAX_OVERLAP_SECONDS = 30 * 24 * 60 * 60;

/**
 * Makes a new key, called `name`, or as the newest before it. The keys before it go on working for
 * `overlapSeconds` (or less, if they were to end sooner); 0 ends them at once. Throws `NotFound`, and
 * `InvalidInput` also when the tenant has 10 live keys already.
 */
export async function rotateApiKey(
  db: Database,
  tenantId: string,
  overlapSeconds: number = DEFAULT_OVERLAP_SECONDS,
  name?: string | undefined,
): Promise<TenantWithKey> {
  refuseFaults([overlapFault(overlapSeconds)]);
  const { apiKey, ...stored } = newApiKey();
  const given = keyName(name, "name");
  await changeConfiguration(db, async (transaction) => {
    if (!(await lockTenant(transaction, tenantId))) throw tenantNotFound(tenantId);
    const [before] = await liveApiKeys(transaction, [tenantId]);
    await expireApiKeys(transaction, tenantId, overlapSeconds);
    const live = await liveApiKeys(transaction, [tenantId]);
    if (live.length >= MAX_LIVE_API_KEYS) {
      const message = `must be 0: the tenant has ${MAX_LIVE_API_KEYS} live keys, and no more may overlap`;
      throw new InvalidInput([{ field: "overlapSeconds", message }]);
    }
    await deleteOldApiKeys(transaction, tenantId);
    await insertApiKey(transaction, tenantId, { ...stored, name: given ?? before?.name ?? null });
  });
  return { apiKey, ...(await showTenant(db, tenantId)) };
}

export function overlapFault(seconds: number) {
  if (Number.isInteger(seconds) && seconds >= 0 && seconds <= MAX_OVERLAP_SECONDS) return undefined;
  return {
    field: "overlapSeconds",
    message: `must be an integer from 0 to ${MAX_OVERLAP_SECONDS}`,
  };
}
