import type { PreferenceChannel } from "@belfry/contracts/preferences";
import type { Database } from "@belfry/database/connection";
import { type Actor, audited } from "../audited.ts";
import { changePreferences } from "./preferences.ts";
import { preferenceChanged } from "./user-notes.ts";

export interface CellChange {
  tenantId: string;
  userId: string;
  /** A key, or `*`. */
  category: string;
  channel: PreferenceChannel;
  /** null: what was said is forgotten. */
  enabled: boolean | null;
}

/**
 * One cell, changed by a person: its source is `by hand`, and the audit log has it. Returns and throws as
 * `changePreferences`.
 */
export async function changePreference(
  db: Database,
  actor: Actor,
  { tenantId, userId, ...change }: CellChange,
): Promise<number> {
  return await audited(
    db,
    actor,
    (transaction) =>
      changePreferences(transaction, {
        ...{ tenantId, userId, changes: [change], source: "by hand" },
        fieldOf: (_, field) => field,
      }),
    () => preferenceChanged({ tenantId, userId }, change),
  );
}
