import { Command } from "commander";
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
        await printJson(await newRealtimeEpoch(db));
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
        await publishOnce((prefix) =>
          disconnectMessage(db, { tenantId: tenant, userId: user }, prefix),
        );
        await printJson({ tenantId: tenant, userId: user, sent: true });
      }),
    );
  return realtime;
}
