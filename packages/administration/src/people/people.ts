import { textFault, UUID } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import type { TenantRole } from "@belfry/database/schema";
import { faultAt, type InputFault, invalid, NotFound, refuseFaults } from "../input-error.ts";
import { holdTenant } from "../tenants/require-tenant.ts";
import { type HashedPassword, newPassword, verifyPassword } from "./password.ts";
import {
  deleteMembership,
  listMembers,
  lockOperators,
  lockPerson,
  type MemberRow,
  type PersonRow,
  personById,
  putMembership,
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

/** Throws `NotFound`, and `InvalidInput` when the tenant would be left without an owner. */
export async function changeRole(
  db: Database,
  tenantId: string,
  personId: string,
  role: TenantRole,
): Promise<{ before: Member; after: Member }> {
  if (!TENANT_ROLES.includes(role)) throw invalid("role", "must be owner, editor or viewer");
  const before = await requireMember(db, tenantId, personId, role === "owner");
  await putMembership(db, { personId, tenantId, role });
  return { before, after: { ...before, role, byOidc: false } };
}

/** Throws as `changeRole`. */
export async function removeMember(db: Database, tenantId: string, personId: string) {
  const member = await requireMember(db, tenantId, personId, false);
  await deleteMembership(db, tenantId, personId);
  return member;
}

/** Takes the platform's rights from a person. Throws `NotFound`; `InvalidInput` for the last operator. */
export async function removeOperator(db: Database, personId: string): Promise<Person> {
  const all = await lockOperators(db);
  const person = all.find((one) => one.id === personId);
  if (person === undefined) throw personNotFound(personId);
  if (all.length === 1) throw invalid("person", "is the last operator");
  await updatePerson(db, personId, { operator: false });
  return person;
}

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

async function requireMember(
  db: Database,
  tenantId: string,
  personId: string,
  staysOwned: boolean,
): Promise<Member> {
  // One change of a tenant's people after the other: the last two owners cannot both leave.
  await holdTenant(db, tenantId);
  const members = await listMembers(db, tenantId);
  const member = members.find((one) => one.id === personId);
  if (member === undefined || !UUID.test(personId)) throw personNotFound(personId);
  const owners = members.filter((one) => one.role === "owner");
  if (member.role === "owner" && owners.length === 1 && !staysOwned) {
    throw invalid("role", "the tenant would have no owner");
  }
  return member;
}

function personNotFound(id: string): NotFound {
  return new NotFound("person", `nobody here has the id ${JSON.stringify(id)}`);
}
