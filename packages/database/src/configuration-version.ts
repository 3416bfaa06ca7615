import { sql } from "kysely";
import type { Database } from "./connection.ts";

/** Grows with every change of tenants, keys, templates or providers; services poll it. */
export async function readConfigurationVersion(db: Database): Promise<string> {
  const row = await db
    .selectFrom("configuration_version")
    .select("version")
    .executeTakeFirstOrThrow();
  return row.version;
}

/** Call in the transaction of the change, last: it serialises writers. */
export async function bumpConfigurationVersion(db: Database): Promise<void> {
  await db.updateTable("configuration_version").set({ version: sql`version + 1` }).execute();
}
