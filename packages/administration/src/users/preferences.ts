import { textFault } from "@belfry/contracts/identifiers";
import type { PreferenceChange, PreferenceSource } from "@belfry/contracts/preferences";
import { changePreferencesOfUser } from "@belfry/database/change-preferences";
import type { Database } from "@belfry/database/connection";
import { shownPreferences } from "@belfry/database/shown-preferences";
import { faultAt, refuseFaults } from "../input-error.ts";
import { requireTenant } from "../tenants/require-tenant.ts";

/** What a user has said, and what there is to say something of. Of any user id: a tenant need not have named its users. Throws `InvalidInput`. */
export async function showPreferences(db: Database, tenantId: string, userId: string) {
  refuseUserId(userId);
  return { userId, ...(await shownPreferences(db, { tenantId, userId })) };
}

export type Preferences = Awaited<ReturnType<typeof showPreferences>>;

export interface PreferenceInput {
  tenantId: string;
  userId: string;
  /** The last one of a cell counts. */
  changes: readonly PreferenceChange[];
  source: PreferenceSource;
  /** How a fault names a field of a change. Default: `preferences[0].category`. */
  fieldOf?(at: number, field: keyof PreferenceChange): string;
}

/**
 * Writes what a user says: all of it or none, in force for every event that is dispatched after this. A
 * required category cannot be turned off. Returns how many cells say something else than before. Within a caller's
 * transaction it joins that one. Throws `InvalidInput`, `NotFound` for an unknown tenant.
 */
export async function changePreferences(db: Database, input: PreferenceInput): Promise<number> {
  const { tenantId, userId, changes, source } = input;
  const { fieldOf = (at, field) => `preferences[${at}].${field}` } = input;
  refuseUserId(userId);
  await requireTenant(db, tenantId);
  const owner = { tenantId, userId };
  const { faults, changed } = await changePreferencesOfUser(db, owner, source, changes);
  refuseFaults(faults.map(({ at, field, message }) => ({ field: fieldOf(at, field), message })));
  return changed;
}

function refuseUserId(userId: string): void {
  refuseFaults([faultAt("user", textFault(userId))]);
}
