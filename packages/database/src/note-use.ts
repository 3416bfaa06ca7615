import { bumpConfigurationVersion } from "./configuration-version.ts";
import type { Database } from "./connection.ts";

/**
 * Notes on the tenant that it has rows of a kind, so that nobody looks for those of a tenant that has none.
 * To be called in the transaction that stores the rows; a statement that finds nothing to do after the first time.
 */
export async function noteUse(
  transaction: Database,
  tenantId: string,
  what: "uses_recipients" | "uses_preferences" | "uses_webhooks",
): Promise<void> {
  const result = await transaction
    .updateTable("tenants")
    .set({ [what]: true })
    .where("id", "=", tenantId)
    .where(what, "=", false)
    .executeTakeFirst();
  if (result.numUpdatedRows > 0n) await bumpConfigurationVersion(transaction);
}
