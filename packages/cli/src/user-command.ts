import { Command } from "commander";
import { commandLineActor } from "./command-line-actor.ts";
import { addDirectoryCommands } from "./directory-commands.ts";
import { printJson } from "./output.ts";
import { addPreferenceCommands } from "./preference-commands.ts";
import { withDatabase } from "./session.ts";

interface EraseFlags {
  tenant: string;
  user: string;
  suppressions?: boolean;
  dryRun?: boolean;
}

export function userCommand(): Command {
  const user = new Command("user").description("The people to whom tenants send");
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
    .action(({ tenant, user, suppressions, dryRun }: EraseFlags) =>
      withDatabase(async ({ db }) => {
        const { eraseUser } = await import("@belfry/administration/erasure/erase-user");
        const { disconnectMessage } = await import(
          "@belfry/administration/tenants/realtime-disconnect"
        );
        const { publishOnce } = await import("./publish-once.ts");
        const owner = { tenantId: tenant, userId: user };
        const disconnect = () => publishOnce((prefix) => disconnectMessage(db, owner, prefix));
        const actor = commandLineActor();
        const erasure = { ...owner, suppressions, dryRun };
        await printJson(await eraseUser(db, erasure, { actor, disconnect }));
      }),
    );
  addDirectoryCommands(user);
  addPreferenceCommands(user);
  return user;
}
