import { IN_APP } from "@belfry/contracts/channels";
import { realtimeChannel } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import { notificationLinks } from "@belfry/database/notifications";

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

/**
 * Of these items those that are not to be seen by others: what made them is, or then was, sensitive, or
 * its template is gone and nobody knows.
 */
export async function hiddenNotifications(db: Database, tenantId: string, ids: readonly string[]) {
  const rows = await db
    .selectFrom("notifications as n")
    .leftJoin("templates as t", (join) =>
      join
        .onRef("t.event_type", "=", "n.event_type")
        .on("t.tenant_id", "in", [tenantId, "platform"])
        .on("t.channel", "=", IN_APP),
    )
    .select("n.id")
    .where("n.tenant_id", "=", tenantId)
    .where("n.id", "in", [...ids])
    .where((where) =>
      where.or([
        where("t.id", "is", null),
        where("t.sensitive", "=", true),
        where("n.created_at", "<=", where.ref("t.sensitive_until")),
      ]),
    )
    .execute();
  return rows.map((row) => row.id);
}

/** The in-app item of an event as it was rendered, and whether it may be seen. */
export async function notificationContent(db: Database, tenantId: string, eventId: string) {
  const row = await db
    .selectFrom("notifications")
    .select(["title", "body", "url", "actions"])
    .where("id", "=", eventId)
    .where("tenant_id", "=", tenantId)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const hidden = await hiddenNotifications(db, tenantId, [eventId]);
  const { title, body } = row;
  return { title, body, ...notificationLinks(row), sensitive: hidden.length > 0 };
}
