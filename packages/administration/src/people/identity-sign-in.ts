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
 * Begins a session of the person whom an account at the provider opens, with the memberships that its groups
 * give. The account is known by issuer and subject. The first time, an address in an allowed domain that the provider
 * has verified finds the person, or makes one if a group gives a role. An untrusted sign-in ends: only the provider
 * has verified whose address it is. All changes are in the audit log, in the same transaction. Throws `IdentityRefused`.
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
    // Two first visits at once: the second finds what the first has made.
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
  // The person became an operator since: a link by address no longer suffices.
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
  // Begun while the person is locked, so that removing the account also ends this session.
  const token = await beginSession(db, person.id, place);
  return { personId: person.id, token, unknownTenants: [...unknown] };
}

/** Finds the account's person and locks both until the transaction ends. Locks the person first, as removing an account does. */
async function holderOf(db: Database, issuer: string, subject: string) {
  const holder = await personOfIdentity(db, issuer, subject);
  if (holder === undefined) return undefined;
  await lockPerson(db, holder.id);
  // While this waited it may have been taken away, or the person changed.
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
    // Another first visit of the same account came before, and held the person until it was done.
    if (connected?.subject === subject) return found;
    // An address that was given to somebody else since does not open the account of whoever had it.
    if (connected !== undefined) {
      // Unless somebody else may have connected it: whoever knows an untrusted sign-in could.
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
