import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";

/** Queries of administration on `tenants`, and the row of limits that every tenant has. */

/** Stores a tenant and its row of limits. */
export async function insertTenant(db: Database, id: string, settings: TenantSettings) {
  await db
    .insertInto("tenants")
    .values({ ...columns(settings), id, name: settings.name, per_minute: settings.perMinute })
    .execute();
  await db.insertInto("tenant_limits").values({ tenant_id: id }).execute();
}

/** All tenants, oldest first. */
export async function allTenants(db: Database) {
  return await selectTenants(db).orderBy("created_at").orderBy("id").execute();
}

export async function tenantById(db: Database, id: string) {
  return await selectTenants(db).where("id", "=", id).executeTakeFirst();
}

/** `webhookSecret`: compact JWE, see secrets.ts; `quietFrom`: as 22:00:00. The rest is as `Tenant` has it. */
export type TenantRow = NonNullable<Awaited<ReturnType<typeof tenantById>>>;

export type TenantSettings = Omit<
  TenantRow,
  "id" | "active" | "previousWebhookSecretUntil" | "createdAt" | "updatedAt"
>;

/**
 * Holds the tenant's row until the transaction ends, so that changes of its keys, templates and
 * providers come one after the other. False when there is no such tenant.
 */
export async function lockTenant(db: Database, id: string): Promise<boolean> {
  const row = await db
    .selectFrom("tenants")
    .select("id")
    .where("id", "=", id)
    // "no key" lets rows that refer to the tenant be written meanwhile.
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

/** Changes what is given and leaves the rest. False when there is no such tenant. */
export async function updateTenantRow(
  db: Database,
  id: string,
  changes: Partial<TenantSettings> & { active?: boolean },
): Promise<boolean> {
  const result = await db
    .updateTable("tenants")
    .set({
      ...columns(changes),
      active: changes.active,
      updated_at: sql<Date>`now()`,
    })
    .where("id", "=", id)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function isBeingDeleted(db: Database, id: string): Promise<boolean> {
  const row = await db
    .selectFrom("tenant_deletions")
    .select("tenant_id")
    .where("tenant_id", "=", id)
    .executeTakeFirst();
  return row !== undefined;
}

/** Its limits, keys and providers go with it; its templates and layouts have no reference to it. */
export async function deleteTenantRow(db: Database, id: string): Promise<boolean> {
  // Before what belongs to it: what is published meanwhile would stay behind, with no tenant.
  await db.selectFrom("tenants").select("id").where("id", "=", id).forUpdate().execute();
  // In the order of who notes their use.
  await db
    .selectFrom("api_keys")
    .select("id")
    .where("tenant_id", "=", id)
    .orderBy("id")
    .forUpdate()
    .execute();
  await db.deleteFrom("templates").where("tenant_id", "=", id).execute();
  await db.deleteFrom("layouts").where("tenant_id", "=", id).execute();
  const result = await db.deleteFrom("tenants").where("id", "=", id).executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** Kysely leaves out what is undefined. */
function columns(settings: Partial<TenantSettings>) {
  return {
    name: settings.name,
    per_minute: settings.perMinute,
    daily_cap: settings.dailyCap,
    delivery_channels: settings.deliveryChannels,
    dedup_includes_variables: settings.dedupIncludesVariables,
    ...(settings.webhookSecret === undefined
      ? {}
      : {
          webhook_secret: settings.webhookSecret,
          previous_webhook_secret: null,
          previous_webhook_secret_until: null,
        }),
    event_retention_days: settings.eventRetentionDays,
    notification_retention_days: settings.notificationRetentionDays,
    default_locale: settings.defaultLocale,
    timezone: settings.timezone,
    quiet_from: settings.quietFrom,
    quiet_to: settings.quietTo,
    link_schemes: settings.linkSchemes,
  };
}

function selectTenants(db: Database) {
  return db
    .selectFrom("tenants")
    .select([
      "id",
      "name",
      "active",
      "per_minute as perMinute",
      "daily_cap as dailyCap",
      "delivery_channels as deliveryChannels",
      "dedup_includes_variables as dedupIncludesVariables",
      "webhook_secret as webhookSecret",
      "previous_webhook_secret_until as previousWebhookSecretUntil",
      "event_retention_days as eventRetentionDays",
      "notification_retention_days as notificationRetentionDays",
      "default_locale as defaultLocale",
      "timezone",
      "quiet_from as quietFrom",
      "quiet_to as quietTo",
      "link_schemes as linkSchemes",
      "created_at as createdAt",
      "updated_at as updatedAt",
    ]);
}
