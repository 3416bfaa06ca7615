import { MAX_LIVE_API_KEYS } from "@belfry/contracts/bounds";
import { UUID } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import { changeConfiguration } from "../change-configuration.ts";
import { InvalidInput, NotFound } from "../input-error.ts";
import { keyName, newApiKey } from "./api-key.ts";
import { deleteApiKey, insertApiKey, liveApiKeys } from "./api-key-rows.ts";
import { lockTenant } from "./tenant-rows.ts";
import { tenantNotFound } from "./tenants.ts";

/**
 * One more key, beside those that are there; shown this once. `name` is what people call it. Throws
 * `NotFound`, `InvalidInput` at 10 live keys.
 */
export async function addApiKey(
  db: Database,
  tenantId: string,
  name?: string | undefined,
): Promise<{ apiKey: string; prefix: string; name: string | null }> {
  const named = { name: keyName(name) };
  const { apiKey, ...stored } = newApiKey();
  await changeConfiguration(db, async (transaction) => {
    if (!(await lockTenant(transaction, tenantId))) throw tenantNotFound(tenantId);
    if ((await liveApiKeys(transaction, [tenantId])).length >= MAX_LIVE_API_KEYS) {
      const message = `are ${MAX_LIVE_API_KEYS} already: revoke one first`;
      throw new InvalidInput([{ field: "keys", message }]);
    }
    await insertApiKey(transaction, tenantId, { ...stored, ...named });
  });
  return { apiKey, prefix: stored.prefix, ...named };
}

/** No service takes it any more, within 5 s. Throws `NotFound`. */
export async function revokeApiKey(
  db: Database,
  tenantId: string,
  keyId: string,
): Promise<{ prefix: string; name: string | null }> {
  return await changeConfiguration(db, async (transaction) => {
    const gone = UUID.test(keyId) ? await deleteApiKey(transaction, tenantId, keyId) : undefined;
    if (gone === undefined) {
      throw new NotFound("keyId", `the tenant has no key with the id ${JSON.stringify(keyId)}`);
    }
    return gone;
  });
}
