import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";
import { uuidv7 } from "uuidv7";
import type { TenantRole } from "./person-rows.ts";

/** Queries on `invitations`: links that make a person an operator or a member. */

export interface InvitationRow {
  id: string;
  /** null: an operator's. */
  tenantId: string | null;
  tenantName: string | null;
  role: TenantRole | "operator";
  email: string | null;
  createdAt: Date;
  expiresAt: Date;
}

export async function insertInvitation(
  db: Database,
  invitation: {
    sha256: Buffer;
    tenantId: string | null;
    role: InvitationRow["role"];
    email: string | null;
    invitedBy: string | null;
    validSeconds: number;
  },
): Promise<string> {
  const id = uuidv7();
  await db
    .insertInto("invitations")
    .values({
      id,
      sha256: invitation.sha256,
      tenant_id: invitation.tenantId,
      role: invitation.role,
      email: invitation.email,
      invited_by: invitation.invitedBy,
      expires_at: sql<Date>`now() + make_interval(secs => ${invitation.validSeconds})`,
    })
    .execute();
  return id;
}

/** An invitation that can still be accepted. */
export async function openInvitation(
  db: Database,
  sha256: Buffer,
): Promise<InvitationRow | undefined> {
  const row = await selectOpen(db).where("i.sha256", "=", sha256).executeTakeFirst();
  return row === undefined ? undefined : { ...row, role: row.role as InvitationRow["role"] };
}

/** Those of a tenant, or (null) of operators, newest first. */
export async function openInvitations(
  db: Database,
  tenantId: string | null,
): Promise<InvitationRow[]> {
  const rows = await selectOpen(db)
    .where("i.tenant_id", tenantId === null ? "is" : "=", tenantId)
    .where("i.email", "is not", null)
    .orderBy("i.id", "desc")
    .execute();
  return rows.map((row) => ({ ...row, role: row.role as InvitationRow["role"] }));
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

export async function deleteInvitation(
  db: Database,
  tenantId: string | null,
  id: string,
): Promise<InvitationRow | undefined> {
  const row = await selectOpen(db)
    .where("i.id", "=", id)
    .where("i.tenant_id", tenantId === null ? "is" : "=", tenantId)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  await db.deleteFrom("invitations").where("id", "=", id).execute();
  return { ...row, role: row.role as InvitationRow["role"] };
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
      "i.created_at as createdAt",
      "i.expires_at as expiresAt",
    ])
    .where("i.accepted_at", "is", null)
    .where("i.expires_at", ">", sql<Date>`now()`);
}
