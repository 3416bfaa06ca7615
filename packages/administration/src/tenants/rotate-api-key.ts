import { MAX_LIVE_API_KEYS } from "@belfry/contracts/bounds";
import { listed } from "@belfry/contracts/channels";
import type { KeyRole } from "@belfry/contracts/key-roles";
import type { Database } from "@belfry/database/connection";
import { changeConfiguration } from "../change-configuration.ts";
import { integerFault, invalid, refuseFaults } from "../input-error.ts";
import { keyName, keyRole, newApiKey } from "./api-key.ts";
import {
  type ApiKeyRow,
  deleteOldApiKeys,
  expireApiKeys,
  insertApiKey,
  liveApiKeys,
} from "./api-key-rows.ts";
import type { KeyInput } from "./api-keys.ts";
import { holdTenant } from "./require-tenant.ts";
import { showTenant, type TenantWithKey } from "./tenants.ts";

/** A day to bring the new key to every machine of the tenant. */
export const DEFAULT_OVERLAP_SECONDS = 24 * 60 * 60;
export const MAX_OVERLAP_SECONDS = 30 * 24 * 60 * 60;

/**
 * Makes a new key of a role, called `name`, or as the newest of the role before it. The role's keys before it go on
 * working for `overlapSeconds` (or less, if they were to end sooner); 0 ends them at once. Those of other roles stay.
 * `role` must be given where live keys have different ones. Throws `NotFound`, and `InvalidInput` also when the
 * tenant has 10 live keys already.
 */
export async function rotateApiKey(
  db: Database,
  tenantId: string,
  overlapSeconds: number = DEFAULT_OVERLAP_SECONDS,
  { name, role: givenRole }: KeyInput = {},
): Promise<TenantWithKey> {
  refuseFaults([overlapFault(overlapSeconds)]);
  const { apiKey, ...stored } = newApiKey();
  const given = keyName(name, "name");
  if (givenRole !== undefined) keyRole(givenRole);
  await changeConfiguration(db, async (transaction) => {
    await holdTenant(transaction, tenantId, "id");
    const before = await liveApiKeys(transaction, [tenantId]);
    const role = keyRole(givenRole ?? onlyRole(before));
    const newest = before.find((key) => key.role === role);
    await expireApiKeys(transaction, tenantId, role, overlapSeconds);
    const live = await liveApiKeys(transaction, [tenantId]);
    if (live.length >= MAX_LIVE_API_KEYS) {
      const message = `must be 0: the tenant has ${MAX_LIVE_API_KEYS} live keys, and no more may overlap`;
      throw invalid("overlapSeconds", message);
    }
    await deleteOldApiKeys(transaction, tenantId);
    const key = { ...stored, role, name: given ?? newest?.name ?? null };
    await insertApiKey(transaction, tenantId, key);
  });
  return { apiKey, ...(await showTenant(db, tenantId)) };
}

/** Whoever says nothing of roles means the keys that there are: of one role, or it must be said. */
function onlyRole(keys: readonly ApiKeyRow[]): KeyRole {
  const roles = [...new Set(keys.map((key) => key.role))];
  if (roles.length < 2) return roles[0] ?? "all";
  throw invalid("role", `must be given: the live keys have the roles ${listed(roles, "and")}`);
}

export function overlapFault(seconds: number) {
  return integerFault("overlapSeconds", seconds, 0, MAX_OVERLAP_SECONDS);
}
