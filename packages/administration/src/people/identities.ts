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

/** The password of who is signed in, asked once more; right for who has none. Throws `TooBusy`. */
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
 * Connects an account to a person who is signed in: by hand, so it needs no address, and may be an
 * operator's. Call in a transaction. Throws `IdentityRefused`, `NotFound`.
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
 * An account opens the person's no more. Call in a transaction. Throws `NotFound`, and `InvalidInput`
 * for who has no password: it is the only way in.
 */
export async function disconnectIdentity(db: Database, personId: string, issuer: string) {
  if (!(await lockPerson(db, personId)) || !(await hasPassword(db, personId))) {
    throw invalid("identity", "is your only way to sign in");
  }
  const gone = await deleteIdentity(db, personId, issuer);
  if (gone === undefined) throw new NotFound("identity", "is not connected");
  return gone;
}

/** An account at a provider of OpenID Connect, as the provider has just vouched for it. */
export interface ProviderAccount {
  issuer: string;
  /** `sub`: who it is at this issuer, for ever. */
  subject: string;
  /** The address as the provider wrote it. */
  email: string | null;
  /** Whether the provider says that the address is the account's. */
  emailVerified: boolean;
  name: string | null;
  groups: readonly string[];
}

/** Why an account opens nothing. */
export type IdentityRefusal =
  /** The provider does not say that the address is verified, or says none. */
  | "unverified"
  /** The address is of no domain that may link by itself. */
  | "foreign-domain"
  /** An operator's account, which the operator has not connected. */
  | "operator"
  /** The person of that address has connected another account. */
  | "connected-otherwise"
  /** The account opens somebody else's. */
  | "somebody-elses"
  /** Nobody here has that address, and no group gives a role. */
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
 * The address by which an account may find its person, in lower case. Throws `IdentityRefused`. Only
 * ASCII without quotes is compared: two ways to write one address, or a Kelvin sign for a k, link nobody.
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

/** Queries on `person_identities`: a person's account at a provider of OpenID Connect. */

/** Returns the person who owns the account. */
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
 * The accounts that open a person's, the newest first: of each provider one at most. `byHand`: the person
 * connected it, signed in; else its address led to the person. `email` is as the provider last said it.
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

/** All of the person's; `byHandAlone`: those that the person connected, but for that of `exceptIssuer`. */
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
