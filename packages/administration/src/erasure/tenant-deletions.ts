import type { Database } from "@belfry/database/connection";
import { type Actor, audited } from "../audited.ts";
import { invalid, NotFound } from "../input-error.ts";
import { setTenantActive, showTenant } from "../tenants/tenants.ts";
import { deleteTenant } from "./delete-tenant.ts";
import { addedUp, type DeletedTenantData } from "./tenant-data.ts";
import {
  claimTenantDeletion,
  endTenantDeletion,
  findTenantDeletion,
  renewTenantDeletion,
  storeTenantDeletion,
} from "./tenant-deletion-rows.ts";

const LEASE_MS = 120_000;
const RENEW_EVERY_MS = 2_000;

/**
 * Deactivates the tenant at once and has it deleted in the background; asked for again it changes nothing. `typed`
 * must be its name, to the letter. Throws `InvalidInput`, `NotFound`.
 */
export async function requestTenantDeletion(
  db: Database,
  actor: Actor,
  tenantId: string,
  typed: string,
): Promise<void> {
  await audited(
    db,
    actor,
    async (transaction) => {
      const tenant = await showTenant(transaction, tenantId);
      if (typed !== tenant.name) {
        throw invalid("typed", "must be the name of the tenant, to the letter");
      }
      await setTenantActive(transaction, tenantId, false);
      return { tenant, isNew: await storeTenantDeletion(transaction, tenant, actor) };
    },
    ({ tenant: { name }, isNew }) =>
      isNew ? { tenantId, action: "tenant.ask-deletion", target: name } : undefined,
  );
}

/** Throws `NotFound`. */
export async function showTenantDeletion(db: Database, tenantId: string) {
  const found = await findTenantDeletion(db, tenantId);
  if (found !== undefined) return found;
  throw new NotFound("tenant", `nobody has asked for a deletion of ${JSON.stringify(tenantId)}`);
}

class Stopped extends Error {}

/**
 * Carries out what `requestTenantDeletion` has stored, one tenant after the other, until none is left or the signal
 * comes; what is under way then is begun again, and what a process that died had, after two minutes. Replicas may all run it. Returns how many
 * are done.
 */
export async function workTenantDeletions(
  { db, nowMs = () => performance.now() }: { db: Database; nowMs?: () => number },
  signal: AbortSignal,
): Promise<number> {
  for (let done = 0; ; done += 1) {
    if (signal.aborted) return done;
    const claimed = await claimTenantDeletion(db, LEASE_MS);
    if (claimed === undefined) return done;
    const { tenantId, actor } = claimed;
    // What a process before this one had deleted counts.
    const before = (await findTenantDeletion(db, tenantId))?.deleted ?? {};
    let renewedAtMs = nowMs();
    const onStep = async (deleted: DeletedTenantData) => {
      if (signal.aborted) {
        // Whoever comes next may begin at once.
        await renewTenantDeletion(db, tenantId, addedUp(before, deleted), 0);
        throw new Stopped("stopping");
      }
      if (nowMs() - renewedAtMs < RENEW_EVERY_MS) return;
      renewedAtMs = nowMs();
      await renewTenantDeletion(db, tenantId, addedUp(before, deleted), LEASE_MS);
    };
    try {
      const { deleted } = await deleteTenant(db, tenantId, actor, onStep);
      await endTenantDeletion(db, tenantId, addedUp(before, deleted));
    } catch (error) {
      if (error instanceof Stopped) return done;
      if (!(error instanceof NotFound)) throw error;
      // It was gone, and its process with it, before the end was noted.
      await endTenantDeletion(db, tenantId, undefined);
    }
  }
}
