import type { Database } from "@belfry/database/connection";
import { type Actor, audited } from "../audited.ts";
import { type InvalidInput, invalid } from "../input-error.ts";
import { lockTenant } from "../tenants/tenant-rows.ts";
import { userSaved } from "./user-notes.ts";
import { knownUser, putUser, type User, type UserInput } from "./users.ts";

/**
 * What a person says of a user: as `putUser`, and in the audit log with what was there before. `seen` is the
 * `updatedAt` of what the person had before their eyes, null where the user was not known: what changed since
 * is not written over. Absent: whatever is there. Throws as `putUser`.
 */
export async function saveUser(
  db: Database,
  actor: Actor,
  tenantId: string,
  input: UserInput,
  { seen }: { seen?: string | null | undefined } = {},
): Promise<User> {
  const { after } = await audited(
    db,
    actor,
    async (transaction) => {
      // Of two people who save the same user the second sees what the first has saved.
      await lockTenant(transaction, tenantId);
      const before = await knownUser(transaction, tenantId, input.userId);
      if (seen !== undefined && (before?.updatedAt ?? null) !== seen) throw changedMeanwhile(seen);
      return { before, after: await putUser(transaction, tenantId, input) };
    },
    ({ before, after }) => userSaved(tenantId, before, after),
  );
  return after;
}

function changedMeanwhile(seen: string | null): InvalidInput {
  const message =
    seen === null ? "is known already" : "was changed meanwhile: look at the user again";
  return invalid("user", message);
}
