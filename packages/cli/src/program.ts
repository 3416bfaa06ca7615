import { NOUNS } from "@belfry/administration/acts";
import { Command } from "commander";
import type { OwnParts } from "./act-command.ts";

const NOTES = `
Prints one JSON value on standard output. Errors go to standard error, with exit code 1.
Files may be - for standard input. The database is DATABASE_URL, else the local stack's
(BELFRY_HOME/local.json); keys for secrets are SECRETS_KEYS, else the local stack's.
Commands with --api run by HTTP, without a database: --api or BELFRY_API_URL, BELFRY_API_KEY,
and BELFRY_WEBHOOK_SECRET where the tenant signs its calls.`;

interface CommandFile {
  /** Gives the command its flags and what is below it. */
  define(command: Command): void;
}

type Row = readonly [name: string, description: string, load: () => Promise<CommandFile>];

/** A noun whose commands are acts; `own`: what the fields of the acts do not say. */
function noun(name: keyof typeof NOUNS, own?: () => Promise<OwnParts>): Row {
  const { summary, load } = NOUNS[name];
  // With all that acts stand on: the help of all commands needs none of it.
  return [name, summary, async () => (await import("./act-command.ts")).actsOf(load, own)()];
}

/** In the order of the help. A file, with all that it stands on, is loaded when its command is given. */
const COMMANDS: readonly Row[] = [
  noun("tenant", () => import("./tenant-parts.ts")),
  noun("environment"),
  noun("member", () => import("./people-parts.ts")),
  noun("operator", () => import("./people-parts.ts")),
  noun("audit", () => import("./audit-parts.ts")),
  noun("template", () => import("./template-parts.ts")),
  noun("layout", async () => (await import("./template-parts.ts")).LAYOUT),
  noun("bundle", () => import("./bundle-parts.ts")),
  noun("provider", () => import("./provider-parts.ts")),
  noun("event", () => import("./event-parts.ts")),
  noun("digest"),
  noun("outbox", async () => (await import("./outbox-parts.ts")).outboxParts),
  noun("realtime"),
  noun("dead", () => import("./dead-parts.ts")),
  noun("suppression", async () => (await import("./suppression-parts.ts")).suppressionParts),
  noun("sms", async () => ({ groups: { inbound: "Answers that are no STOP or START" } })),
  noun("user", async () => ({ groups: { preference: "A single preference of a user" } })),
  noun("category"),
  noun("webhook", () => import("./webhook-parts.ts")),
  noun("secrets", () => import("./secrets-parts.ts")),
  [
    "migrate",
    "Bring the database to this version's schema; prints the migrations that ran",
    () => import("./migrate-command.ts"),
  ],
  ["stop", "Stop the local stack and wait until it is gone", () => import("./stop-command.ts")],
];

/** All commands; those that `args` do not begin with are there by name and description only. */
export async function createProgram(args?: readonly string[]): Promise<Command> {
  const program = new Command("belfry")
    .description("The operator's command line of Belfry")
    .showHelpAfterError("(add --help for the flags)")
    .addHelpText("after", NOTES);
  // The second word, too: `help tenant`.
  const given = args?.slice(0, 2);
  for (const [name, description, load] of COMMANDS) {
    const command = program.command(name).description(description);
    if (given?.includes(name) ?? true) (await load()).define(command);
  }
  return program;
}
