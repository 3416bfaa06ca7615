import type { Database } from "@belfry/database/connection";
import { Type } from "@sinclair/typebox";
import { defineAct, OPERATE } from "../act.ts";
import { type Actor, audited } from "../audited.ts";
import { changeConfiguration } from "../change-configuration.ts";
import { recorded, tenantId } from "../tenants/tenant-acts.ts";
import { deleteTenantRow } from "../tenants/tenant-rows.ts";
import { EXAMPLE_TENANT, setTenantActive, Tenant } from "../tenants/tenants.ts";
import { eraseUserNotes } from "./erase-notes.ts";
import { addedUp, DeletedTenantData, type DeletionSteps, deleteTenantData } from "./tenant-data.ts";

export const deleteTenantNow = defineAct({
  name: "tenant delete",
  access: OPERATE,
  effect: "steps",
  summary: "Delete it with all that its events left, in small batches; cannot be undone",
  input: Type.Object({ id: tenantId }),
  output: Type.Object({ ...Tenant.properties, deleted: DeletedTenantData }),
  examples: [
    {
      input: { id: EXAMPLE_TENANT.id },
      output: { ...EXAMPLE_TENANT, active: false, apiKeys: [], deleted: addedUp() },
    },
  ],
  flags: { id: "<id>" },
  run: async ({ db, actor }, { id }) => ({ output: await deleteTenant(db, id, actor) }),
});

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
    () => ({
      ...{ tenantId: id, action: "tenant.delete", target: tenant.name },
      before: recorded(tenant),
    }),
  );
  // What a dispatcher had in hand meanwhile.
  const late = await deleteTenantData(db, id);
  return {
    ...tenant,
    apiKeys: [],
    deleted: addedUp(deleted, late),
  };
}
