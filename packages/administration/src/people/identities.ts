import type { Database } from "@belfry/database/connection";
import { invalid, NotFound } from "../input-error.ts";
import {
  deleteIdentity,
  identitiesOf,
  insertIdentity,
  personOfIdentity,
  updateIdentity,
} from "./identity-rows.ts";
import { verifyPassword } from "./password.ts";
import { lockPerson, storedPassword } from "./person-rows.ts";
import { IdentityRefused, type ProviderAccount } from "./provider-account.ts";
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
