import { sql } from "kysely";
import type { Database } from "../connection.ts";

/**
 * Deletes at most `most` messages of status webhooks, with their deliveries and attempts, sent or not: of a tenant, or of
 * what they tell of one user. Returns how many messages.
 */
export async function deleteWebhookMessages(
  db: Database,
  { tenantId, userId }: { tenantId: string; userId?: string },
  most: number,
): Promise<number> {
  const { rows } = await sql<{ messages: number }>`
    select webhook_messages::integer as messages from delete_webhook_messages(
      p_ids => array(
        select m.id from webhook_messages m
        where m.tenant_id = ${tenantId} ${userId === undefined ? sql`` : sql`and m.user_id = ${userId}`}
        limit ${most}),
      p_spare => false)`.execute(db);
  return rows[0]!.messages;
}
