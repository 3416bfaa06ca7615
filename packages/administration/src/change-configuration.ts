import { bumpConfigurationVersion } from "@belfry/database/configuration-version";
import { type Database, inTransaction } from "@belfry/database/connection";

/**
 * Runs a change in one transaction that ends by growing the configuration version, so that every
 * service sees all of it within 5 s, or nothing. Within a caller's transaction it joins that one.
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
