import type { Database } from "@belfry/database/connection";
import { type Actor, type AuditNote, writeNote } from "../audited.ts";
import {
  type GroupRole,
  rolesOfGroups,
  setGroupMemberships,
  unknownTenants,
} from "./group-roles.ts";
import {
  type IdentifiedPerson,
  IdentityRefused,
  identitiesOf,
  insertIdentity,
  linkingAddress,
  type ProviderAccount,
  personOfIdentity,
  updateIdentity,
} from "./identities.ts";
import { nameFault } from "./people.ts";
import type { TenantRole } from "./person-rows.ts";
import { insertPerson, lockPerson, personForLinking } from "./person-rows.ts";
import { beginSession, type SessionPlace } from "./sessions.ts";
import { endUntrustedSignIn, untrustedSignInEnded } from "./untrusted-sign-in.ts";

/** Rules for signing in without an invitation, and the roles that groups give. */
interface IdentityRules {
  /** Domains in lower case. */
  allowedDomains: readonly string[];
  groupRoles: readonly GroupRole[];
}

interface IdentitySignIn {
  personId: string;
  /** The session's token. */
  token: string;
  /** Tenants that the rules name but that do not exist. They give nothing. */
  unknownTenants: string[];
}

const UNIQUE_VIOLATION = "23505";

/**
 * Begins a session of the person to whom an account at the provider is connected, with the memberships that the
 * account's groups give. Issuer and subject identify the account. The first time, a verified address in an allowed
 * domain finds the person, or creates one if a group gives a role. An untrusted sign-in ends, because only the provider
 * has verified whose address it is. All changes are written to the audit log in the same transaction. Throws
 * `IdentityRefused`.
 */
export async function signInByIdentity(
  db: Database,
  account: ProviderAccount,
  rules: IdentityRules,
  place: SessionPlace,
): Promise<IdentitySignIn> {
  const run = async () =>
    await db
      .transaction()
      .execute(async (transaction) => await signIn(transaction, account, rules, place));
  try {
    return await run();
  } catch (error) {
    // Two first sign-ins ran at the same time. The second attempt finds what the other sign-in has stored.
    if ((error as { code?: unknown }).code !== UNIQUE_VIOLATION) throw error;
    return await run();
  }
}

async function signIn(
  db: Database,
  account: ProviderAccount,
  rules: IdentityRules,
  place: SessionPlace,
): Promise<IdentitySignIn> {
  const roles = rolesOfGroups(account.groups, rules.groupRoles);
  const unknown = await unknownTenants(db, roles.keys());
  for (const tenantId of unknown) roles.delete(tenantId);
  const { issuer, subject, email } = account;
  const known = await holderOf(db, issuer, subject);
  // The person has become an operator. A link by address no longer suffices.
  if (known?.operator && !known.byHand) throw new IdentityRefused("operator");
  const notes: AuditNote[] = [];
  const person = known ?? (await link(db, account, rules, roles, notes));
  if (known !== undefined) await updateIdentity(db, issuer, subject, { email });
  const isByAddress = known?.byHand !== true;
  const ended = isByAddress ? await endUntrustedSignIn(db, person.id) : undefined;
  const given = await setGroupMemberships(db, person, issuer, roles);
  const { address } = place;
  const actor: Actor = { personId: person.id, person: `${person.name} <${person.email}>`, address };
  for (const note of [...notes, untrustedSignInEnded(ended), ...given]) {
    await writeNote(db, actor, note);
  }
  // The session begins while the person is locked, so that removing the account also ends this session.
  const token = await beginSession(db, person.id, place);
  return { personId: person.id, token, unknownTenants: [...unknown] };
}

/**
 * Finds the account's person and locks the person until the transaction ends. Removing an account locks the person,
 * too.
 */
async function holderOf(db: Database, issuer: string, subject: string) {
  const holder = await personOfIdentity(db, issuer, subject);
  if (holder === undefined) return undefined;
  await lockPerson(db, holder.id);
  // While this waited for the lock, the account may have been removed, or the person changed.
  const still = await personOfIdentity(db, issuer, subject);
  return still?.id === holder.id ? still : undefined;
}

type Found = Omit<IdentifiedPerson, "byHand">;

async function link(
  db: Database,
  account: ProviderAccount,
  rules: IdentityRules,
  roles: ReadonlyMap<string, TenantRole>,
  notes: AuditNote[],
): Promise<Found> {
  const { issuer, subject } = account;
  const email = linkingAddress(account, rules.allowedDomains);
  const found = await personForLinking(db, email);
  if (found?.operator) throw new IdentityRefused("operator");
  if (found !== undefined) {
    const connected = (await identitiesOf(db, found.id)).find((one) => one.issuer === issuer);
    // Another first sign-in of the same account ran at the same time, and locked the person until it was done.
    if (connected?.subject === subject) return found;
    // The address may belong to somebody else by now, who must not get the account of the earlier holder.
    if (connected !== undefined) {
      // The exception: somebody with an untrusted sign-in may have connected the other account. Then that sign-in ends.
      const ended = connected.byHand ? await endUntrustedSignIn(db, found.id) : undefined;
      const note = untrustedSignInEnded(ended);
      if (note === undefined) throw new IdentityRefused("connected-otherwise");
      notes.push(note);
    }
  }
  if (found === undefined && roles.size === 0) throw new IdentityRefused("no-role");
  const person = found ?? (await makePerson(db, email, account.name));
  const after = { issuer, subject, email };
  const of = { tenantId: null, target: email };
  if (found === undefined) notes.push({ ...of, action: "account.create", after: { issuer } });
  notes.push({ ...of, action: "account.connect", after: { ...after, by: "address" } });
  await insertIdentity(db, { issuer, subject, personId: person.id, byHand: false, email });
  return person;
}

async function makePerson(db: Database, email: string, given: string | null): Promise<Found> {
  const named = given?.trim() ?? "";
  const name = nameFault(named) === undefined ? named : email.slice(0, email.lastIndexOf("@"));
  const isSignInTrusted = true;
  const id = await insertPerson(db, {
    email,
    name,
    password: null,
    operator: false,
    isSignInTrusted,
  });
  return { id, email, name, operator: false };
}
