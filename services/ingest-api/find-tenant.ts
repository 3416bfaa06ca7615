import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";

/** Finds the tenant of an API key by the SHA-256 of the key. Expired keys and inactive tenants too. */
export async function findTenantByKey(db: Database, sha256: Buffer) {
  const row = await db
    .selectFrom("api_keys as k")
    .innerJoin("tenants as t", "t.id", "k.tenant_id")
    .innerJoin("configuration_version as v", (on) => on.onTrue())
    .select([
      "k.id as keyId",
      "k.expires_at as expiresAt",
      "k.role",
      "t.id",
      "t.name",
      "t.active",
      "t.dedup_includes_variables",
      "t.webhook_secret",
      "t.previous_webhook_secret",
      "t.previous_webhook_secret_until",
    ])
    .select(({ fn }) => [
      fn.coalesce("t.event_retention_days", "v.event_retention_days").as("eventDays"),
      fn
        .coalesce("t.notification_retention_days", "v.notification_retention_days")
        .as("notificationDays"),
    ])
    .where("k.sha256", "=", sha256)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { keyId, expiresAt, role, eventDays, notificationDays, ...tenant } = row;
  return { keyId, expiresAt, role, tenant, kept: { eventDays, notificationDays } };
}

/** A tenant as a live key finds it; `kept`: its own days, or those of the installation. */
export type KeyHolder = NonNullable<Awaited<ReturnType<typeof findTenantByKey>>>;

/** Notes when keys were last used: one statement for all that were, every now and then. */
export async function touchKeys(db: Database, uses: ReadonlyMap<string, Date>): Promise<void> {
  if (uses.size === 0) return;
  const ids = [...uses.keys()];
  const times = [...uses.values()];
  await sql`
    with locked as materialized (
      select id from api_keys where id = any (${ids}::uuid[]) order by id for update
    )
    update api_keys k set last_used_at = greatest(k.last_used_at, u.used_at)
    from unnest(${ids}::uuid[], ${times}::timestamptz[]) as u (id, used_at)
    where k.id = any (array(select id from locked)) and k.id = u.id`.execute(db);
}
