import type { KeptDays } from "@belfry/contracts/retention";
import { sql } from "kysely";
import { bumpConfigurationVersion } from "./configuration-version.ts";
import type { Database } from "./connection.ts";

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
