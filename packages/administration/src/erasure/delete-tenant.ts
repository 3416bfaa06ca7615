import type { Database } from "@belfry/database/connection";
import { type Actor, audited } from "../audited.ts";
import { changeConfiguration } from "../change-configuration.ts";
import { tenantDeleted } from "../tenants/tenant-notes.ts";
import { deleteTenantRow } from "../tenants/tenant-rows.ts";
import { setTenantActive, type Tenant } from "../tenants/tenants.ts";
import { eraseUserNotes } from "./erase-notes.ts";
import {
  addedUp,
  type DeletedTenantData,
  type DeletionSteps,
  deleteTenantData,
} from "./tenant-data.ts";

/**
 * Deactivates the tenant, deletes what its events left in small batches, then its keys, templates,
 * providers and itself; the audit log names its users no more. An end in between leaves an inactive tenant: call it again.
 * Throws `NotFound`.
 */
export async function deleteTenant(
  db: Database,
  id: string,
  actor: Actor,
  onStep?: DeletionSteps["onStep"],
): Promise<Tenant & { deleted: DeletedTenantData }> {
  // From its commit on nothing is accepted for the tenant.
  const tenant = await setTenantActive(db, id, false);
  const deleted = await deleteTenantData(db, id, { onStep });
  await audited(
    db,
    actor,
    (transaction) =>
      changeConfiguration(transaction, async () => {
        await deleteTenantRow(transaction, id);
        await eraseUserNotes(transaction, { tenantId: id });
      }),
    () => tenantDeleted(tenant),
  );
  // What a dispatcher had in hand meanwhile.
  const late = await deleteTenantData(db, id);
  return {
    ...tenant,
    apiKeys: [],
    deleted: addedUp(deleted, late),
  };
}
