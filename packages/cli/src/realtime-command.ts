import type { AuditNote } from "@belfry/administration/audited";
import type { UserOfTenant } from "@belfry/administration/tenants/realtime-disconnect";
import type { Database } from "@belfry/database/connection";
import { Command } from "commander";
import { auditedCommand } from "./audited-command.ts";
import { CommandError } from "./command-error.ts";
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
      "Close the connections of a user, or of all users of a tenant, everywhere, for good: pages stay disconnected " +
        "until they are loaded anew. Uses NATS_URL, else the local stack's.",
    )
    .requiredOption("--tenant <id>", "the tenant's id")
    .option("--user <id>", "the user's id, as the tenant's events name it")
    .option("--all", "all users of the tenant")
    .action(({ tenant, user, all }: { tenant: string; user?: string; all?: boolean }) =>
      withDatabase(async ({ db }) => {
        if ((user === undefined) === (all === undefined)) {
          throw new CommandError("--user or --all: one of the two is required");
        }
        await (user === undefined
          ? disconnectTenant(db, tenant)
          : disconnectUser(db, { tenantId: tenant, userId: user }));
        await printJson({ tenantId: tenant, userId: user, sent: true });
      }),
    );
  return realtime;
}

async function disconnectUser(db: Database, owner: UserOfTenant): Promise<void> {
  const { disconnectMessage } = await import("@belfry/administration/tenants/realtime-disconnect");
  const { userNote } = await import("@belfry/administration/users/user-notes");
  await publishAudited(
    db,
    (prefix) => disconnectMessage(db, owner, prefix),
    () => userNote("user.disconnect", owner),
  );
}

async function disconnectTenant(db: Database, tenantId: string): Promise<void> {
  const { disconnectTenantMessage } = await import(
    "@belfry/administration/tenants/realtime-disconnect"
  );
  const { showTenant } = await import("@belfry/administration/tenants/tenants");
  const { tenantDisconnected } = await import("@belfry/administration/tenants/tenant-notes");
  const tenant = await showTenant(db, tenantId);
  await publishAudited(
    db,
    (prefix) => disconnectTenantMessage(db, tenantId, prefix),
    () => tenantDisconnected(tenant),
  );
}

async function publishAudited(
  db: Database,
  make: (prefix: string) => Promise<{ subject: string; message: string }>,
  note: () => AuditNote,
): Promise<void> {
  const { publishOnce } = await import("./publish-once.ts");
  const { auditedAfter } = await import("@belfry/administration/audited");
  await auditedAfter(db, commandLineActor(), () => publishOnce(make), note);
}
