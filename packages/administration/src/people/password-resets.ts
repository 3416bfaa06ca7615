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
  /** For the link, this once. */
  token: string;
  person: PersonRow;
  expiresAt: Date;
}

/**
 * A link by which the person sets a new password: it works once, for an hour, and ends the one before.
 * An owner makes it only for a member of no other tenant who is no operator: people are global, and nobody
 * takes over what is another tenant's. Nobody makes it for themselves: the current password would not be
 * asked. Call in a transaction. Throws `NotFound`, `InvalidInput`.
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
 * Sets the new password, and ends every session of the person. The maker's right is judged again, with the
 * person's roles locked. An owner's link leaves an untrusted sign-in, an operator's a trusted one. Call in a
 * transaction. Throws `NotFound`.
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
  // For one caller only, whatever the number of them.
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

/** How the audit log tells of it. */
export function passwordReset({
  person,
  ownerOf,
  ...after
}: Awaited<ReturnType<typeof resetPassword>>): AuditNote {
  return { tenantId: ownerOf, action: "account.reset-password", target: person.email, after };
}

/** People of other tenants are answered as unknown, not as refused. */
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

/** Judged when a link is made, and again when it is used: of both, either may have changed. */
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

/** Queries on `password_resets`: links by which a person sets a new password. Only their SHA-256 is here. */

/** The maker of a link and the right that allows it. */
interface ResetMaker {
  /** null: the command line. */
  personId: string | null;
  /** The tenant as whose owner; null: as an operator, for anybody. */
  ownerOf: string | null;
}

interface ResetRow {
  personId: string;
  maker: ResetMaker;
}

/** The link that there was for the person ends. */
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

/** A link that has neither been used nor ended at `now`. */
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
