import type { Database } from "@belfry/database/connection";
import type { AuditNote } from "../audited.ts";
import { deleteIdentities } from "./identities.ts";
import { endPendingSignIns, updatePerson } from "./person-rows.ts";
import { deleteSessions } from "./sessions.ts";
import { deleteTotp } from "./totp-rows.ts";

interface EndedSignIn {
  email: string;
  password: boolean;
  twoFactor: boolean;
  /** Accounts at a provider of OpenID Connect that were connected by hand. */
  identities: number;
  sessions: number;
}

/**
 * Whether the person's sign-in is untrusted. Belfry sends no mail to its people, so the creator of an invitation or
 * reset link sees the link. A tenant's owner can open such a link before the person does, and then knows the password.
 * An untrusted sign-in works within that tenant, and ends before it would give access to more.
 */
export async function isSignInUntrusted(db: Database, personId: string): Promise<boolean> {
  return (await selectUntrusted(db, personId).executeTakeFirst()) !== undefined;
}

/**
 * Deletes everything that another person may know or have made: password, second factor, reset link, accounts connected
 * by hand (except that of `exceptIssuer`, by which the person is signing in), sign-ins in progress and sessions. Keeps
 * an account that was linked by its verified address. If the sign-in is trusted, deletes nothing and returns undefined.
 * Call it in the transaction that gives the person more rights. It locks the person's row.
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

/** Returns the audit note about an ended sign-in; undefined if nothing was deleted. */
export function untrustedSignInEnded(ended: EndedSignIn | undefined): AuditNote | undefined {
  if (ended === undefined) return undefined;
  const { email: target, ...after } = ended;
  if (!Object.values(after).some(Boolean)) return undefined;
  return { tenantId: null, action: "account.untrusted-end", target, after };
}

/**
 * Marks the sign-in as trusted, because an operator gave it. Deletes accounts that were connected by hand before,
 * because they may be another person's.
 */
export async function trustSignIn(db: Database, personId: string): Promise<void> {
  if (await isSignInUntrusted(db, personId)) {
    await deleteIdentities(db, personId, { byHandAlone: true });
  }
  await updatePerson(db, personId, { sign_in_trusted: true });
}

/**
 * Selects the person if the sign-in is untrusted. Excludes operators: they have access to every tenant, so a membership
 * adds no rights.
 */
function selectUntrusted(db: Database, personId: string) {
  return db
    .selectFrom("people")
    .select(["email", "password"])
    .where("id", "=", personId)
    .where("sign_in_trusted", "=", false)
    .where("operator", "=", false);
}
