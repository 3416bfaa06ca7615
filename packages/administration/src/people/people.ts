import { textFault, UUID } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import { faultAt, type InputFault, invalid, NotFound, refuseFaults } from "../input-error.ts";
import { type HashedPassword, newPassword, verifyPassword } from "./password.ts";
import {
  lockPerson,
  type PersonRow,
  personByEmail,
  personById,
  storedPassword,
  updatePerson,
} from "./person-rows.ts";
import type { HashClient } from "./scrypt-queue.ts";
import { deleteSessions } from "./sessions.ts";

export type Person = PersonRow;

interface PasswordChange {
  /** The stored hash that the current password was checked against. */
  before: string | undefined;
  password: HashedPassword;
}

/** Checks the current password and prepares the argument of `changePassword`. Throws `InvalidInput`, `TooBusy`. */
export async function preparePasswordChange(
  db: Database,
  personId: string,
  input: { current: string; password: string },
  client: HashClient,
): Promise<PasswordChange> {
  const before = await storedPassword(db, personId);
  if (!(await verifyPassword(input.current, before, client))) {
    throw invalid("current", "is not your password");
  }
  return { before, password: await newPassword(input.password, client) };
}

/**
 * Stores the new password and ends every other session of the person. Call it in a transaction. Throws `InvalidInput`.
 */
export async function changePassword(
  db: Database,
  personId: string,
  { before, password }: PasswordChange,
  sessionId: string,
): Promise<void> {
  // While the two passwords were hashed, the stored one may have been reset or deleted.
  await lockPerson(db, personId);
  if ((await storedPassword(db, personId)) !== before) {
    throw invalid("current", "was changed meanwhile");
  }
  await updatePerson(db, personId, { password });
  await deleteSessions(db, personId, { except: sessionId });
}

/** Changes name and language. `language`: two letters, for the Admin UI; null to follow the browser's preference. */
export async function changePerson(
  db: Database,
  personId: string,
  { name, language }: { name: string; language: string | null },
): Promise<void> {
  refuseFaults([nameFault(name)]);
  await updatePerson(db, personId, { name: name.trim(), language });
}

/** Throws `NotFound`. */
export async function showPerson(db: Database, personId: string): Promise<Person> {
  const person = await personById(db, personId);
  if (person === undefined) throw personNotFound(personId);
  return person;
}

export function nameFault(name: string): InputFault | undefined {
  return faultAt("name", textFault(name.trim()));
}

function personNotFound(id: string): NotFound {
  return new NotFound("person", `nobody here has the id ${JSON.stringify(id)}`);
}

/** Finds a person by email address, as the command line names people. Throws `NotFound`. */
export async function personAtAddress(db: Database, email: string): Promise<PersonRow> {
  const person = await personByEmail(db, email.trim().toLowerCase());
  if (person !== undefined) return person;
  throw new NotFound("person", `nobody has the address ${JSON.stringify(email)}`);
}

/** Finds a person by id or email address. Throws `NotFound`. */
export async function personAt(db: Database, person: string): Promise<PersonRow> {
  if (!UUID.test(person)) return await personAtAddress(db, person);
  const found = await personById(db, person);
  if (found !== undefined) return found;
  throw new NotFound("person", "nobody has this id");
}

/**
 * Finds the person that an operator or the command line (null) changes. Refuses the operator's own account; `instead` is
 * the advice for it. Throws `NotFound`, `InvalidInput`.
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
