import { hash } from "node:crypto";
import { type ErasureResponse, MAX_OPEN_ERASURES } from "@belfry/contracts/erasure";
import { textFault } from "@belfry/contracts/identifiers";
import { type Database, inTransaction } from "@belfry/database/connection";
import { deletePreferencesOfUser, notePreferenceChange } from "@belfry/database/preferences";
import { type Actor, audited } from "../audited.ts";
import { faultAt, NotFound, refuseFaults } from "../input-error.ts";
import { isoTimes } from "../iso-times.ts";
import type { UserOfTenant } from "../tenants/realtime-disconnect.ts";
import { holdTenant } from "../tenants/require-tenant.ts";
import { deleteUser } from "../users/user-rows.ts";
import { erasedUser } from "./erase-user.ts";
import {
  countOpenErasures,
  type ErasureRow,
  findErasure,
  findOpenErasure,
  storeErasure,
} from "./erasure-rows.ts";

/** How far the erasure of a user is. Times are ISO 8601, UTC. */
export type ErasureProgress = ErasureResponse["data"];

/** Too many erasures of the tenant wait; nothing was changed. */
export class ErasuresFull extends Error {
  override readonly name = "ErasuresFull";
}

/**
 * Forgets at once what the tenant and the user have said of the user, and has the rest erased in the background,
 * one user of a tenant at a time. For a user whose erasure is open it is that one. Within a caller's transaction it
 * joins that one. Throws `InvalidInput`, `NotFound` for an unknown tenant, `ErasuresFull`.
 */
export async function requestErasure(db: Database, owner: UserOfTenant): Promise<ErasureProgress> {
  const { tenantId, userId } = owner;
  refuseFaults([faultAt("user", textFault(userId))]);
  await notePreferenceChange(db, tenantId);
  return await inTransaction(db, async (transaction) => {
    await holdTenant(transaction, tenantId, "tenant");
    const row = await storeErasure(transaction, owner, userHash(owner));
    if ((await countOpenErasures(transaction, tenantId)) > MAX_OPEN_ERASURES) {
      throw new ErasuresFull(`${MAX_OPEN_ERASURES} erasures wait`);
    }
    await deleteUser(transaction, tenantId, userId);
    await deletePreferencesOfUser(transaction, owner);
    return progress(row);
  });
}

/** As `requestErasure`; the audit log has who asked for it. */
export async function askForErasure(db: Database, actor: Actor, owner: UserOfTenant) {
  return await audited(
    db,
    actor,
    (transaction) => requestErasure(transaction, owner),
    ({ id }) => ({
      ...{ tenantId: owner.tenantId, action: "user.ask-erasure", target: erasedUser(owner) },
      after: { erasure: id },
    }),
  );
}

/** The erasure of a user that is not done; undefined: there is none. */
export async function openErasureOf(db: Database, owner: UserOfTenant) {
  const row = await findOpenErasure(db, owner.tenantId, userHash(owner));
  return row === undefined ? undefined : progress(row);
}

/** Throws `NotFound`. */
export async function showErasure(db: Database, tenantId: string, id: string) {
  const row = await findErasure(db, tenantId, id);
  if (row === undefined) throw new NotFound("id", `no erasure has the id ${JSON.stringify(id)}`);
  return progress(row);
}

function userHash({ tenantId, userId }: UserOfTenant): Buffer {
  return hash("sha256", `${tenantId}\n${userId}`, "buffer");
}

function progress({ state: status, ...row }: ErasureRow): ErasureProgress {
  const { id, ...rest } = isoTimes(row);
  return { id, status, ...rest };
}
