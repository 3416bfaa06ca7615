import type { Database } from "@belfry/database/connection";
import { invalid } from "../input-error.ts";
import { deleteIdentities } from "./identity-rows.ts";
import { lockPerson } from "./person-rows.ts";
import { requireSomebodyElse } from "./require-person.ts";
import { deleteSessions } from "./sessions.ts";

/**
 * No account at a provider opens the person's any more, and every session ends; who has no password needs a
 * reset link to come back. Only an operator does so, or the command line (null), as people are global; and
 * nobody for themselves. Call in a transaction. Throws `NotFound`, `InvalidInput`.
 */
export async function removeIdentities(db: Database, personId: string, operatorId: string | null) {
  const person = await requireSomebodyElse(db, personId, operatorId, "disconnect your account");
  // A sign-in by the account holds the same row: none begins a session once this is committed.
  await lockPerson(db, personId);
  const identities = await deleteIdentities(db, personId);
  if (identities.length === 0) throw invalid("person", "this person has no connected account");
  const sessionsEnded = await deleteSessions(db, personId, { except: undefined });
  return { person, identities, sessionsEnded };
}

export type RemovedIdentities = Awaited<ReturnType<typeof removeIdentities>>;
