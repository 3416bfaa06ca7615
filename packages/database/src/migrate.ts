import { Migrator } from "kysely/migration";
import * as initial from "../migrations/0001-initial.ts";
import * as acceptEvents from "../migrations/0002-accept-events.ts";
import * as dispatch from "../migrations/0003-dispatch.ts";
import * as globalTemplates from "../migrations/0004-global-templates.ts";
import * as sending from "../migrations/0005-sending.ts";
import * as providerLimits from "../migrations/0006-provider-limits.ts";
import * as receiptsAndSuppressions from "../migrations/0008-receipts-and-suppressions.ts";
import * as admin from "../migrations/0010-admin.ts";
import * as retention from "../migrations/0011-retention.ts";
import * as signInTries from "../migrations/0012-sign-in-tries.ts";
import * as reconciliations from "../migrations/0013-reconciliations.ts";
import * as sensitiveEvents from "../migrations/0014-sensitive-events.ts";
import { createDatabase, createPool } from "./connection.ts";

const MIGRATIONS = {
  "0001-initial": initial,
  "0002-accept-events": acceptEvents,
  "0003-dispatch": dispatch,
  "0004-global-templates": globalTemplates,
  "0005-sending": sending,
  "0006-provider-limits": providerLimits,
  "0008-receipts-and-suppressions": receiptsAndSuppressions,
  "0010-admin": admin,
  "0011-retention": retention,
  "0012-sign-in-tries": signInTries,
  "0013-reconciliations": reconciliations,
  "0014-sensitive-events": sensitiveEvents,
};

/**
 * Brings the database to the newest schema, under a lock that Kysely takes: safe to call from many
 * processes at once. Forward only. Needs a direct connection, not a transaction pooler.
 * Returns the names of the migrations that ran; throws the first failure.
 */
export async function migrateToLatest(url: string): Promise<string[]> {
  const db = createDatabase(
    createPool({
      url,
      applicationName: "belfry-migrate",
      maxConnections: 2,
      statementTimeoutMs: 0,
    }),
  );
  try {
    const migrator = new Migrator({
      db,
      provider: { getMigrations: async () => MIGRATIONS },
    });
    const { error, results } = await migrator.migrateToLatest();
    if (error !== undefined) throw error;
    return (results ?? []).map((result) => result.migrationName);
  } finally {
    await db.destroy();
  }
}

/** The name of the newest migration this code knows: services wait until the database has it. */
export const NEWEST_MIGRATION = Object.keys(MIGRATIONS).sort().at(-1)!;
