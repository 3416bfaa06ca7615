import { WEBHOOK } from "@belfry/contracts/channels";
import type { DeliveryStatus } from "@belfry/contracts/delivery";
import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";

/** What an endpoint was told, or is to be told, of an event. */
export interface ToldMessage {
  id: string;
  endpointId: string;
  url: string;
  type: string;
  status: DeliveryStatus;
  createdAt: Date;
}

const MOST = 50;

/** The newest messages that tell of an event or a digest, by index. */
export async function messagesOfEvent(
  db: Database,
  tenantId: string,
  eventId: string,
): Promise<ToldMessage[]> {
  const { rows } = await sql<ToldMessage>`
    select m.id, m.webhook_id as "endpointId", w.url, m.type, d.status, m.created_at as "createdAt"
    from (
      select * from webhook_messages
      where event_id = ${eventId} and tenant_id = ${tenantId} order by id desc limit ${MOST}
    ) m
    cross join lateral (select url from webhooks where id = m.webhook_id and tenant_id = m.tenant_id limit 1) w
    cross join lateral (select status from deliveries where event_id = m.id and channel = ${WEBHOOK} limit 1) d
    order by m.id desc`.execute(db);
  return rows;
}
