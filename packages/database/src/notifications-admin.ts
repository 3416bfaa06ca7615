import { realtimeChannel } from "@belfry/contracts/identifiers";
import type { Database } from "./connection.ts";

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
