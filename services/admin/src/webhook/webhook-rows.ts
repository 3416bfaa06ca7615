import { DISABLED_BY_BELFRY } from "@belfry/administration/health/standing-trouble";
import { WEBHOOK } from "@belfry/contracts/channels";
import type { DeliveryStatus } from "@belfry/contracts/delivery";
import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";

/**
 * Returns the endpoints of a tenant that Belfry disabled by itself, newest first. Every page of the tenant names them
 * until somebody enables them, disables them by hand, or deletes them.
 */
export async function disabledEndpoints(db: Database, tenantId: string) {
  return await db
    .selectFrom("webhooks")
    .select(["id", "url", "disabled_reason as reason", "disabled_at as at"])
    .where("tenant_id", "=", tenantId)
    .where(DISABLED_BY_BELFRY)
    .orderBy("disabled_at", "desc")
    .execute();
}

/** The last call for a message. */
interface LastTry {
  messageId: string;
  /** The number of calls so far. */
  number: number;
  /** Null if the call has not ended, or its process died. */
  durationMs: number | null;
  /** HTTP status; null if there was no answer. */
  status: string | null;
  reason: string | null;
}

/** Returns the last call for each message, by the message's id. Messages without a call are missing. */
export async function lastTries(
  db: Database,
  tenantId: string,
  messageIds: readonly string[],
): Promise<Map<string, LastTry>> {
  const { rows } = await sql<LastTry>`
    select d.event_id as "messageId", a.number, a.vendor_status as status, a.reason,
           (extract(epoch from a.ended_at - a.started_at) * 1000)::integer as "durationMs"
    from unnest(${messageIds}::uuid[]) i (id)
    cross join lateral (
      select * from deliveries
      where event_id = i.id and channel = ${WEBHOOK} and tenant_id = ${tenantId} limit 1) d
    cross join lateral (
      select * from attempts where delivery_id = d.id order by number desc limit 1) a`.execute(db);
  return new Map(rows.map((row) => [row.messageId, row]));
}

/** A message to an endpoint about an event or a digest. */
interface ToldMessage {
  id: string;
  endpointId: string;
  url: string;
  type: string;
  status: DeliveryStatus;
  createdAt: Date;
}

const MOST = 50;

/** Returns the newest messages about an event or a digest, at most `MOST`. */
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
