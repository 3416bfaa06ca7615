import { Command } from "commander";
import { readEnvironment } from "./environment.ts";
import { findDatabaseUrl } from "./home-files.ts";
import { printJson } from "./output.ts";

export function migrateCommand(): Command {
  return new Command("migrate")
    .description("Bring the database to this version's schema; prints the migrations that ran")
    .action(async () => {
      const url = await findDatabaseUrl(readEnvironment());
      const { migrateToLatest, NEWEST_MIGRATION } = await import("@belfry/database/migrate");
      const migrations = await migrateToLatest(url);
      await printJson({ migrations, schema: NEWEST_MIGRATION });
    });
}
