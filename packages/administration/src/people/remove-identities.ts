import { UUID } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import { InvalidInput, NotFound } from "../input-error.ts";
import { deleteIdentities } from "./identity-rows.ts";
import { lockPerson, type PersonRow, personByEmail, personById } from "./person-rows.ts";
import { deleteSessions } from "./sessions.ts";

export interface RemovedIdentities {
  person: PersonRow;
  identities: { issuer: string; email: string | null }[];
  sessionsEnded: number;
}

/**
 * No account at a provider opens the person's any more, and every session ends; who has no password needs a
 * reset link to come back. Only an operator does so, or the command line (null), as people are global; and
 * nobody for themselves. Call in a transaction. Throws `NotFound`, `InvalidInput`.
 */
export async function removeIdentities(
  db: Database,
  personId: string,
  operatorId: string | null,
): Promise<RemovedIdentities> {
  const person = UUID.test(personId) ? await personById(db, personId) : undefined;
  if (person === undefined) throw new NotFound("person", "nobody has this id");
  if (personId === operatorId) {
    const message = "it is you: disconnect your account under Your account";
    throw new InvalidInput([{ field: "person", message }]);
  }
  // A sign-in by the account holds the same row: none begins a session once this is committed.
  await lockPerson(db, personId);
  const identities = await deleteIdentities(db, personId);
  if (identities.length === 0) {
    throw new InvalidInput([{ field: "person", message: "this person has no connected account" }]);
  }
  const sessionsEnded = await deleteSessions(db, personId, { except: undefined });
  return { person, identities, sessionsEnded };
}

/** By the address, as the command line knows people. Throws as `removeIdentities`. */
export async function removeIdentitiesFrom(
  db: Database,
  email: string,
): Promise<RemovedIdentities> {
  const person = await personByEmail(db, email.trim().toLowerCase());
  if (person === undefined) {
    throw new NotFound("person", `nobody has the address ${JSON.stringify(email)}`);
  }
  return await removeIdentities(db, person.id, null);
}
