import { UUID } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";
import type { AuditNote } from "../audited.ts";
import { NotFound, refuseFaults } from "../input-error.ts";
import type { HashedPassword } from "./password.ts";
import {
  listMemberships,
  lockPersonAndRoles,
  type PersonRow,
  personById,
  updatePerson,
} from "./person-rows.ts";
import { deleteSessions, newAccessToken, tokenHash } from "./sessions.ts";
import { trustSignIn } from "./untrusted-sign-in.ts";

const RESET_SECONDS = 60 * 60;

export interface ResetLink {
  /** The token of the link. It is not stored. */
  token: string;
  person: PersonRow;
  expiresAt: Date;
}

/**
 * Creates a link by which the person sets a new password. It works once, for an hour, and replaces the person's earlier
 * link. An owner can make it only for members who belong to no other tenant and are no operators: a person's account is
 * the same in all tenants, and an owner must not get access to another tenant. Nobody can make a link for themselves,
 * because that would bypass the current password. Call it in a transaction. Throws `NotFound`, `InvalidInput`.
 */
export async function makeResetLink(
  db: Database,
  personId: string,
  maker: ResetMaker,
  now = new Date(),
): Promise<ResetLink> {
  const person = UUID.test(personId) ? await personById(db, personId) : undefined;
  const isMember = person !== undefined && (await isMemberFor(db, person, maker));
  if (person === undefined || !isMember) {
    throw new NotFound("person", `nobody here has the id ${JSON.stringify(personId)}`);
  }
  refuseFaults([await makingFault(db, person, maker)]);
  await deleteEndedResets(db, now);
  const { token, sha256 } = newAccessToken();
  const expiresAt = new Date(now.getTime() + RESET_SECONDS * 1000);
  await putReset(db, { personId, maker, sha256, expiresAt });
  return { token, person, expiresAt };
}

/** Returns the person whose password the link sets, and leaves the link valid. Throws `NotFound`. */
export async function showReset(db: Database, token: string, now = new Date()): Promise<PersonRow> {
  const reset = await openReset(db, tokenHash(token), now);
  const person = reset && (await personById(db, reset.personId));
  if (reset === undefined || person === undefined || !(await mayMake(db, person, reset.maker))) {
    throw resetNotFound();
  }
  return person;
}

/**
 * Sets the new password, and ends every session of the person. Checks the maker's right again, with the person's roles
 * locked. After an owner's link the sign-in is untrusted, after an operator's it is trusted. Call it in a transaction.
 * Throws `NotFound`.
 */
export async function resetPassword(
  db: Database,
  token: string,
  password: HashedPassword,
  now = new Date(),
) {
  const sha256 = tokenHash(token);
  const reset = await openReset(db, sha256, now);
  const person = reset && (await lockPersonAndRoles(db, reset.personId));
  if (reset === undefined || person === undefined || !(await mayMake(db, person, reset.maker))) {
    throw resetNotFound();
  }
  // Only one of several concurrent calls can use the link.
  const { numDeletedRows } = await db
    .deleteFrom("password_resets")
    .where("sha256", "=", sha256)
    .where("expires_at", ">", now)
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw resetNotFound();
  if (reset.maker.ownerOf === null) await trustSignIn(db, person.id);
  else await updatePerson(db, person.id, { sign_in_trusted: false });
  await updatePerson(db, person.id, { password });
  const sessionsEnded = await deleteSessions(db, person.id, { except: undefined });
  return { person, ownerOf: reset.maker.ownerOf, sessionsEnded };
}

/** Returns the note about a password reset for the audit log. */
export function passwordReset({
  person,
  ownerOf,
  ...after
}: Awaited<ReturnType<typeof resetPassword>>): AuditNote {
  return { tenantId: ownerOf, action: "account.reset-password", target: person.email, after };
}

/** Whether the maker may know the person. People of other tenants are reported as unknown, not as refused. */
async function isMemberFor(db: Database, person: PersonRow, { ownerOf }: ResetMaker) {
  if (ownerOf === null) return true;
  return (await listMemberships(db, person.id)).some(({ tenantId }) => tenantId === ownerOf);
}

async function makingFault(db: Database, person: PersonRow, maker: ResetMaker) {
  if (person.id === maker.personId) {
    return { field: "person", message: "it is you: change your password under Your account" };
  }
  if (await mayMake(db, person, maker)) return undefined;
  return { field: "person", message: "only an operator can make a reset link for this person" };
}

/**
 * Whether the maker may make the link. Checked when a link is made and when it is used, as both people may have
 * changed.
 */
async function mayMake(db: Database, person: PersonRow, maker: ResetMaker): Promise<boolean> {
  const { personId, ownerOf } = maker;
  const isOperator = personId === null || (await personById(db, personId))?.operator === true;
  if (ownerOf === null) return isOperator;
  const own = personId === null ? [] : await listMemberships(db, personId);
  const isOwner = own.some(({ tenantId, role }) => tenantId === ownerOf && role === "owner");
  const memberships = await listMemberships(db, person.id);
  const [only] = memberships;
  return (
    (isOwner || isOperator) &&
    !person.operator &&
    memberships.length === 1 &&
    only?.tenantId === ownerOf
  );
}

function resetNotFound(): NotFound {
  return new NotFound("reset", "this link was used, was replaced or is too old");
}

/** The maker of a link and the right that allows it. */
interface ResetMaker {
  /** The person who makes the link; null for the command line. */
  personId: string | null;
  /** The tenant whose owner makes the link; null if an operator makes it, who may do so for anybody. */
  ownerOf: string | null;
}

interface ResetRow {
  personId: string;
  maker: ResetMaker;
}

/** Stores a link, but only the SHA-256 of its token. Replaces the person's earlier link. */
async function putReset(db: Database, reset: ResetRow & { sha256: Buffer; expiresAt: Date }) {
  const link = {
    sha256: reset.sha256,
    made_by: reset.maker.personId,
    by_owner_of: reset.maker.ownerOf,
    expires_at: reset.expiresAt,
  };
  await db
    .insertInto("password_resets")
    .values({ person_id: reset.personId, ...link })
    .onConflict((conflict) =>
      conflict.column("person_id").doUpdateSet({ ...link, created_at: sql<Date>`now()` }),
    )
    .execute();
}

/** Finds a link that was not used and has not expired at `now`. */
async function openReset(db: Database, sha256: Buffer, now: Date): Promise<ResetRow | undefined> {
  const row = await db
    .selectFrom("password_resets")
    .select(["person_id as personId", "made_by as madeBy", "by_owner_of as ownerOf"])
    .where("sha256", "=", sha256)
    .where("expires_at", ">", now)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { personId, madeBy, ownerOf } = row;
  return { personId, maker: { personId: madeBy, ownerOf } };
}

async function deleteEndedResets(db: Database, now: Date): Promise<void> {
  await sql`
    delete from password_resets where sha256 in (
      select sha256 from password_resets where expires_at <= ${now} for update skip locked)`.execute(
    db,
  );
}
