import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";
import type { Actor } from "../audited.ts";
import type { DeletedTenantData } from "./tenant-data.ts";

/** Queries on `tenant_deletions`. A row outlives its tenant: the page of the deletion reads it. */

/** False: the tenant is being deleted already. */
export async function storeTenantDeletion(
  db: Database,
  tenant: { id: string; name: string },
  actor: Actor,
): Promise<boolean> {
  const { personId: person_id, person, address } = actor;
  const result = await db
    .insertInto("tenant_deletions")
    .values({
      ...{ tenant_id: tenant.id, name: tenant.name, person_id, person, address },
      deleted: JSON.stringify({}),
    })
    .onConflict((conflict) => conflict.column("tenant_id").doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** `deleted`: so far. */
export async function findTenantDeletion(db: Database, tenantId: string) {
  return await db
    .selectFrom("tenant_deletions")
    .select(["tenant_id as tenantId", "name", "person", "requested_at as requestedAt"])
    .select(["started_at as startedAt", "ended_at as endedAt", "deleted"])
    .where("tenant_id", "=", tenantId)
    .executeTakeFirst();
}

/** The one that has waited longest; or one whose process has died. Undefined: there is none. */
export async function claimTenantDeletion(db: Database, leaseMs: number) {
  const { rows } = await sql<{ tenantId: string } & Actor>`
    with next as materialized (
      select tenant_id from tenant_deletions
      where ended_at is null and due_at <= now()
      order by due_at limit 1 for update skip locked
    )
    update tenant_deletions d
    set started_at = coalesce(d.started_at, now()), due_at = now() + ${leaseMs} * interval '1 millisecond'
    from next n where d.tenant_id = n.tenant_id
    returning d.tenant_id as "tenantId", d.person_id as "personId", d.person, d.address`.execute(
    db,
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const { tenantId, ...actor } = row;
  return { tenantId, actor };
}

/** How far it is; nobody else takes it for so long. */
export async function renewTenantDeletion(
  db: Database,
  tenantId: string,
  deleted: DeletedTenantData,
  leaseMs: number,
): Promise<void> {
  await db
    .updateTable("tenant_deletions")
    .set({
      due_at: sql<Date>`now() + ${leaseMs} * interval '1 millisecond'`,
      deleted: JSON.stringify(deleted),
    })
    .where("tenant_id", "=", tenantId)
    .execute();
}

/** Undefined: what it had deleted when it was last renewed. */
export async function endTenantDeletion(
  db: Database,
  tenantId: string,
  deleted: DeletedTenantData | undefined,
): Promise<void> {
  await db
    .updateTable("tenant_deletions")
    .set({
      ended_at: sql<Date>`now()`,
      ...(deleted === undefined ? {} : { deleted: JSON.stringify(deleted) }),
    })
    .where("tenant_id", "=", tenantId)
    .execute();
}
