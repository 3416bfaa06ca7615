import type { Database } from "@belfry/database/connection";
import { uuidv7 } from "uuidv7";

/** Who changed what, from where and when. Secrets are masked before they come here. */

export interface NewAuditEntry {
  personId: string | null;
  /** As shown later, when the person may be gone: name and email address. */
  person: string;
  address: string;
  /** null: of the platform. */
  tenantId: string | null;
  /** As `template.save`. */
  action: string;
  /** What it was done to, in words. */
  target: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

export interface AuditRow extends NewAuditEntry {
  id: string;
  at: Date;
  /** null: of the platform, or the tenant is deleted. */
  tenantName: string | null;
}

export async function insertAuditEntry(db: Database, entry: NewAuditEntry): Promise<void> {
  await db
    .insertInto("audit_log")
    .values({
      id: uuidv7(),
      person_id: entry.personId,
      person: entry.person,
      address: entry.address,
      tenant_id: entry.tenantId,
      action: entry.action,
      target: entry.target,
      before: entry.before === null ? null : JSON.stringify(entry.before),
      after: entry.after === null ? null : JSON.stringify(entry.after),
    })
    .execute();
}
