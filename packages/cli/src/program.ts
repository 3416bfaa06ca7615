import { Command } from "commander";
import { auditCommand } from "./audit-command.ts";
import { categoryCommand } from "./category-command.ts";
import { deadCommand } from "./dead-command.ts";
import { digestCommand } from "./digest-command.ts";
import { eventCommand } from "./event-command.ts";
import { layoutCommand } from "./layout-command.ts";
import { memberCommand } from "./member-command.ts";
import { migrateCommand } from "./migrate-command.ts";
import { operatorCommand } from "./operator-command.ts";
import { outboxCommand } from "./outbox-command.ts";
import { providerCommand } from "./provider-command.ts";
import { realtimeCommand } from "./realtime-command.ts";
import { secretsCommand } from "./secrets-command.ts";
import { smsCommand } from "./sms-command.ts";
import { stopCommand } from "./stop-command.ts";
import { suppressionCommand } from "./suppression-command.ts";
import { templateCommand } from "./template-command.ts";
import { tenantCommand } from "./tenant-command.ts";
import { userCommand } from "./user-command.ts";
import { webhookCommand } from "./webhook-command.ts";

const NOTES = `
Prints one JSON value on standard output. Errors go to standard error, with exit code 1.
Files may be - for standard input. The database is DATABASE_URL, else the local stack's
(BELFRY_HOME/local.json); keys for secrets are SECRETS_KEYS, else the local stack's.`;

/** All commands. */
export function createProgram(): Command {
  const program = new Command("belfry")
    .description("The operator's command line of Belfry")
    .showHelpAfterError("(add --help for the flags)")
    .addHelpText("after", NOTES);
  for (const command of [
    tenantCommand(),
    memberCommand(),
    operatorCommand(),
    auditCommand(),
    templateCommand(),
    layoutCommand(),
    providerCommand(),
    eventCommand(),
    digestCommand(),
    outboxCommand(),
    realtimeCommand(),
    deadCommand(),
    suppressionCommand(),
    smsCommand(),
    userCommand(),
    categoryCommand(),
    webhookCommand(),
    secretsCommand(),
    migrateCommand(),
    stopCommand(),
  ]) {
    // A command added whole does not take over its parent's settings by itself.
    adopt(program, command);
    program.addCommand(command);
  }
  return program;
}

function adopt(parent: Command, command: Command): void {
  command.copyInheritedSettings(parent);
  for (const below of command.commands) adopt(command, below);
}
