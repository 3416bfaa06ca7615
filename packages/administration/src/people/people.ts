import { textFault } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import type { TenantRole } from "@belfry/database/schema";
import { faultAt, type InputFault, invalid, NotFound, refuseFaults } from "../input-error.ts";
import { type HashedPassword, newPassword, verifyPassword } from "./password.ts";
import {
  lockPerson,
  type MemberRow,
  type PersonRow,
  personById,
  storedPassword,
  updatePerson,
} from "./person-rows.ts";
import type { HashClient } from "./scrypt-queue.ts";
import { deleteSessions } from "./sessions.ts";

export type { TenantRole } from "@belfry/database/schema";
export type Person = PersonRow;
export type Member = MemberRow;

/** From the least to the most: each may do what those before it may. */
export const TENANT_ROLES: readonly TenantRole[] = ["viewer", "editor", "owner"];

export interface PasswordChange {
  /** The stored one that was given. */
  before: string | undefined;
  password: HashedPassword;
}

/** What `changePassword` takes: the current password was right. Throws `InvalidInput`, `TooBusy`. */
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

/** Ends every other session of the person too. Call in a transaction. Throws `InvalidInput`. */
export async function changePassword(
  db: Database,
  personId: string,
  { before, password }: PasswordChange,
  sessionId: string,
): Promise<void> {
  // While the two were hashed the password may have been reset, or ended.
  await lockPerson(db, personId);
  if ((await storedPassword(db, personId)) !== before) {
    throw invalid("current", "was changed meanwhile");
  }
  await updatePerson(db, personId, { password });
  await deleteSessions(db, personId, { except: sessionId });
}

export async function renamePerson(db: Database, personId: string, name: string): Promise<void> {
  refuseFaults([nameFault(name)]);
  await updatePerson(db, personId, { name: name.trim() });
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
