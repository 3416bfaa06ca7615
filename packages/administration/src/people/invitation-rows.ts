import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";
import { uuidv7 } from "uuidv7";

/** Queries on `invitations`: links that make a person an operator or a member. */

export async function insertInvitation(
  db: Database,
  invitation: {
    sha256: Buffer;
    tenantId: string | null;
    role: InvitationRow["role"];
    email: string | null;
    invitedBy: string | null;
    byOperator: boolean;
    validSeconds: number;
  },
) {
  const { tenantId, invitedBy, byOperator, validSeconds, ...rest } = invitation;
  const expires_at = sql<Date>`now() + make_interval(secs => ${validSeconds})`;
  await db
    .insertInto("invitations")
    .values({
      ...rest,
      id: uuidv7(),
      tenant_id: tenantId,
      invited_by: invitedBy,
      by_operator: byOperator,
      expires_at,
    })
    .execute();
}

/** An invitation that can still be accepted. */
export async function openInvitation(db: Database, sha256: Buffer) {
  return await selectOpen(db).where("i.sha256", "=", sha256).executeTakeFirst();
}

/** `tenantId` null: an operator's. */
export type InvitationRow = NonNullable<Awaited<ReturnType<typeof openInvitation>>>;

/** Those of a tenant, or (null) of operators, newest first. */
export async function listInvitations(db: Database, tenantId: string | null) {
  return await selectOpen(db)
    .where("i.tenant_id", tenantId === null ? "is" : "=", tenantId)
    .where("i.email", "is not", null)
    .orderBy("i.id", "desc")
    .execute();
}

/** True for one caller only, whatever the number of them. */
export async function markInvitationAccepted(db: Database, id: string): Promise<boolean> {
  const result = await db
    .updateTable("invitations")
    .set({ accepted_at: sql<Date>`now()` })
    .where("id", "=", id)
    .where("accepted_at", "is", null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function deleteInvitation(db: Database, tenantId: string | null, id: string) {
  const row = await selectOpen(db)
    .where("i.id", "=", id)
    .where("i.tenant_id", tenantId === null ? "is" : "=", tenantId)
    .executeTakeFirst();
  if (row !== undefined) await db.deleteFrom("invitations").where("id", "=", id).execute();
  return row;
}

/** The links of a first operator are worth nothing once there is one. */
export async function deleteFirstOperatorInvitations(db: Database): Promise<void> {
  await db.deleteFrom("invitations").where("email", "is", null).execute();
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
