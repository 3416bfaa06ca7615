import type { Database } from "@belfry/database/connection";
import { type RawBuilder, sql } from "kysely";
import { NotFound } from "../input-error.ts";
import type { UserOfTenant } from "../tenants/realtime.ts";
import { eraseUser } from "./erase-user.ts";

export interface ErasureWork {
  db: Database;
  /** Closes the user's realtime connections; see `eraseUser`. */
  disconnect(owner: UserOfTenant): Promise<void>;
  /**
   * Called if an erasure fails, for example because a sender holds a delivery or NATS is not reachable. The erasure is
   * retried.
   */
  onPostponed?(error: unknown): void;
  /** A monotonic clock. Default: the process's. */
  nowMs?: () => number;
}

/** The actor of an erasure in the audit log. A request in the Admin UI also has its own entry with the person. */
const ACTOR = { personId: null, person: "the tenant, by API or Admin UI", address: "" };
/** Longer than any step of an erasure, because the steps renew the lease. */
const LEASE_MS = 120_000;
const RENEW_EVERY_MS = 10_000;
const AGAIN_AFTER_MS = 60_000;

class Stopped extends Error {}

/**
 * Runs the erasures that tenants have requested, one at a time and tenant by tenant, until none is left or the signal
 * is aborted. The signal stops the current erasure, and a later call begins it again. All replicas may run it. Returns
 * the number of finished erasures.
 */
export async function workErasures(work: ErasureWork, signal: AbortSignal): Promise<number> {
  let done = 0;
  let last = "";
  while (!signal.aborted) {
    const erasure = await claimErasure(work.db, LEASE_MS, last);
    if (erasure === undefined) return done;
    last = erasure.tenantId;
    if (await carryOut(work, erasure, signal)) done += 1;
  }
  return done;
}

async function carryOut(
  { db, disconnect, onPostponed, nowMs = () => performance.now() }: ErasureWork,
  erasure: ClaimedErasure,
  signal: AbortSignal,
): Promise<boolean> {
  let renewedAtMs = nowMs();
  const onStep = async () => {
    if (signal.aborted) throw new Stopped("stopping");
    if (nowMs() - renewedAtMs < RENEW_EVERY_MS) return;
    renewedAtMs = nowMs();
    if (!(await renewErasure(db, erasure, LEASE_MS))) throw new Stopped("taken over");
  };
  const { tenantId, userId } = erasure;
  try {
    const { deleted } = await eraseUser(
      db,
      { tenantId, userId },
      { actor: ACTOR, disconnect: () => disconnect({ tenantId, userId }), onStep },
    );
    await endErasure(db, erasure, deleted);
    return true;
  } catch (error) {
    // The tenant was deleted, and the erasure with it.
    if (error instanceof NotFound) return false;
    const isStopped = error instanceof Stopped;
    await postponeErasure(db, erasure, isStopped ? 0 : AGAIN_AFTER_MS);
    if (!isStopped) onPostponed?.(error);
    return false;
  }
}

interface ClaimedErasure extends UserOfTenant {
  id: string;
}

const UNIQUE_VIOLATION = "23505";

/**
 * Claims an erasure of the next tenant after `after` in the order of ids, beginning again with the first tenant after
 * the last one, so that tenants take turns. It claims the erasure that has waited longest, or the running one if its
 * process has died; a tenant never has two running erasures. Returns undefined if there is none to claim, or if another
 * process was faster.
 */
export async function claimErasure(db: Database, leaseMs: number, after: string) {
  const claimed = await claimAfterTenant(db, leaseMs, after);
  return claimed === undefined && after !== "" ? await claimAfterTenant(db, leaseMs, "") : claimed;
}

async function claimAfterTenant(db: Database, leaseMs: number, after: string) {
  const nextTenant = (tenantId: RawBuilder<unknown>) => sql`
    select e.tenant_id from erasures e
    where e.state <> 'done' and e.tenant_id > ${tenantId} order by e.tenant_id limit 1`;
  try {
    // The recursion goes through the index from tenant to tenant, without reading all erasures of each.
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
          -- A range instead of an equality, ordered by both columns: otherwise Postgres may read along the times of all tenants.
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
    // Another process has claimed an erasure of the same tenant at the same moment.
    if ((error as { code?: string }).code === UNIQUE_VIOLATION) return undefined;
    throw error;
  }
}

/**
 * Extends the lease. Returns false if the erasure is no longer running: another process has ended or postponed it, or
 * it was deleted with its tenant.
 */
async function renewErasure(
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

/** Marks the erasure as done, and deletes the user's id from it. */
export async function endErasure(db: Database, { tenantId, id }: ClaimedErasure, deleted: object) {
  await db
    .updateTable("erasures")
    .set({
      state: "done",
      user_id: null,
      claimed_until: null,
      ended_at: sql<Date>`now()`,
      deleted: JSON.stringify(deleted),
    })
    .where("tenant_id", "=", tenantId)
    .where("id", "=", id)
    .execute();
}

/** Postpones the erasure by `delayMs`. Other erasures of the tenant may run in the meantime. */
async function postponeErasure(
  db: Database,
  { tenantId, id }: ClaimedErasure,
  delayMs: number,
): Promise<void> {
  await db
    .updateTable("erasures")
    .set({
      state: "waiting",
      claimed_until: null,
      due_at: sql<Date>`now() + ${delayMs} * interval '1 millisecond'`,
    })
    .where("tenant_id", "=", tenantId)
    .where("id", "=", id)
    .where("state", "=", "running")
    .execute();
}
