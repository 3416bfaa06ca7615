import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";

const BATCH_MESSAGES = 1_000;
/** What is more goes with its retention: nobody waits for it, and nobody sees it. */
const MOST_BATCHES = 10;

/** An endpoint, its messages, and what was tried of them; in batches, each short of a statement's timeout. */
export async function deleteWebhookRows(
  transaction: Database,
  { tenantId, id }: { tenantId: string; id: string },
): Promise<void> {
  // First: nothing is written for it from then on, and its messages end as skipped where one is claimed.
  await sql`delete from webhooks where id = ${id} and tenant_id = ${tenantId}`.execute(transaction);
  for (let batch = 0; batch < MOST_BATCHES; batch += 1) {
    const { rows } = await sql<{ messages: number }>`
      select webhook_messages::integer as messages from delete_webhook_messages(
        p_ids => array(
          select m.id from webhook_messages m
          where m.tenant_id = ${tenantId} and m.webhook_id = ${id} order by m.id limit ${BATCH_MESSAGES}),
        p_spare => false)`.execute(transaction);
    if ((rows[0]?.messages ?? 0) < BATCH_MESSAGES) return;
  }
}
