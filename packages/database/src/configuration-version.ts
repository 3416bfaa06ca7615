import type { KeptDays } from "@belfry/contracts/retention";
import { sql } from "kysely";
import { type Database, inTransaction, type Runner } from "./connection.ts";

/**
 * Returns the configuration version, which services poll. It increases with every change of tenants, keys, templates or
 * providers. The statement is prepared, which takes a fifth of the time of Postgres.
 */
export async function readConfigurationVersion(pool: Runner): Promise<string> {
  const text = "select version from configuration_version";
  const { rows } = await pool.query<{ version: string }>({ name: "configuration_version", text });
  return rows[0]!.version;
}

/**
 * Increments the version. Call it last in the transaction of the change, because it blocks other writers until commit.
 */
export async function bumpConfigurationVersion(db: Database): Promise<void> {
  await db.updateTable("configuration_version").set({ version: sql`version + 1` }).execute();
}

/**
 * Runs `work`, which stores rows of a kind, and marks the tenant as having such rows, in one transaction. So the
 * services never search for rows of tenants without the mark. After the first time the mark changes nothing. The
 * configuration version is incremented last, so that its only row is locked just for the commit, even if `work` takes
 * long. If `db` is already a transaction, all of this runs in it.
 */
export async function noteUse<T = void>(
  db: Database,
  tenantId: string,
  what: "uses_recipients" | "uses_preferences" | "uses_webhooks" | "uses_devices",
  work?: (transaction: Database) => Promise<T>,
): Promise<T> {
  return await inTransaction(db, async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable("tenants")
      .set({ [what]: true })
      .where("id", "=", tenantId)
      .where(what, "=", false)
      .executeTakeFirst();
    const result = (await work?.(transaction)) as T;
    if (numUpdatedRows > 0n) await bumpConfigurationVersion(transaction);
    return result;
  });
}

/** Returns how long a tenant's data is kept: its own number of days, or else that of the installation. */
export async function keptDays(db: Database, tenantId: string): Promise<KeptDays> {
  const { rows } = await sql<KeptDays>`
    select coalesce(t.event_retention_days, v.event_retention_days) as "eventDays",
           coalesce(t.notification_retention_days, v.notification_retention_days) as "notificationDays"
    from configuration_version v left join tenants t on t.id = ${tenantId}`.execute(db);
  return rows[0]!;
}

/**
 * Stores how long the dispatcher keeps the data of tenants without their own settings, for code that needs these days.
 */
export async function noteInstallationDays(db: Database, installation: KeptDays): Promise<void> {
  const { eventDays, notificationDays } = installation;
  await db.transaction().execute(async (transaction) => {
    const result = await transaction
      .updateTable("configuration_version")
      .set({ event_retention_days: eventDays, notification_retention_days: notificationDays })
      .where((where) =>
        where.or([
          where("event_retention_days", "<>", eventDays),
          where("notification_retention_days", "<>", notificationDays),
        ]),
      )
      .executeTakeFirst();
    if (result.numUpdatedRows > 0n) await bumpConfigurationVersion(transaction);
  });
}
