import { type AuditNote, auditedAfter } from "@belfry/administration/audited";
import {
  disconnectMessage,
  disconnectTenantMessage,
  type UserOfTenant,
} from "@belfry/administration/tenants/realtime-disconnect";
import { newRealtimeEpoch } from "@belfry/administration/tenants/realtime-epoch";
import { tenantDisconnected } from "@belfry/administration/tenants/tenant-notes";
import { showTenant } from "@belfry/administration/tenants/tenants";
import { userNote } from "@belfry/administration/users/user-notes";
import type { Database } from "@belfry/database/connection";
import type { Command } from "commander";
import { CommandError } from "./command-error.ts";
import { commandLineActor } from "./command-line-actor.ts";
import { publishOnce } from "./publish-once.ts";
import { onDatabase } from "./session.ts";

export function define(realtime: Command): void {
  realtime
    .command("new-epoch")
    .description("After a restore: make every client read its history anew")
    .action(
      onDatabase(({ audited }) =>
        audited(newRealtimeEpoch, (after) => ({
          ...{ tenantId: null, action: "realtime.new-epoch", target: "every client", after },
        })),
      ),
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
    .action(
      onDatabase(
        async ({ db }, { tenant, user, all }: { tenant: string; user?: string; all?: boolean }) => {
          if ((user === undefined) === (all === undefined)) {
            throw new CommandError("--user or --all: one of the two is required");
          }
          await (user === undefined
            ? disconnectTenant(db, tenant)
            : disconnectUser(db, { tenantId: tenant, userId: user }));
          return { tenantId: tenant, userId: user, sent: true };
        },
      ),
    );
}

async function disconnectUser(db: Database, owner: UserOfTenant): Promise<void> {
  await publishAudited(
    db,
    (prefix) => disconnectMessage(db, owner, prefix),
    () => userNote("user.disconnect", owner),
  );
}

async function disconnectTenant(db: Database, tenantId: string): Promise<void> {
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
  await auditedAfter(db, commandLineActor(), () => publishOnce(make), note);
}
