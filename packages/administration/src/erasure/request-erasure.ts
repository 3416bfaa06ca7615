import { hash } from "node:crypto";
import { type ErasureState, MAX_OPEN_ERASURES } from "@belfry/contracts/erasure";
import { textFault } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import { deletePreferencesOfUser } from "@belfry/database/preferences";
import { NotFound, refuseFaults } from "../input-error.ts";
import type { UserOfTenant } from "../tenants/realtime-disconnect.ts";
import { lockTenant } from "../tenants/tenant-rows.ts";
import { tenantNotFound } from "../tenants/tenants.ts";
import { deleteUser } from "../users/user-rows.ts";
import { countOpenErasures, type ErasureRow, findErasure, storeErasure } from "./erasure-rows.ts";

/** How far the erasure of a user is. Times are ISO 8601, UTC. */
export interface ErasureProgress {
  id: string;
  status: ErasureState;
  requestedAt: string;
  startedAt: string | null;
  endedAt: string | null;
  /** Rows, by kind; null until it is done. */
  deleted: Record<string, number> | null;
}

/** Too many erasures of the tenant wait; nothing was changed. */
export class ErasuresFull extends Error {
  override readonly name = "ErasuresFull";
}

/**
 * Forgets at once what the tenant and the user have said of the user, and has the rest erased in the background,
 * one user of a tenant at a time. For a user whose erasure is open it is that one. Throws `InvalidInput`,
 * `NotFound` for an unknown tenant, `ErasuresFull`.
 */
export async function requestErasure(db: Database, owner: UserOfTenant): Promise<ErasureProgress> {
  const { tenantId, userId } = owner;
  const fault = textFault(userId);
  refuseFaults([fault === undefined ? undefined : { field: "user", message: fault }]);
  return await db.transaction().execute(async (transaction) => {
    if (!(await lockTenant(transaction, tenantId))) throw tenantNotFound(tenantId, "tenant");
    const row = await storeErasure(transaction, owner, userHash(owner));
    if ((await countOpenErasures(transaction, tenantId)) > MAX_OPEN_ERASURES) {
      throw new ErasuresFull(`${MAX_OPEN_ERASURES} erasures wait`);
    }
    await deleteUser(transaction, tenantId, userId);
    await deletePreferencesOfUser(transaction, owner);
    return progress(row);
  });
}

/** Throws `NotFound`. */
export async function showErasure(
  db: Database,
  tenantId: string,
  id: string,
): Promise<ErasureProgress> {
  const row = await findErasure(db, tenantId, id);
  if (row === undefined) throw new NotFound("id", `no erasure has the id ${JSON.stringify(id)}`);
  return progress(row);
}

function userHash({ tenantId, userId }: UserOfTenant): Buffer {
  return hash("sha256", `${tenantId}\n${userId}`, "buffer");
}

function progress(row: ErasureRow): ErasureProgress {
  return {
    id: row.id,
    status: row.state,
    requestedAt: row.requestedAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    endedAt: row.endedAt?.toISOString() ?? null,
    deleted: row.deleted,
  };
}
