import {
  type PreferenceChange,
  type PreferenceFault,
  type PreferenceSource,
  preferenceFaults,
} from "@belfry/contracts/preferences";
import type { Database } from "./connection.ts";
import type { Owner } from "./notifications.ts";
import { categoriesOfTenant, setPreferences } from "./preferences.ts";

/** `at`: the place of the change, from 0. */
export type ChangeFault = PreferenceFault & { at: number };

/**
 * Writes what a user says, of categories and channels that there are: all of it, or nothing where there is a
 * fault. `changed`: how many cells say something else than before. The tenant must be there. Within a caller's
 * transaction it joins that one.
 */
export async function changePreferencesOfUser(
  db: Database,
  owner: Owner,
  source: PreferenceSource,
  changes: readonly PreferenceChange[],
): Promise<{ faults: ChangeFault[]; changed: number }> {
  const known = await categoriesOfTenant(db, owner.tenantId);
  const categories = new Map(known.map((category) => [category.key, category]));
  const faults = changes.flatMap((change, at) =>
    preferenceFaults(change, categories).map((fault) => ({ at, ...fault })),
  );
  if (faults.length > 0) return { faults, changed: 0 };
  return { faults, changed: await setPreferences(db, owner, source, changes) };
}
