import type { Channel } from "@belfry/contracts/channels";
import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";

/** Queries of administration on `tenants`, and the row of limits that every tenant has. */

export interface TenantSettings {
  name: string;
  perMinute: number;
  /** null: no cap. */
  dailyCap: number | null;
  /** Empty: all channels. */
  deliveryChannels: Channel[];
  dedupIncludesVariables: boolean;
  /** Compact JWE, see secrets.ts; null: triggers need no signature. */
  webhookSecret: string | null;
  /** How long the webhook secret before it is taken besides; null: there is none. */
  previousWebhookSecretUntil?: Date | null;
  /** Of events and what belongs to them; null: as long as the installation keeps them. */
  eventRetentionDays: number | null;
  /** Of the in-app history; null: as long as the installation keeps it. */
  notificationRetentionDays: number | null;
  defaultLocale: string;
  /** IANA name; null: UTC. */
  timezone: string | null;
  /** Of users without their own, as 22:00:00; null: none. */
  quietFrom: string | null;
  quietTo: string | null;
}

export interface TenantRow extends TenantSettings {
  id: string;
  active: boolean;
  createdAt: Date;
  updatedAt: Date;
}

/** Stores a tenant and its row of limits. */
export async function insertTenant(db: Database, id: string, settings: TenantSettings) {
  await db
    .insertInto("tenants")
    .values({ ...columns(settings), id, name: settings.name, per_minute: settings.perMinute })
    .execute();
  await db.insertInto("tenant_limits").values({ tenant_id: id }).execute();
}

/** All tenants, oldest first. */
export async function allTenants(db: Database): Promise<TenantRow[]> {
  const rows = await selectTenants(db).orderBy("created_at").orderBy("id").execute();
  return rows.map(tenantRow);
}

export async function tenantById(db: Database, id: string): Promise<TenantRow | undefined> {
  const row = await selectTenants(db).where("id", "=", id).executeTakeFirst();
  return row === undefined ? undefined : tenantRow(row);
}

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
  };
}

function selectTenants(db: Database) {
  return db.selectFrom("tenants").selectAll();
}

function tenantRow(
  row: Awaited<ReturnType<ReturnType<typeof selectTenants>["executeTakeFirstOrThrow"]>>,
): TenantRow {
  return {
    id: row.id,
    name: row.name,
    active: row.active,
    perMinute: row.per_minute,
    dailyCap: row.daily_cap,
    deliveryChannels: row.delivery_channels,
    dedupIncludesVariables: row.dedup_includes_variables,
    webhookSecret: row.webhook_secret,
    previousWebhookSecretUntil: row.previous_webhook_secret_until,
    eventRetentionDays: row.event_retention_days,
    notificationRetentionDays: row.notification_retention_days,
    defaultLocale: row.default_locale,
    timezone: row.timezone,
    quietFrom: row.quiet_from,
    quietTo: row.quiet_to,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
