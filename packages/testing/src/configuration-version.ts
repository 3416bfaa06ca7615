import type { Database } from "@belfry/database/connection";

/** Returns the configuration version, as services read it. */
export async function readConfigurationVersion(db: Database): Promise<string> {
  const query = db.selectFrom("configuration_version").select("version");
  return (await query.executeTakeFirstOrThrow()).version;
}
