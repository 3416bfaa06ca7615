import { listed } from "@belfry/contracts/channels";
import { textFault } from "@belfry/contracts/identifiers";
import {
  ANY,
  isPreferenceChannel,
  PREFERENCE_CHANNELS,
  type PreferenceChange,
  type PreferenceSource,
} from "@belfry/contracts/preferences";
import type { Database } from "@belfry/database/connection";
import {
  type Category,
  categoriesOfTenant,
  type Preference,
  preferencesOfUser,
  setPreferences,
} from "@belfry/database/preferences";
import { type InputFault, refuseFaults } from "../input-error.ts";
import { tenantById } from "../tenants/tenant-rows.ts";
import { tenantNotFound } from "../tenants/tenants.ts";

/** What a user has said, and what there is to say something of. */
export interface Preferences {
  userId: string;
  preferences: (Omit<Preference, "at"> & { at: string })[];
  /** In the tenant's order. */
  categories: Omit<Category, "position">[];
}

/** Of any user id: a tenant need not have named its users. Throws `InvalidInput`. */
export async function showPreferences(
  db: Database,
  tenantId: string,
  userId: string,
): Promise<Preferences> {
  refuseUserId(userId);
  const categories = await categoriesOfTenant(db, tenantId);
  return {
    userId,
    preferences: (await preferencesOfUser(db, { tenantId, userId })).map((row) => ({
      ...row,
      at: row.at.toISOString(),
    })),
    categories: categories.map(({ position: _, ...category }) => category),
  };
}

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
 * required category cannot be turned off. Within a caller's transaction it joins that one. Throws `InvalidInput`,
 * `NotFound` for an unknown tenant.
 */
export async function changePreferences(db: Database, input: PreferenceInput): Promise<void> {
  const { tenantId, userId, changes, source } = input;
  const { fieldOf = (at, field) => `preferences[${at}].${field}` } = input;
  refuseUserId(userId);
  const write = async (transaction: Database) => {
    if ((await tenantById(transaction, tenantId)) === undefined) {
      throw tenantNotFound(tenantId, "tenantId");
    }
    const known = await categoriesOfTenant(transaction, tenantId);
    const categories = new Map(known.map((category) => [category.key, category]));
    refuseFaults(
      changes.flatMap((change, at) =>
        changeFaults(change, categories).map(({ field, message }) => ({
          field: fieldOf(at, field as keyof PreferenceChange),
          message,
        })),
      ),
    );
    await setPreferences(transaction, { tenantId, userId }, source, changes);
  };
  await (db.isTransaction ? write(db) : db.transaction().execute(write));
}

/** The faults of one change, among these categories. */
export function changeFaults(
  { category, channel, enabled }: PreferenceChange,
  categories: ReadonlyMap<string, Pick<Category, "required">>,
): InputFault[] {
  const found = categories.get(category);
  const faults: InputFault[] = [];
  if (category !== ANY && found === undefined) {
    const message = `must be ${ANY} or the key of a category: ${JSON.stringify(category.slice(0, 64))}`;
    faults.push({ field: "category", message });
  } else if (found?.required && enabled === false) {
    const message = `is required, and cannot be turned off: ${JSON.stringify(category)}`;
    faults.push({ field: "category", message });
  }
  if (!isPreferenceChannel(channel)) {
    faults.push({ field: "channel", message: `must be ${listed(PREFERENCE_CHANNELS, "or")}` });
  }
  return faults;
}

function refuseUserId(userId: string): void {
  const fault = textFault(userId);
  refuseFaults([fault === undefined ? undefined : { field: "user", message: fault }]);
}
