import type { Database } from "@belfry/database/connection";
import { Locked } from "../input-error.ts";

/** Throws `Locked` where the tenant is a locked environment. */
export async function refuseLocked(db: Database, tenantId: string): Promise<void> {
  const tenant = await db
    .selectFrom("tenants as t")
    .leftJoin("tenants as source", "source.id", "t.promotes_from")
    .select(["t.locked", "source.name as source", "source.id as sourceId"])
    .where("t.id", "=", tenantId)
    .executeTakeFirst();
  if (tenant?.locked !== true) return;
  const where =
    tenant.sourceId === null
      ? "apply a bundle to it"
      : `edit it in ${tenant.source} (${tenant.sourceId}) and promote it from there`;
  throw new Locked(`This environment is locked: ${where}, or ask an operator to unlock it.`);
}
