import { emailAddress } from "@belfry/contracts/addresses";
import { UUID } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";
import { uuidv7 } from "uuidv7";
import { invalid, NotFound, refuseFaults } from "../input-error.ts";
import { tenantById, tenantNotFound } from "../tenants/tenant-rows.ts";
import { type HashedPassword, hashPassword, passwordFault } from "./password.ts";
import { nameFault } from "./people.ts";
import {
  insertPerson,
  listMemberships,
  listOperators,
  lockOperators,
  lockPerson,
  personById,
  personForSignIn,
  putMembership,
  updatePerson,
} from "./person-rows.ts";
import type { HashClient } from "./scrypt-queue.ts";
import { newAccessToken, tokenHash } from "./sessions.ts";
import { endUntrustedSignIn, isSignInUntrusted } from "./untrusted-sign-in.ts";

const HOUR_SECONDS = 60 * 60;
const INVITATION_SECONDS = 7 * 24 * HOUR_SECONDS;
const FIRST_LINK_SECONDS = 24 * HOUR_SECONDS;

export type Invitation = InvitationRow;
type InvitedRole = InvitationRow["role"];

interface InvitationInput {
  /** null: to be an operator of the platform. */
  tenantId: string | null;
  role: InvitedRole;
  email: string;
  invitedBy: string | null;
  /** An operator or the command line makes it; else a tenant's owner. */
  byOperator: boolean;
}

/** The token of the link that makes the first operator; undefined when there is an operator. Valid for a day. */
export async function firstOperatorToken(db: Database): Promise<string | undefined> {
  if ((await listOperators(db)).length > 0) return undefined;
  const first = { tenantId: null, role: "operator", invitedBy: null, byOperator: true } as const;
  return (await insertInvitation(db, { ...first, email: null }, FIRST_LINK_SECONDS)).token;
}

/** Returns the link's token, this once; the link works once and for a week. Throws `InvalidInput`, `NotFound`. */
export async function invite(db: Database, input: InvitationInput) {
  const email = emailAddress(input.email.trim())?.toLowerCase();
  if (email === undefined) throw invalid("email", "must be an email address");
  if (input.tenantId !== null && (await tenantById(db, input.tenantId)) === undefined) {
    throw tenantNotFound(input.tenantId, "tenantId");
  }
  const { token, sha256 } = await insertInvitation(db, { ...input, email }, INVITATION_SECONDS);
  return { token, invitation: (await openInvitation(db, sha256))! };
}

/** Throws `NotFound` when it was accepted, withdrawn, or is too old. */
export async function showInvitation(db: Database, token: string) {
  const found = await openInvitation(db, tokenHash(token));
  if (found === undefined) throw invitationNotFound();
  const person = found.email === null ? undefined : await personForSignIn(db, found.email);
  return { ...found, personExists: person !== undefined };
}

/** Throws `NotFound`. */
export async function withdrawInvitation(db: Database, tenantId: string | null, id: string) {
  const gone = UUID.test(id)
    ? await selectOpen(db)
        .where("i.id", "=", id)
        .where("i.tenant_id", tenantId === null ? "is" : "=", tenantId)
        .executeTakeFirst()
    : undefined;
  if (gone === undefined) throw invitationNotFound();
  await db.deleteFrom("invitations").where("id", "=", id).execute();
  return gone;
}

interface NewPersonInput {
  /** Set for the first operator only. Others are invited by their address. */
  email: string;
  name: string;
  password: string;
}

interface PreparedPerson {
  email: string;
  name: string;
  password: HashedPassword;
}

/** Prepares the argument of `acceptAsNewPerson`. Throws `InvalidInput`, `NotFound`, `TooBusy`. */
export async function prepareNewPerson(
  db: Database,
  token: string,
  input: NewPersonInput,
  client: HashClient,
): Promise<PreparedPerson> {
  const invitation = await showInvitation(db, token);
  const email = invitation.email ?? emailAddress(input.email.trim())?.toLowerCase();
  refuseFaults(newPersonFaults(email, input));
  const password = await hashPassword(input.password, client);
  return { email: email!, name: input.name.trim(), password };
}

/**
 * Makes the person that the link invites, with its role. Call in a transaction: a link works once.
 * Throws `InvalidInput`, `NotFound`.
 */
export async function acceptAsNewPerson(db: Database, token: string, person: PreparedPerson) {
  const invitation = await showInvitation(db, token);
  const email = invitation.email ?? person.email;
  await takeInvitation(db, invitation);
  if ((await personForSignIn(db, email)) !== undefined) {
    throw invalid("email", "belongs to somebody already: sign in");
  }
  const personId = await insertPerson(db, {
    ...person,
    email,
    operator: invitation.role === "operator",
    isSignInTrusted: invitation.byOperator,
  });
  await giveRole(db, invitation, personId);
  return { personId, invitation: { ...invitation, email } };
}

/** Whether accepting ends the ways to sign in of who is signed in: the role is more than an untrusted sign-in opens. */
export async function endsSignIn(db: Database, { tenantId }: Invitation, personId: string) {
  if (!(await isSignInUntrusted(db, personId))) return false;
  const memberships = await listMemberships(db, personId);
  return !memberships.some((membership) => membership.tenantId === tenantId);
}

/**
 * Gives a signed-in person the link's role. If the person gains rights, untrusted sign-ins end. Call in a transaction.
 * Throws `NotFound`, `InvalidInput`.
 */
export async function acceptAsPerson(db: Database, token: string, personId: string) {
  const invitation = await showInvitation(db, token);
  const person = await personById(db, personId);
  if (person === undefined || (invitation.email !== null && invitation.email !== person.email)) {
    throw invalid("email", "is not the one that was invited");
  }
  await takeInvitation(db, invitation);
  await lockPerson(db, personId);
  const isEnding = await endsSignIn(db, invitation, personId);
  const ended = isEnding ? await endUntrustedSignIn(db, personId) : undefined;
  if (invitation.role === "operator") await updatePerson(db, personId, { operator: true });
  await giveRole(db, invitation, personId);
  return { invitation, ended };
}

async function takeInvitation(db: Database, invitation: Invitation): Promise<void> {
  // For one caller only, whatever the number of them.
  const { numUpdatedRows } = await db
    .updateTable("invitations")
    .set({ accepted_at: sql<Date>`now()` })
    .where("id", "=", invitation.id)
    .where("accepted_at", "is", null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw invitationNotFound();
  if (invitation.email !== null) return;
  // Two links of a first operator make one operator; the others are worth nothing once there is one.
  if ((await lockOperators(db)).length > 0) throw invitationNotFound();
  await db.deleteFrom("invitations").where("email", "is", null).execute();
}

async function giveRole(db: Database, invitation: Invitation, personId: string): Promise<void> {
  const { tenantId, role } = invitation;
  if (tenantId === null || role === "operator") return;
  await putMembership(db, { personId, tenantId, role });
}

function newPersonFaults(email: string | undefined, input: NewPersonInput) {
  return [
    email === undefined ? { field: "email", message: "must be an email address" } : undefined,
    nameFault(input.name),
    passwordFault(input.password),
  ];
}

function invitationNotFound(): NotFound {
  return new NotFound("invitation", "this link was used, withdrawn or is too old");
}

/** Queries on `invitations`: links that make a person an operator or a member. */

async function insertInvitation(
  db: Database,
  {
    tenantId,
    role,
    email,
    invitedBy,
    byOperator,
  }: Omit<InvitationInput, "email"> & { email: string | null },
  validSeconds: number,
) {
  const made = newAccessToken();
  await db
    .insertInto("invitations")
    .values({
      id: uuidv7(),
      sha256: made.sha256,
      tenant_id: tenantId,
      role,
      email,
      invited_by: invitedBy,
      by_operator: byOperator,
      expires_at: sql<Date>`now() + make_interval(secs => ${validSeconds})`,
    })
    .execute();
  return made;
}

/** An invitation that can still be accepted. */
async function openInvitation(db: Database, sha256: Buffer) {
  return await selectOpen(db).where("i.sha256", "=", sha256).executeTakeFirst();
}

/** `tenantId` null: an operator's. */
type InvitationRow = NonNullable<Awaited<ReturnType<typeof openInvitation>>>;

/** Those of a tenant, or (null) of operators, newest first. */
export async function listInvitations(db: Database, tenantId: string | null) {
  return await selectOpen(db)
    .where("i.tenant_id", tenantId === null ? "is" : "=", tenantId)
    .where("i.email", "is not", null)
    .orderBy("i.id", "desc")
    .execute();
}

function selectOpen(db: Database) {
  return db
    .selectFrom("invitations as i")
    .leftJoin("tenants as t", "t.id", "i.tenant_id")
    .select([
      "i.id",
      "i.tenant_id as tenantId",
      "t.name as tenantName",
      "i.role",
      "i.email",
      "i.by_operator as byOperator",
      "i.created_at as createdAt",
      "i.expires_at as expiresAt",
    ])
    .where("i.accepted_at", "is", null)
    .where("i.expires_at", ">", sql<Date>`now()`);
}
