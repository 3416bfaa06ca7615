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
      with doomed as materialized (
        select m.id from webhook_messages m
        where m.webhook_id = ${id} and m.tenant_id = ${tenantId} order by m.id limit ${BATCH_MESSAGES}
      ),
      held as materialized (
        select d.id from deliveries d
        where d.event_id = any (array(select id from doomed)) and d.channel = 'WEBHOOK'
        order by d.id for update
      ),
      attempts_gone as (
        delete from attempts a where a.delivery_id = any (array(select id from held))
      ),
      deliveries_gone as (
        delete from deliveries d where d.id = any (array(select id from held))
      ),
      messages_gone as (
        delete from webhook_messages m where m.id = any (array(select id from doomed)) returning 1
      )
      select count(*)::integer as messages from messages_gone`.execute(transaction);
    if ((rows[0]?.messages ?? 0) < BATCH_MESSAGES) return;
  }
}
