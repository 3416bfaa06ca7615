import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";
import { Locked, NotFound } from "../input-error.ts";

/** Stores a tenant and its row of limits. */
export async function insertTenant(db: Database, id: string, settings: TenantSettings) {
  await db
    .insertInto("tenants")
    .values({ ...columns(settings), id, name: settings.name, per_minute: settings.perMinute })
    .execute();
  await insertLimits(db, id);
}

async function insertLimits(db: Database, id: string) {
  const row = db.insertInto("tenant_limits").values({ tenant_id: id });
  await row.onConflict((conflict) => conflict.doNothing()).execute();
}

/**
 * Deletes the tenant's row of limits, in a transaction of its own: accepting locks that row, and must not wait for the
 * deletion of everything else. Events of the tenant are refused from then on, until it is activated again.
 */
export async function deleteLimits(db: Database, id: string) {
  await db.deleteFrom("tenant_limits").where("tenant_id", "=", id).execute();
}

/** Returns all tenants, oldest first. */
export async function allTenants(db: Database) {
  return await selectTenants(db).orderBy("created_at").orderBy("id").execute();
}

export async function tenantById(db: Database, id: string) {
  return await selectTenants(db).where("id", "=", id).executeTakeFirst();
}

/**
 * `webhookSecret`: compact JWE, see secrets.ts. `quietFrom`: such as 22:00:00. The other fields are those of `Tenant`.
 */
export type TenantRow = NonNullable<Awaited<ReturnType<typeof tenantById>>>;

export type TenantSettings = Omit<
  TenantRow,
  "id" | "active" | "previousWebhookSecretUntil" | "createdAt" | "updatedAt"
>;

/**
 * Locks the tenant's row until the transaction ends, so that changes of its keys, templates and providers run one after
 * another. Returns false if there is no such tenant.
 */
export async function lockTenant(db: Database, id: string): Promise<boolean> {
  const row = await db
    .selectFrom("tenants")
    .select("id")
    .where("id", "=", id)
    // "No key" permits others to write rows that refer to the tenant meanwhile.
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

/** Updates the given settings. Returns false if there is no such tenant. */
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
  const isThere = result.numUpdatedRows > 0n;
  // An interrupted deletion of the tenant may have deleted its limits.
  if (isThere && changes.active === true) await insertLimits(db, id);
  return isThere;
}

export async function isBeingDeleted(db: Database, id: string): Promise<boolean> {
  const row = await db
    .selectFrom("tenant_deletions")
    .select("tenant_id")
    .where("tenant_id", "=", id)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Deletes a tenant. Foreign keys delete its limits, keys and providers with it. Templates and layouts have none, so
 * they are deleted here. Returns false if there is no such tenant.
 */
export async function deleteTenantRow(db: Database, id: string): Promise<boolean> {
  // Locks the tenant first. Otherwise a template that is published meanwhile would stay without a tenant.
  await db.selectFrom("tenants").select("id").where("id", "=", id).forUpdate().execute();
  // Locks the keys in the same order as the code that stores their last use.
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

/** Returns the columns of settings. Kysely leaves out those that are undefined. */
function columns(settings: Partial<TenantSettings>) {
  return {
    name: settings.name,
    per_minute: settings.perMinute,
    daily_cap: settings.dailyCap,
    delivery_channels: settings.deliveryChannels,
    dedup_includes_variables: settings.dedupIncludesVariables,
    allow_executables: settings.allowExecutables,
    browser_devices: settings.browserDevices,
    max_attachment_mib: settings.maxAttachmentMib,
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
      "allow_executables as allowExecutables",
      "browser_devices as browserDevices",
      "max_attachment_mib as maxAttachmentMib",
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

/** Throws `NotFound` with this field if there is no such tenant. */
export async function requireTenant(db: Database, id: string, field = "tenantId"): Promise<void> {
  if ((await tenantById(db, id)) === undefined) throw tenantNotFound(id, field);
}

/** Locks a tenant like `lockTenant`. Throws `NotFound` with this field if there is no such tenant. */
export async function holdTenant(db: Database, id: string, field = "tenantId"): Promise<void> {
  if (!(await lockTenant(db, id))) throw tenantNotFound(id, field);
}

export function tenantNotFound(id: string, field = "id"): NotFound {
  return new NotFound(field, `no tenant has the id ${JSON.stringify(id)}`);
}

/**
 * Throws `Locked` if the tenant is a locked environment. Otherwise nobody can lock the environment before the
 * transaction ends.
 */
export async function refuseLocked(db: Database, tenantId: string): Promise<void> {
  // Takes the same row lock as `lockTenant`, which many edits call later: a stronger one could deadlock.
  const lock = await selectLock(db, tenantId).forNoKeyUpdate("t").executeTakeFirst();
  if (lock?.locked) throw lockedError(lock);
}

/** Returns the source from which a locked environment is promoted; undefined if the tenant is not locked. */
export async function readLock(db: Database, tenantId: string): Promise<Lock | undefined> {
  const lock = await selectLock(db, tenantId).executeTakeFirst();
  return lock?.locked ? lock : undefined;
}

/** The environment to edit instead; null if there is none. */
export interface Lock {
  source: string | null;
  sourceId: string | null;
}

function selectLock(db: Database, tenantId: string) {
  return db
    .selectFrom("tenants as t")
    .leftJoin("tenants as source", "source.id", "t.promotes_from")
    .select(["t.locked", "source.name as source", "source.id as sourceId"])
    .where("t.id", "=", tenantId);
}

function lockedError({ source, sourceId }: Lock): Locked {
  const where =
    sourceId === null
      ? "apply a bundle to it"
      : `edit it in ${source} (${sourceId}) and promote it from there`;
  return new Locked(`This environment is locked: ${where}, or ask an operator to unlock it.`);
}

/** Most tenants that a page offers to an operator as choices. The command line accepts any tenant. */
export const TENANTS_TO_CHOOSE = 500;

/**
 * Returns a page of tenants by name: those whose name contains `search` or whose id is `search`. `after`: the last id
 * of the previous page. `dailyCap`: null for no cap. `deliveryChannels`: empty for all.
 */
export async function searchTenants(
  db: Database,
  page: { search?: string | undefined; after?: string | undefined; limit: number },
) {
  const { search, after, limit } = page;
  let query = db
    .selectFrom("tenants")
    .select([
      "id",
      "name",
      "active",
      "per_minute as perMinute",
      "daily_cap as dailyCap",
      "delivery_channels as deliveryChannels",
      "created_at as createdAt",
    ]);
  if (search !== undefined) {
    query = query.where(
      sql<boolean>`(strpos(lower(name), lower(${search})) > 0 or id = ${search})`,
    );
  }
  if (after !== undefined) {
    query = query.where(
      sql<boolean>`(lower(name), id) > (select lower(t.name), t.id from tenants t where t.id = ${after})`,
    );
  }
  return await query.orderBy(sql`lower(name)`).orderBy("id").limit(limit).execute();
}

/** Returns the names of tenants, by id. */
export async function tenantNames(db: Database, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, string>();
  const rows = await db
    .selectFrom("tenants")
    .select(["id", "name"])
    .where("id", "in", [...new Set(ids)])
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}
