import { NOUNS } from "@belfry/administration/acts";
import { Command } from "commander";
import type { CommandOverrides } from "./command-overrides.ts";
import { findDatabaseUrl, readEnvironment } from "./environment.ts";
import { printJson } from "./output.ts";

const NOTES = `
Prints one JSON value on standard output. Errors go to standard error, with exit code 1.
Files may be - for standard input. The database is DATABASE_URL, else the local stack's
(BELFRY_HOME/local.json); keys for secrets are SECRETS_KEYS, else the local stack's.
Commands with --api run by HTTP, without a database: --api or BELFRY_API_URL, BELFRY_API_KEY,
and BELFRY_WEBHOOK_SECRET where the tenant signs its calls.`;

interface CommandFile {
  /** Adds flags and subcommands to the command. */
  define(command: Command): void;
}

type Row = readonly [name: string, description: string, load: () => Promise<CommandFile>];

/** Returns the row of a noun whose commands are acts. `own` loads their overrides. */
function noun(name: keyof typeof NOUNS, own?: () => Promise<CommandOverrides>): Row {
  // Imports all acts, which the help of all commands does not need.
  const load = async () =>
    (await import("./act-command.ts")).actCommands(NOUNS[name], await own?.());
  return [name, NOUNS[name].summary, load];
}

const ofTemplates = async () => (await import("./template-overrides.ts")).TEMPLATE_OVERRIDES;

const ofBundles = async () => (await import("./bundle-overrides.ts")).BUNDLE_OVERRIDES;

const ofImports = async () => (await import("./import-overrides.ts")).IMPORT_OVERRIDES;

/** In the order of the help. A command's file and its imports are loaded only if the command is given. */
const COMMANDS: readonly Row[] = [
  noun("tenant"),
  noun("environment", ofBundles),
  noun("member"),
  noun("operator"),
  noun("alert"),
  noun("audit"),
  noun("template", ofTemplates),
  noun("layout", ofTemplates),
  noun("image"),
  noun("bundle", ofBundles),
  noun("provider"),
  noun("event"),
  noun("broadcast"),
  noun("digest"),
  noun("attachment"),
  noun("outbox"),
  noun("realtime"),
  noun("dead"),
  noun("suppression"),
  noun("sms"),
  noun("user"),
  noun("device"),
  noun("topic"),
  noun("import", ofImports),
  noun("category"),
  noun("webhook"),
  noun("secrets"),
  [
    "migrate",
    "Bring the database to this version's schema; prints the migrations that ran",
    async () => ({ define: (migrate) => migrate.action(runMigrations) }),
  ],
  ["stop", "Stop the local stack and wait until it is gone", () => import("./stop-command.ts")],
];

/**
 * Creates the program. Only commands that the first two of `args` name are loaded; the others have only a name and a
 * description. Without `args` all commands are loaded.
 */
export async function createProgram(args?: readonly string[]): Promise<Command> {
  const program = new Command("belfry")
    .description("The operator's command line of Belfry")
    .showHelpAfterError("(add --help for the flags)")
    .addHelpText("after", NOTES);
  // Two words, because the command is the second one in `help tenant`.
  const given = args?.slice(0, 2);
  for (const [name, description, load] of COMMANDS) {
    const command = program.command(name).description(description);
    if (given?.includes(name) ?? true) (await load()).define(command);
  }
  return program;
}

async function runMigrations(): Promise<void> {
  const { migrateToLatest, NEWEST_MIGRATION } = await import("@belfry/database/migrate");
  const migrations = await migrateToLatest(await findDatabaseUrl(readEnvironment()));
  await printJson({ migrations, schema: NEWEST_MIGRATION });
}
