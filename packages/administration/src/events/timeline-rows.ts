import type { ProviderChannel } from "@belfry/contracts/channels";
import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";

/** What became of one event, read for its timeline. Never its variables, never what was rendered. */

/** The event with Belfry's id; within one tenant if it is named. */
export async function eventById(db: Database, id: string, tenantId?: string) {
  let query = selectEvents(db).where("e.id", "=", id);
  if (tenantId !== undefined) query = query.where("e.tenant_id", "=", tenantId);
  return await query.executeTakeFirst();
}

/**
 * `reference`: the tenant's own `eventId`; `channels`: by channelMask; `sendAt` null: at once; `releasedAt`: when it left
 * its rest; `rests`: it is not let go yet; `publishedAt`: when its id last went to the dispatcher, null once dispatched or
 * refused.
 */
export type EventRow = NonNullable<Awaited<ReturnType<typeof eventById>>>;

/** Ids of the newest events with the tenant's own reference, of all tenants unless one is named. */
export async function eventIdsByReference(
  db: Database,
  reference: string,
  limit: number,
  tenantId?: string,
): Promise<string[]> {
  // By tenant, one look into the index each: the index begins with the tenant. Two ends instead of one value, and
  // the order by both: else Postgres walks all events by their ids, as if the next were sure to have a usual reference.
  const { rows } = await sql<{ id: string }>`
    select found.id from tenants t cross join lateral (
      select e.id from events e
      where e.tenant_id = t.id and e.reference >= ${reference} and e.reference <= ${reference}
      order by e.reference desc, e.id desc limit ${limit}
    ) found
    where ${tenantId ?? null}::text is null or t.id = ${tenantId ?? null}
    order by found.id desc limit ${limit}`.execute(db);
  return rows.map((row) => row.id);
}

/** Those of an event and of the digests that it is in. */
export async function deliveriesOfEvent(
  db: Database,
  tenantId: string,
  eventIds: readonly string[],
) {
  return await db
    .selectFrom("deliveries as d")
    .leftJoin("providers as p", "p.id", "d.provider_id")
    .select([
      "d.id",
      "d.event_id as eventId",
      "d.channel",
      "d.status",
      "d.reason",
      "p.kind as providerKind",
      "d.due_at as dueAt",
      "d.message_id as messageId",
      "d.missing",
      "d.warnings",
      "d.created_at as createdAt",
      "d.settled_at as settledAt",
      "d.cancel_asked_at as cancelAskedAt",
    ])
    .where("d.event_id", "in", eventIds)
    .where("d.tenant_id", "=", tenantId)
    .$narrowType<{ channel: ProviderChannel }>()
    .orderBy("d.channel")
    .execute();
}

/** `eventId` of a digest: the digest's. */
export type DeliveryRow = Awaited<ReturnType<typeof deliveriesOfEvent>>[number];

/** The attempts of deliveries of one tenant (as `deliveriesOfEvent` found them), in order. */
export async function attemptsOfDeliveries(db: Database, deliveryIds: readonly string[]) {
  if (deliveryIds.length === 0) return [];
  return await db
    .selectFrom("attempts")
    .select([
      "delivery_id as deliveryId",
      "number",
      "provider_kind as providerKind",
      "started_at as startedAt",
      "ended_at as endedAt",
      "class",
      "reason",
      "vendor_status as vendorStatus",
      "message_id as messageId",
      "next_at as nextAt",
    ])
    .where("delivery_id", "in", deliveryIds)
    .orderBy("delivery_id")
    .orderBy("number")
    .execute();
}

export type AttemptRow = Awaited<ReturnType<typeof attemptsOfDeliveries>>[number];

function selectEvents(db: Database) {
  return db
    .selectFrom("events as e")
    .leftJoin("undispatched_events as u", "u.event_id", "e.id")
    .select([
      "e.id",
      "e.tenant_id as tenantId",
      "e.event_type as eventType",
      "e.user_id as userId",
      "e.reference",
      "e.recipient_email as recipientEmail",
      "e.recipient_phone as recipientPhone",
      "e.channels",
      "e.locale",
      "e.trace_id as traceId",
      "e.accepted_at as acceptedAt",
      "e.dispatched_at as dispatchedAt",
      "e.refused_at as refusedAt",
      "e.send_at as sendAt",
      "e.cancel_key as cancelKey",
      "e.released_at as releasedAt",
      "e.cancelled_at as cancelledAt",
      sql<boolean>`exists (select from scheduled_events s where s.event_id = e.id)`.as("rests"),
      "u.published_at as publishedAt",
      "e.outcome",
    ]);
}
