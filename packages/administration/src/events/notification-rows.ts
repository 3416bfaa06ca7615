import { IN_APP } from "@belfry/contracts/channels";
import { realtimeChannel } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";

/** The history item that an event left, without its content. */
export interface NotificationState {
  id: string;
  realtimeChannel: string;
  createdAt: Date;
  readAt: Date | null;
}

export async function notificationOfEvent(
  db: Database,
  tenantId: string,
  eventId: string,
): Promise<NotificationState | undefined> {
  const row = await db
    .selectFrom("notifications")
    .select(["id", "channel_name", "user_id", "created_at", "read_at"])
    .where("id", "=", eventId)
    .where("tenant_id", "=", tenantId)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    id: row.id,
    realtimeChannel: realtimeChannel(row.channel_name, row.user_id),
    createdAt: row.created_at,
    readAt: row.read_at,
  };
}

/** Of these event types those whose in-app items are not to be seen by others. */
export async function sensitivePushTypes(
  db: Database,
  tenantId: string,
  eventTypes: readonly string[],
): Promise<string[]> {
  const rows = await db
    .selectFrom("templates as t")
    .innerJoin("template_versions as v", "v.id", "t.current_version_id")
    .select("t.event_type")
    .where("t.tenant_id", "in", [tenantId, "platform"])
    .where("t.channel", "=", IN_APP)
    .where("t.event_type", "in", [...eventTypes])
    .where("v.sensitive", "=", true)
    .execute();
  return rows.map((row) => row.event_type);
}

/** The in-app item of an event as it was rendered, and whether its template is sensitive. */
export async function notificationContent(
  db: Database,
  tenantId: string,
  eventId: string,
): Promise<{ title: string; body: string; sensitive: boolean } | undefined> {
  const row = await db
    .selectFrom("notifications as n")
    .leftJoin("templates as t", (join) =>
      join
        .onRef("t.event_type", "=", "n.event_type")
        .on("t.channel", "=", IN_APP)
        .on("t.tenant_id", "in", [tenantId, "platform"]),
    )
    .leftJoin("template_versions as v", "v.id", "t.current_version_id")
    .select(["n.title", "n.body", "v.sensitive"])
    .where("n.id", "=", eventId)
    .where("n.tenant_id", "=", tenantId)
    .executeTakeFirst();
  return row === undefined ? undefined : { ...row, sensitive: row.sensitive ?? false };
}
