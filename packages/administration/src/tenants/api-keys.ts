import { MAX_LIVE_API_KEYS } from "@belfry/contracts/bounds";
import { UUID } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import { changeConfiguration } from "../change-configuration.ts";
import { invalid, NotFound } from "../input-error.ts";
import { keyName, keyRole, newApiKey } from "./api-key.ts";
import { type ApiKeyRow, deleteApiKey, insertApiKey, liveApiKeys } from "./api-key-rows.ts";
import { holdTenant } from "./require-tenant.ts";

export interface KeyInput {
  /** What people call it; none or "": it has no name. */
  name?: string | undefined;
  /** One of `KEY_ROLES`. Default: all. */
  role?: string | undefined;
}

/** Without the key itself. */
export type ApiKey = Pick<ApiKeyRow, "prefix" | "name" | "role">;

/**
 * One more key, beside those that are there; shown this once. Throws `NotFound`, `InvalidInput` (fields
 * `name`, `role`), and so, too, at 10 live keys.
 */
export async function addApiKey(
  db: Database,
  tenantId: string,
  { name, role = "all" }: KeyInput = {},
): Promise<{ apiKey: string } & ApiKey> {
  const given = { name: keyName(name, "name"), role: keyRole(role) };
  const { apiKey, ...stored } = newApiKey();
  await changeConfiguration(db, async (transaction) => {
    await holdTenant(transaction, tenantId, "id");
    if ((await liveApiKeys(transaction, [tenantId])).length >= MAX_LIVE_API_KEYS) {
      throw invalid("keys", `are ${MAX_LIVE_API_KEYS} already: revoke one first`);
    }
    await insertApiKey(transaction, tenantId, { ...stored, ...given });
  });
  return { apiKey, prefix: stored.prefix, ...given };
}

/** No service takes it any more, within 5 s. Throws `NotFound`. */
export async function revokeApiKey(db: Database, tenantId: string, keyId: string): Promise<ApiKey> {
  return await changeConfiguration(db, async (transaction) => {
    const gone = UUID.test(keyId) ? await deleteApiKey(transaction, tenantId, keyId) : undefined;
    if (gone === undefined) {
      throw new NotFound("keyId", `the tenant has no key with the id ${JSON.stringify(keyId)}`);
    }
    return gone;
  });
}
