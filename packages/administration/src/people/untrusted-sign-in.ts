import type { Database } from "@belfry/database/connection";
import type { AuditNote } from "../audited.ts";
import { deleteIdentities } from "./identities.ts";
import { endPendingSignIns, updatePerson } from "./person-rows.ts";
import { deleteSessions } from "./sessions.ts";
import { deleteTotp } from "./totp-rows.ts";

/**
 * Belfry sends no mail, so whoever makes a link sees it. A tenant's owner can follow an invitation or a reset link
 * before the person does, and then knows the password. Such a sign-in is untrusted: it serves within the one
 * tenant, and ends as soon as it would open more than that.
 */

interface EndedSignIn {
  email: string;
  password: boolean;
  twoFactor: boolean;
  /** Accounts at a provider that were connected by hand. */
  identities: number;
  sessions: number;
}

/** Whether the person's ways to sign in would end, were the person given anything more. */
export async function isSignInUntrusted(db: Database, personId: string): Promise<boolean> {
  return (await selectUntrusted(db, personId).executeTakeFirst()) !== undefined;
}

/**
 * Ends all that somebody else may know or have made: password, second factor, reset link, accounts connected by
 * hand (but for that of `exceptIssuer`, by which the person signs in right now), sign-ins under way and sessions.
 * An account that its verified address linked stays. Undefined: the sign-in is trusted, and nothing ends. Call in
 * the transaction that gives the person more. The person's row is locked.
 */
export async function endUntrustedSignIn(
  db: Database,
  personId: string,
  { exceptIssuer }: { exceptIssuer?: string } = {},
): Promise<EndedSignIn | undefined> {
  const person = await selectUntrusted(db, personId).forNoKeyUpdate().executeTakeFirst();
  if (person === undefined) return undefined;
  await endPendingSignIns(db, personId);
  const twoFactor = await deleteTotp(db, personId);
  const byHand = { byHandAlone: true, exceptIssuer };
  const identities = (await deleteIdentities(db, personId, byHand)).length;
  await db.deleteFrom("password_resets").where("person_id", "=", personId).execute();
  const sessions = await deleteSessions(db, personId, { except: undefined });
  await db
    .updateTable("people")
    .set({ password: null, sign_in_trusted: exceptIssuer === undefined })
    .where("id", "=", personId)
    .execute();
  const { email, password } = person;
  return { email, password: password !== null, twoFactor, identities, sessions };
}

/** Tells what ended; undefined where nothing did. */
export function untrustedSignInEnded(ended: EndedSignIn | undefined): AuditNote | undefined {
  if (ended === undefined) return undefined;
  const { email: target, ...after } = ended;
  if (!Object.values(after).some(Boolean)) return undefined;
  return { tenantId: null, action: "account.untrusted-end", target, after };
}

/** For a way in that an operator gave: an account connected by hand before may be somebody else's, and goes. */
export async function trustSignIn(db: Database, personId: string): Promise<void> {
  if (await isSignInUntrusted(db, personId)) {
    await deleteIdentities(db, personId, { byHandAlone: true });
  }
  await updatePerson(db, personId, { sign_in_trusted: true });
}

/** An operator reaches every tenant already: a membership gives nothing more. */
function selectUntrusted(db: Database, personId: string) {
  return db
    .selectFrom("people")
    .select(["email", "password"])
    .where("id", "=", personId)
    .where("sign_in_trusted", "=", false)
    .where("operator", "=", false);
}
