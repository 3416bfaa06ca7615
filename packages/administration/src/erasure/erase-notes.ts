import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";

/**
 * Actions whose target is a user's id. An erasure replaces the target and removes the change. A test derives the list
 * from the acts.
 */
export const USER_ACTIONS = [
  "user.create",
  "user.update",
  "user.preference",
  "user.open-inbox",
  "user.disconnect",
  "device.put",
  "device.delete",
] as const;

/** Finds the addresses that the tenant gave for the user, including former ones, as far as the audit log has them. */
export async function addressesInNotes(
  db: Database,
  { tenantId, userId }: { tenantId: string; userId: string },
): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    select distinct told.address from audit_log a
    cross join lateral (values (a.before ->> 'email'), (a.before ->> 'phone'), (a.before ->> 'chat'),
                               (a.after ->> 'email'), (a.after ->> 'phone'), (a.after ->> 'chat')) told (address)
    where a.tenant_id = ${tenantId} and a.action in ('user.create', 'user.update')
      and a.target = ${userId} and told.address is not null`.execute(db);
  return rows.map(({ address }) => address);
}

/**
 * Removes a user, or all users of the tenant if `userId` is absent, from the audit log. The entries stay, with the
 * actor and the time, but a hash replaces the user's id (the same hash that names the erasure), and the changed values
 * are deleted. Returns the number of changed entries.
 */
export async function eraseUserNotes(
  db: Database,
  { tenantId, userId }: { tenantId: string; userId?: string | undefined },
): Promise<number> {
  const erased = (id: ReturnType<typeof sql>) =>
    sql`'user sha256:' || encode(sha256(convert_to(${tenantId}::text || E'\\n' || ${id}, 'UTF8')), 'hex')`;
  const of = (id: ReturnType<typeof sql>) =>
    userId === undefined ? sql`${id} is not null` : sql`${id} = ${userId}`;
  const [target, tested] = [sql`target`, sql`(after ->> 'userId')`];
  const changes = await sql`
    update audit_log set target = ${erased(target)}, before = null, after = null
    where tenant_id = ${tenantId} and action = any (${[...USER_ACTIONS]}::text[]) and ${of(target)}`.execute(
    db,
  );
  const tests = await sql`
    update audit_log set after = jsonb_set(after, '{userId}', to_jsonb(${erased(tested)}))
    where tenant_id = ${tenantId} and action = 'template.test' and ${of(tested)}`.execute(db);
  return Number((changes.numAffectedRows ?? 0n) + (tests.numAffectedRows ?? 0n));
}

/**
 * Removes addresses from the audit log's entries about manual suppressions. Call it when the suppressions themselves
 * are deleted. The addresses have the form that `suppressedForm` returns.
 */
export async function eraseAddressNotes(
  db: Database,
  tenantId: string,
  addresses: readonly string[],
): Promise<void> {
  await sql`
    update audit_log set target = split_part(target, ' ', 1) || ' erased address'
    where tenant_id = ${tenantId} and action like 'suppression.%'
      and lower(substr(target, position(' ' in target) + 1) collate "C") = any (${addresses}::text[])`.execute(
    db,
  );
}
