import { emailAddress } from "@belfry/contracts/addresses";
import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";
import { invalid, NotFound } from "../input-error.ts";
import { verifyPassword } from "./password.ts";
import { lockPerson, storedPassword } from "./person-rows.ts";
import type { HashClient } from "./scrypt-queue.ts";

/** Whether the person can sign in by a password. */
export async function hasPassword(db: Database, personId: string): Promise<boolean> {
  return (await storedPassword(db, personId)) !== undefined;
}

/** Checks the password of the signed-in person once more. Returns true if the person has none. Throws `TooBusy`. */
export async function checkOwnPassword(
  db: Database,
  personId: string,
  password: string,
  client: HashClient,
) {
  const stored = await storedPassword(db, personId);
  return stored === undefined || (await verifyPassword(password, stored, client));
}

/**
 * Connects an account to a person who is signed in. The person does this by hand, so the account needs no address, and
 * the person may be an operator. Call it in a transaction. Throws `IdentityRefused`, `NotFound`.
 */
export async function connectIdentity(
  db: Database,
  personId: string,
  { issuer, subject, email }: ProviderAccount,
): Promise<void> {
  if (!(await lockPerson(db, personId))) throw new NotFound("person", "the account is gone");
  const holder = await personOfIdentity(db, issuer, subject);
  if (holder !== undefined && holder.id !== personId) throw new IdentityRefused("somebody-elses");
  if (holder !== undefined) {
    await updateIdentity(db, issuer, subject, { email, byHand: true });
    return;
  }
  if ((await identitiesOf(db, personId)).some((one) => one.issuer === issuer)) {
    throw new IdentityRefused("connected-otherwise");
  }
  await insertIdentity(db, { issuer, subject, personId, byHand: true, email });
}

/**
 * Disconnects an account from the person. Call it in a transaction. Throws `NotFound`, and `InvalidInput` if the person
 * has no password, because the account is then the only way to sign in.
 */
export async function disconnectIdentity(db: Database, personId: string, issuer: string) {
  if (!(await lockPerson(db, personId)) || !(await hasPassword(db, personId))) {
    throw invalid("identity", "is your only way to sign in");
  }
  const gone = await deleteIdentity(db, personId, issuer);
  if (gone === undefined) throw new NotFound("identity", "is not connected");
  return gone;
}

/** An account at an OpenID Connect provider, as the provider has just confirmed it. */
export interface ProviderAccount {
  issuer: string;
  /** The claim `sub`, which identifies the account at this issuer for ever. */
  subject: string;
  /** The address as the provider wrote it. */
  email: string | null;
  /** Whether the provider says that the address belongs to the account. */
  emailVerified: boolean;
  name: string | null;
  groups: readonly string[];
}

/** Why an account is refused. */
export type IdentityRefusal =
  /** The provider reports no address, or does not report it as verified. */
  | "unverified"
  /** The address is in no domain whose accounts are linked automatically. */
  | "foreign-domain"
  /** The person is an operator, who has not connected the account. */
  | "operator"
  /** The person with this address has connected another account. */
  | "connected-otherwise"
  /** The account is connected to another person. */
  | "somebody-elses"
  /** Nobody here has this address, and no group gives a role. */
  | "no-role";

export class IdentityRefused extends Error {
  override readonly name = "IdentityRefused";
  readonly reason: IdentityRefusal;

  constructor(reason: IdentityRefusal) {
    super(reason);
    this.reason = reason;
  }
}

/**
 * Returns the address, in lower case, by which an account may find its person. Throws `IdentityRefused`. Accepts only
 * ASCII without quotes, so that another spelling of an address, or a Kelvin sign for a k, links nobody.
 */
export function linkingAddress(
  { email, emailVerified }: Pick<ProviderAccount, "email" | "emailVerified">,
  allowedDomains: readonly string[],
): string {
  if (email === null || !emailVerified) throw new IdentityRefused("unverified");
  const address = /^[!#-~]*$/.test(email) ? emailAddress(email)?.toLowerCase() : undefined;
  const domain = address?.slice(address.lastIndexOf("@") + 1);
  if (address === undefined || !allowedDomains.includes(domain!)) {
    throw new IdentityRefused("foreign-domain");
  }
  return address;
}

/** Finds the person to whom the account is connected. */
export async function personOfIdentity(db: Database, issuer: string, subject: string) {
  return await db
    .selectFrom("person_identities as i")
    .innerJoin("people as p", "p.id", "i.person_id")
    .select(["p.id", "p.email", "p.name", "p.operator", "i.by_hand as byHand"])
    .where("i.issuer", "=", issuer)
    .where("i.subject", "=", subject)
    .executeTakeFirst();
}

export type IdentifiedPerson = NonNullable<Awaited<ReturnType<typeof personOfIdentity>>>;

/**
 * Finds a person's accounts, newest first: at most one of each provider. `byHand` is true if the person connected the
 * account while signed in, and false if its address led to the person. `email` is the address that the provider last
 * reported.
 */
export async function identitiesOf(db: Database, personId: string) {
  return await db
    .selectFrom("person_identities")
    .select([
      "issuer",
      "subject",
      "by_hand as byHand",
      "email",
      "created_at as createdAt",
      "last_used_at as lastUsedAt",
    ])
    .where("person_id", "=", personId)
    .orderBy("created_at", "desc")
    .execute();
}

export async function insertIdentity(
  db: Database,
  identity: {
    issuer: string;
    subject: string;
    personId: string;
    byHand: boolean;
    email: string | null;
  },
): Promise<void> {
  const { personId: person_id, byHand: by_hand, ...rest } = identity;
  await db
    .insertInto("person_identities")
    .values({ ...rest, person_id, by_hand })
    .execute();
}

export async function updateIdentity(
  db: Database,
  issuer: string,
  subject: string,
  changes: { email: string | null; byHand?: true },
): Promise<void> {
  await db
    .updateTable("person_identities")
    .set({
      email: changes.email,
      ...(changes.byHand && { by_hand: true }),
      last_used_at: sql<Date>`now()`,
    })
    .where("issuer", "=", issuer)
    .where("subject", "=", subject)
    .execute();
}

/**
 * Deletes the person's accounts. With `byHandAlone`, deletes only those that the person connected; keeps that of
 * `exceptIssuer`.
 */
export async function deleteIdentities(
  db: Database,
  personId: string,
  {
    byHandAlone = false,
    exceptIssuer,
  }: { byHandAlone?: boolean; exceptIssuer?: string | undefined } = {},
) {
  let query = db.deleteFrom("person_identities").where("person_id", "=", personId);
  if (byHandAlone) query = query.where("by_hand", "=", true);
  if (exceptIssuer !== undefined) query = query.where("issuer", "!=", exceptIssuer);
  return await query.returning(["issuer", "email"]).execute();
}

async function deleteIdentity(db: Database, personId: string, issuer: string) {
  return await db
    .deleteFrom("person_identities")
    .where("person_id", "=", personId)
    .where("issuer", "=", issuer)
    .returning("email")
    .executeTakeFirst();
}
