import { eraseUser } from "@belfry/administration/erasure/erase-user";
import { disconnectMessage } from "@belfry/administration/tenants/realtime-disconnect";
import type { Command } from "commander";
import { commandLineActor } from "./command-line-actor.ts";
import { addDirectoryCommands } from "./directory-commands.ts";
import { addPreferenceCommands } from "./preference-commands.ts";
import { publishOnce } from "./publish-once.ts";
import { onDatabase } from "./session.ts";

interface EraseFlags {
  tenant: string;
  user: string;
  suppressions?: boolean;
  dryRun?: boolean;
}

export function define(user: Command): void {
  user
    .command("erase")
    .description(
      "Remove a person of a tenant: events, deliveries, history, outbox and live connections. What " +
        "waits is not sent any more. Cannot be undone; safe to run again. Uses NATS_URL, else the local stack's.",
    )
    .requiredOption("--tenant <id>", "the tenant's id")
    .requiredOption("--user <id>", "the user's id, as the tenant's events name it")
    .option(
      "--suppressions",
      "also forget that nothing may be sent to the person's addresses (bounces, complaints, opt-outs)",
    )
    .option("--dry-run", "say what would go, and change nothing")
    .action(
      onDatabase(async ({ db }, { tenant, user, suppressions, dryRun }: EraseFlags) => {
        const owner = { tenantId: tenant, userId: user };
        const disconnect = () => publishOnce((prefix) => disconnectMessage(db, owner, prefix));
        const actor = commandLineActor();
        const erasure = { ...owner, suppressions, dryRun };
        return await eraseUser(db, erasure, { actor, disconnect });
      }),
    );
  addDirectoryCommands(user);
  addPreferenceCommands(user);
}
