import { realtimeChannel } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import { notificationLinks, shownNotifications } from "@belfry/database/notifications";

/** The history item that an event left, without its content. */
export async function notificationOfEvent(db: Database, tenantId: string, eventId: string) {
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

export type NotificationState = NonNullable<Awaited<ReturnType<typeof notificationOfEvent>>>;

/** The in-app item of an event as it was rendered, and whether it may be seen. */
export async function notificationContent(db: Database, tenantId: string, eventId: string) {
  const row = await db
    .selectFrom("notifications")
    .select(["title", "body", "url", "actions"])
    .where("id", "=", eventId)
    .where("tenant_id", "=", tenantId)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const shown = await shownNotifications(db, tenantId, [eventId]);
  const { title, body } = row;
  return { title, body, ...notificationLinks(row), sensitive: !shown.has(eventId) };
}
