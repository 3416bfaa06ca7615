import { bumpConfigurationVersion } from "./configuration-version.ts";
import { type Database, inTransaction } from "./connection.ts";

/**
 * Notes on the tenant that it has rows of a kind, so that nobody looks for those of a tenant that has none, and runs
 * `work`, which stores the rows, in the same transaction. After the first time the note changes nothing. The
 * configuration version grows last: its one row is held for the commit alone, however long `work` takes. Within a
 * caller's transaction it joins that one.
 */
export async function noteUse<T = void>(
  db: Database,
  tenantId: string,
  what: "uses_recipients" | "uses_preferences" | "uses_webhooks",
  work?: (transaction: Database) => Promise<T>,
): Promise<T> {
  return await inTransaction(db, async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable("tenants")
      .set({ [what]: true })
      .where("id", "=", tenantId)
      .where(what, "=", false)
      .executeTakeFirst();
    const result = (await work?.(transaction)) as T;
    if (numUpdatedRows > 0n) await bumpConfigurationVersion(transaction);
    return result;
  });
}
