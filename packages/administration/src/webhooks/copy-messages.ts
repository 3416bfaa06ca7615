import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";
import type { WebhookPlace } from "./message-rows.ts";

/** Writes a copy of each of these messages, with its delivery, due now. Returns the copies' ids, in no order. */
export async function copyMessages(
  transaction: Database,
  { tenantId, webhookId }: WebhookPlace,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    with copies as (
      insert into webhook_messages
        (id, webhook_id, tenant_id, type, event_id, user_id, payload, resend_of, created_at)
      select id_of_now(), m.webhook_id, m.tenant_id, m.type, m.event_id, m.user_id, m.payload,
             coalesce(m.resend_of, m.id), clock_timestamp()
      from webhook_messages m
      where m.id = any (${ids}::uuid[]) and m.tenant_id = ${tenantId} and m.webhook_id = ${webhookId}
      returning id, created_at
    )
    insert into deliveries (id, event_id, tenant_id, channel, status, due_at, created_at)
    select c.id, c.id, ${tenantId}, 'WEBHOOK', 'queued', c.created_at, c.created_at from copies c
    returning id`.execute(transaction);
  return rows.map(({ id }) => id);
}
