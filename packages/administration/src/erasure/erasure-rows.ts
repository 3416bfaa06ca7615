import type { Database } from "@belfry/database/connection";
import { type RawBuilder, sql } from "kysely";
import { uuidv7 } from "uuidv7";
import type { UserOfTenant } from "../tenants/realtime.ts";

/** Queries on `erasures`. */

/** As the index has it, word for word. */
const IS_OPEN = sql<boolean>`state <> 'done'`;

/** The user's open erasure, or a new one. */
export async function storeErasure(
  db: Database,
  { tenantId, userId }: UserOfTenant,
  userHash: Buffer,
) {
  await db
    .insertInto("erasures")
    .values({ id: uuidv7(), tenant_id: tenantId, user_hash: userHash, user_id: userId })
    .onConflict((conflict) =>
      conflict.columns(["tenant_id", "user_hash"]).where(IS_OPEN).doNothing(),
    )
    .execute();
  // One that was there may have ended since: then the new one is the newest of this user.
  return await selectErasures(db, tenantId)
    .where("user_hash", "=", userHash)
    .orderBy("id", "desc")
    .executeTakeFirstOrThrow();
}

/** `deleted`: rows, by kind; null until it is done. */
export type ErasureRow = Awaited<ReturnType<typeof storeErasure>>;

export async function findErasure(db: Database, tenantId: string, id: string) {
  return await selectErasures(db, tenantId).where("id", "=", id).executeTakeFirst();
}

export async function findOpenErasure(db: Database, tenantId: string, userHash: Buffer) {
  return await selectErasures(db, tenantId)
    .where("user_hash", "=", userHash)
    .where(IS_OPEN)
    .executeTakeFirst();
}

export async function countOpenErasures(db: Database, tenantId: string): Promise<number> {
  const { count } = await db
    .selectFrom("erasures")
    .select(sql<number>`count(*)::integer`.as("count"))
    .where("tenant_id", "=", tenantId)
    .where("state", "<>", "done")
    .executeTakeFirstOrThrow();
  return count;
}

export interface ClaimedErasure extends UserOfTenant {
  id: string;
}

const UNIQUE_VIOLATION = "23505";

/**
 * Takes an erasure of the next tenant after `after`, in the order of their ids, and after the last the first one: so
 * tenants take turns. Of a tenant it is the one that has waited longest; while one runs there is none, and where the
 * process of that one has died it is that one. Undefined: there is none, or somebody else was quicker.
 */
export async function claimErasure(db: Database, leaseMs: number, after: string) {
  const claimed = await claimBeyond(db, leaseMs, after);
  return claimed === undefined && after !== "" ? await claimBeyond(db, leaseMs, "") : claimed;
}

async function claimBeyond(db: Database, leaseMs: number, after: string) {
  const nextTenant = (tenantId: RawBuilder<unknown>) => sql`
    select e.tenant_id from erasures e
    where e.state <> 'done' and e.tenant_id > ${tenantId} order by e.tenant_id limit 1`;
  try {
    const { rows } = await sql<ClaimedErasure>`
      with recursive tenants as (
        (${nextTenant(sql`${after}`)})
        union all
        select n.tenant_id from tenants t cross join lateral (${nextTenant(sql`t.tenant_id`)}) n
      ),
      next as materialized (
        select oldest.id from tenants t
        left join lateral (
          select e.id, e.claimed_until from erasures e
          where e.tenant_id = t.tenant_id and e.state = 'running' limit 1
        ) running on true
        cross join lateral (
          -- Two ends instead of one value, and the order by both: else Postgres may walk along the times of all tenants.
          select e.id from erasures e
          where e.tenant_id >= t.tenant_id and e.tenant_id <= t.tenant_id and e.state <> 'done'
            and e.due_at <= now() and (running.id is null or e.id = running.id)
          order by e.tenant_id, e.due_at limit 1 for update skip locked
        ) oldest
        where running.id is null or running.claimed_until < now()
        limit 1
      )
      update erasures e
      set state = 'running', started_at = coalesce(e.started_at, now()),
          claimed_until = now() + ${leaseMs} * interval '1 millisecond'
      from next n where e.id = n.id
      returning e.id, e.tenant_id as "tenantId", e.user_id as "userId"`.execute(db);
    return rows[0];
  } catch (error) {
    // Another process has begun one of the same tenant in the same moment.
    if ((error as { code?: string }).code === UNIQUE_VIOLATION) return undefined;
    throw error;
  }
}

/** False: it is not ours any more, or gone with its tenant. */
export async function renewErasure(
  db: Database,
  { tenantId, id }: ClaimedErasure,
  leaseMs: number,
): Promise<boolean> {
  const result = await db
    .updateTable("erasures")
    .set({ claimed_until: sql<Date>`now() + ${leaseMs} * interval '1 millisecond'` })
    .where("tenant_id", "=", tenantId)
    .where("id", "=", id)
    .where("state", "=", "running")
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** From here on nothing of the person stands there. */
export async function endErasure(db: Database, { tenantId, id }: ClaimedErasure, deleted: object) {
  await db
    .updateTable("erasures")
    .set({
      ...{ state: "done", user_id: null, claimed_until: null },
      ended_at: sql<Date>`now()`,
      deleted: JSON.stringify(deleted),
    })
    .where("tenant_id", "=", tenantId)
    .where("id", "=", id)
    .execute();
}

/** It goes on after so long; meanwhile others of the tenant may run. */
export async function postponeErasure(
  db: Database,
  { tenantId, id }: ClaimedErasure,
  delayMs: number,
): Promise<void> {
  await db
    .updateTable("erasures")
    .set({
      ...{ state: "waiting", claimed_until: null },
      due_at: sql<Date>`now() + ${delayMs} * interval '1 millisecond'`,
    })
    .where("tenant_id", "=", tenantId)
    .where("id", "=", id)
    .where("state", "=", "running")
    .execute();
}

function selectErasures(db: Database, tenantId: string) {
  return db
    .selectFrom("erasures")
    .select([
      "id",
      "state",
      "requested_at as requestedAt",
      "started_at as startedAt",
      "ended_at as endedAt",
      "deleted",
    ])
    .where("tenant_id", "=", tenantId);
}
