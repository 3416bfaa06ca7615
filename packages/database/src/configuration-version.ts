import type { KeptDays } from "@belfry/contracts/retention";
import { sql } from "kysely";
import { type Database, inTransaction } from "./connection.ts";

/** Grows with every change of tenants, keys, templates or providers; services poll it. */
export async function readConfigurationVersion(db: Database): Promise<string> {
  const row = await db
    .selectFrom("configuration_version")
    .select("version")
    .executeTakeFirstOrThrow();
  return row.version;
}

/** Call in the transaction of the change, last: it serialises writers. */
export async function bumpConfigurationVersion(db: Database): Promise<void> {
  await db.updateTable("configuration_version").set({ version: sql`version + 1` }).execute();
}

/**
 * Notes on the tenant that it has rows of a kind, so that nobody looks for those of a tenant that has none, and runs
 * `work`, which stores the rows, in the same transaction. After the first time the note changes nothing. The
 * configuration version grows last: its one row is held for the commit alone, however long `work` takes. Within a
 * caller's transaction it joins that one.
 */
export async function noteUse<T = void>(
  db: Database,
  tenantId: string,
  what: "uses_recipients" | "uses_preferences" | "uses_webhooks",
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

/** How long what a tenant leaves is kept: its own days, else those of the installation. */
export async function keptDays(db: Database, tenantId: string): Promise<KeptDays> {
  const { rows } = await sql<KeptDays>`
    select coalesce(t.event_retention_days, v.event_retention_days) as "eventDays",
           coalesce(t.notification_retention_days, v.notification_retention_days) as "notificationDays"
    from configuration_version v left join tenants t on t.id = ${tenantId}`.execute(db);
  return rows[0]!;
}

/** Writes down what the dispatcher keeps of tenants without days of their own, for whoever reckons with it. */
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
