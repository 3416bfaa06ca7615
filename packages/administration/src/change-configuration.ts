import { bumpConfigurationVersion } from "@belfry/database/configuration-version";
import { type Database, inTransaction } from "@belfry/database/connection";

/**
 * Runs a change and increments the configuration version in one transaction, so that all services load the whole change
 * within 5 s. If `db` is already a transaction, the change runs in it.
 */
export async function changeConfiguration<T>(
  db: Database,
  change: (transaction: Database) => Promise<T>,
): Promise<T> {
  return await inTransaction(db, async (transaction) => {
    const result = await change(transaction);
    await bumpConfigurationVersion(transaction);
    return result;
  });
}
