import { migrateToLatest, NEWEST_MIGRATION } from "@belfry/database/migrate";
import type { Command } from "commander";
import { readEnvironment } from "./environment.ts";
import { findDatabaseUrl } from "./home-files.ts";
import { printJson } from "./output.ts";

export function define(migrate: Command): void {
  migrate.action(async () => {
    const url = await findDatabaseUrl(readEnvironment());
    const migrations = await migrateToLatest(url);
    await printJson({ migrations, schema: NEWEST_MIGRATION });
  });
}
