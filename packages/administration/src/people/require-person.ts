import { UUID } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import { invalid, NotFound } from "../input-error.ts";
import { type PersonRow, personByEmail, personById } from "./person-rows.ts";

/** By the address, as the command line knows people. Throws `NotFound`. */
export async function personAtAddress(db: Database, email: string): Promise<PersonRow> {
  const person = await personByEmail(db, email.trim().toLowerCase());
  if (person !== undefined) return person;
  throw new NotFound("person", `nobody has the address ${JSON.stringify(email)}`);
}

/** By id or address. Throws `NotFound`. */
export async function personAt(db: Database, person: string): Promise<PersonRow> {
  if (!UUID.test(person)) return await personAtAddress(db, person);
  const found = await personById(db, person);
  if (found !== undefined) return found;
  throw new NotFound("person", "nobody has this id");
}

/**
 * Whom an operator, or the command line (null), changes: nobody does it for themselves, `instead` says what they do.
 * Throws `NotFound`, `InvalidInput`.
 */
export async function requireSomebodyElse(
  db: Database,
  personId: string,
  operatorId: string | null,
  instead: string,
): Promise<PersonRow> {
  const person = UUID.test(personId) ? await personById(db, personId) : undefined;
  if (person === undefined) throw new NotFound("person", "nobody has this id");
  if (personId !== operatorId) return person;
  throw invalid("person", `it is you: ${instead} under Your account`);
}
