import type { Database } from "@belfry/database/connection";
import { uuidv7 } from "uuidv7";

/** The person or program that makes a change, and its address. */
export interface Actor {
  personId: string | null;
  /** Name and email address, as the audit log shows them. */
  person: string;
  /** The client's address. */
  address: string;
  /** Email address of a signed-in person. */
  email?: string;
  /** True for a program of the tenant, which signs in with an API key. */
  isProgram?: boolean;
}

/**
 * Returns the email address to record for a version, or undefined if the actor is no person, as on the command line.
 */
export function emailOf({ person }: Actor): string | undefined {
  return person.endsWith(">") ? person.slice(person.lastIndexOf("<") + 1, -1) : undefined;
}

export type AuditNote = Pick<NewAuditEntry, "tenantId" | "action" | "target"> & {
  before?: object | null;
  after?: object | null;
};

/** The function `audited` with the database and the actor already bound. */
export type Audited = <T>(
  change: (transaction: Database) => Promise<T>,
  note: (result: T) => AuditNote | undefined,
) => Promise<T>;

/**
 * Runs a change and writes its audit entry in the same transaction. `note` describes the change from its result; it
 * must mask secrets. If `note` returns undefined, nothing was changed and no entry is written.
 */
export async function audited<T>(
  db: Database,
  actor: Actor,
  change: (transaction: Database) => Promise<T>,
  note: (result: T) => AuditNote | undefined,
): Promise<T> {
  return await db.transaction().execute(async (transaction) => {
    const result = await change(transaction);
    await writeNote(transaction, actor, note(result));
    return result;
  });
}

/**
 * Writes one note; call it in the change's transaction. Use it instead of `audited` if a change has several notes, or
 * if the actor is known only from the change's result.
 */
export async function writeNote(db: Database, actor: Actor, note: AuditNote | undefined) {
  if (note === undefined) return;
  const { before = null, after = null, ...what } = note;
  await insertAuditEntry(db, {
    ...actor,
    ...what,
    before: before as Record<string, unknown> | null,
    after: after as Record<string, unknown> | null,
  });
}

/** A new entry of the audit log. Secrets in it are already masked. */
interface NewAuditEntry {
  personId: string | null;
  /** Name and email address, stored because the person may be deleted later. */
  person: string;
  address: string;
  /** null for an entry of the platform. */
  tenantId: string | null;
  /** Audit action, such as `template.save`. */
  action: string;
  /** The changed object, in words. */
  target: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

export interface AuditRow extends NewAuditEntry {
  id: string;
  at: Date;
  /** null for an entry of the platform, or if the tenant was deleted. */
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
