import { Command } from "commander";
import { auditedCommand } from "./audited-command.ts";
import { commandLineActor } from "./command-line-actor.ts";
import { printJson } from "./output.ts";
import { withDatabase } from "./session.ts";

export function realtimeCommand(): Command {
  const realtime = new Command("realtime").description(
    "Connections and positions of realtime clients",
  );
  realtime
    .command("new-epoch")
    .description("After a restore: make every client read its history anew")
    .action(() =>
      withDatabase(async ({ db }) => {
        const { newRealtimeEpoch } = await import("@belfry/administration/tenants/realtime-epoch");
        const epoch = await auditedCommand(db, newRealtimeEpoch, (after) => ({
          ...{ tenantId: null, action: "realtime.new-epoch", target: "every client", after },
        }));
        await printJson(epoch);
      }),
    );
  realtime
    .command("disconnect")
    .description(
      "Close a user's connections everywhere, for good: its pages stay disconnected until they are " +
        "loaded anew. Uses NATS_URL, else the local stack's.",
    )
    .requiredOption("--tenant <id>", "the tenant's id")
    .requiredOption("--user <id>", "the user's id, as the tenant's events name it")
    .action(({ tenant, user }: { tenant: string; user: string }) =>
      withDatabase(async ({ db }) => {
        const { disconnectMessage } = await import(
          "@belfry/administration/tenants/realtime-disconnect"
        );
        const { publishOnce } = await import("./publish-once.ts");
        const { auditedAfter } = await import("@belfry/administration/audited");
        const { userNote } = await import("@belfry/administration/users/user-notes");
        const owner = { tenantId: tenant, userId: user };
        await auditedAfter(
          db,
          commandLineActor(),
          () => publishOnce((prefix) => disconnectMessage(db, owner, prefix)),
          () => userNote("user.disconnect", owner),
        );
        await printJson({ tenantId: tenant, userId: user, sent: true });
      }),
    );
  return realtime;
}
