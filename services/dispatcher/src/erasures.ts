import type { Database } from "@belfry/database/connection";
import type { Logger } from "@belfry/service/logger";
import { type NatsLink, publishAll } from "@belfry/service/nats";

/**
 * Carries out the erasures of users that tenants have requested over HTTP. Returns the number of erased users. All
 * replicas may run it. The signal stops the current erasure, and the next call on any replica begins this erasure again.
 */
export async function eraseUsers(
  deps: { db: Database; nats: NatsLink; prefix: string; log: Logger },
  signal: AbortSignal,
): Promise<number> {
  const { db, nats, prefix, log } = deps;
  // Imported at the first erasure only, because most installations rarely erase users.
  const [{ workErasures }, { disconnectMessage }] = await Promise.all([
    import("@belfry/administration/erasure/work-erasures"),
    import("@belfry/administration/tenants/realtime"),
  ]);
  const done = await workErasures(
    {
      db,
      disconnect: async (owner) => publishAll(nats, [await disconnectMessage(db, owner, prefix)]),
      onPostponed: (err) => log.warn({ err }, "an erasure cannot go on now: later again"),
    },
    signal,
  );
  if (done > 0) log.info({ users: done }, "users erased");
  return done;
}

/** Deletes the tenants that operators have deleted in the Admin UI. Returns their number. All replicas may run it. */
export async function deleteTenants(
  { db, log }: { db: Database; log: Logger },
  signal: AbortSignal,
): Promise<number> {
  // Imported at the first deletion only, because most installations never delete a tenant.
  const { workTenantDeletions } = await import("@belfry/administration/erasure/tenant-deletions");
  const tenants = await workTenantDeletions({ db }, signal);
  if (tenants > 0) log.info({ tenants }, "tenants deleted");
  return tenants;
}
