import { sql } from "kysely";
import type { Database } from "../connection.ts";

/** The numbers of deleted rows, and in `held` the ids of events of which a sender holds a delivery. */
export interface DeletedEvents {
  held: string[];
  events: number;
  undispatchedEvents: number;
  deliveries: number;
  /** Deliveries that had not been sent. */
  unfinished: number;
  attempts: number;
  receipts: number;
}

/**
 * Deletes events with everything that belongs to them, except messages in the outbox: at most some hundreds in a call.
 * With `spare`, a delivery that a sender holds stays, and its event, too.
 */
export async function deleteEvents(
  db: Database,
  ids: readonly string[],
  options: { spare: boolean },
): Promise<DeletedEvents> {
  const { rows } = await sql<DeletedEvents>`
    select held, events::integer, undispatched_events::integer as "undispatchedEvents",
           deliveries::integer, unfinished::integer, attempts::integer, receipts::integer
    from delete_events(p_ids => ${ids}, p_spare => ${options.spare})`.execute(db);
  const [deleted] = rows;
  if (deleted === undefined) throw new Error("delete_events returned nothing");
  return deleted;
}

/**
 * Deletes at most `most` messages of status webhooks with their deliveries and attempts, sent or not: those of a
 * tenant, or only those about one of its users. Returns the number of messages.
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
