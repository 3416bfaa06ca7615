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
  /** The tenant; null if the person becomes an operator of the platform. */
  tenantId: string | null;
  role: InvitedRole;
  email: string;
  invitedBy: string | null;
  /** True if an operator or the command line makes the invitation, false if a tenant's owner does. */
  byOperator: boolean;
}

/** Returns the token of a link that makes the first operator, or undefined if there is an operator. Valid for a day. */
export async function firstOperatorToken(db: Database): Promise<string | undefined> {
  if ((await listOperators(db)).length > 0) return undefined;
  const first = { tenantId: null, role: "operator", invitedBy: null, byOperator: true } as const;
  return (await insertInvitation(db, { ...first, email: null }, FIRST_LINK_SECONDS)).token;
}

/**
 * Creates an invitation. Returns the token of its link, which is not stored and works once, for a week. Throws
 * `InvalidInput`, `NotFound`.
 */
export async function invite(db: Database, input: InvitationInput) {
  const email = emailAddress(input.email.trim())?.toLowerCase();
  if (email === undefined) throw invalid("email", "must be an email address");
  if (input.tenantId !== null && (await tenantById(db, input.tenantId)) === undefined) {
    throw tenantNotFound(input.tenantId, "tenantId");
  }
  const { token, sha256 } = await insertInvitation(db, { ...input, email }, INVITATION_SECONDS);
  return { token, invitation: (await openInvitation(db, sha256))! };
}

/** Finds an invitation by the link's token. Throws `NotFound` if it was accepted, was withdrawn or has expired. */
export async function showInvitation(db: Database, token: string) {
  const found = await openInvitation(db, tokenHash(token));
  if (found === undefined) throw invitationNotFound();
  const person = found.email === null ? undefined : await personForSignIn(db, found.email);
  return { ...found, personExists: person !== undefined };
}

/** Deletes an open invitation. Throws `NotFound`. */
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
  /** Used for the first operator only. Other people are invited by their address. */
  email: string;
  name: string;
  password: string;
}

interface PreparedPerson {
  email: string;
  name: string;
  password: HashedPassword;
}

/** Checks the input and hashes the password for `acceptAsNewPerson`. Throws `InvalidInput`, `NotFound`, `TooBusy`. */
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
 * Creates the person whom the link invites, with the invitation's role. Call it in a transaction, because a link works
 * once. Throws `InvalidInput`, `NotFound`.
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

/** Whether accepting ends the person's untrusted sign-in, because the person gains a tenant or becomes an operator. */
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
  // Only one of several concurrent calls can accept the invitation.
  const { numUpdatedRows } = await db
    .updateTable("invitations")
    .set({ accepted_at: sql<Date>`now()` })
    .where("id", "=", invitation.id)
    .where("accepted_at", "is", null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw invitationNotFound();
  if (invitation.email !== null) return;
  // Two links for a first operator make only one operator. Once there is an operator, the other links are invalid.
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

/** Finds an invitation that can still be accepted. */
async function openInvitation(db: Database, sha256: Buffer) {
  return await selectOpen(db).where("i.sha256", "=", sha256).executeTakeFirst();
}

/** An open invitation. `tenantId` is null for an invitation of an operator. */
type InvitationRow = NonNullable<Awaited<ReturnType<typeof openInvitation>>>;

/** Finds the open invitations of a tenant, or of operators if `tenantId` is null, newest first. */
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
