import { type ProviderChannel, TO_DEVICES } from "@belfry/contracts/channels";
import type { DigestItemState } from "@belfry/contracts/delivery";
import { realtimeChannel } from "@belfry/contracts/identifiers";
import { EVENT_VARIABLES } from "@belfry/database/broadcast-variables";
import type { Database } from "@belfry/database/connection";
import type { DeviceState } from "@belfry/database/functions/devices";
import { type ReceiptRow, receiptsOfDeliveries } from "@belfry/database/functions/store-receipts";
import { sql } from "kysely";

/** An event with its deliveries, digests and notification, without its variables and rendered content. */
export interface EventFacts {
  event: EventRow;
  /** The event's own deliveries, and those of the digests that contain it. */
  deliveries: (DeliveryRow & {
    attempts: AttemptRow[];
    receipts: ReceiptRow[];
    devices: DeviceSend[];
  })[];
  digestItems: DigestItemRow[];
  notification: NotificationState | undefined;
}

export async function readEventFacts(db: Database, event: EventRow): Promise<EventFacts> {
  const digestItems = await digestItemsOfEvent(db, event.tenantId, event.id);
  const digests = digestItems.filter(({ state }) => state === "in").map((one) => one.digestId);
  const deliveries = await deliveriesOfEvent(db, event.tenantId, [event.id, ...digests]);
  const ids = deliveries.map((delivery) => delivery.id);
  const attempts = Map.groupBy(
    await attemptsOfDeliveries(db, ids),
    (attempt) => attempt.deliveryId,
  );
  const receipts = Map.groupBy(
    await receiptsOfDeliveries(db, event.tenantId, ids),
    (receipt) => receipt.deliveryId,
  );
  const toDevices = deliveries.filter(({ channel }) => channel === TO_DEVICES);
  const devices = Map.groupBy(
    await sendsToDevices(
      db,
      event,
      toDevices.map(({ id }) => id),
    ),
    (send) => send.deliveryId,
  );
  return {
    event,
    deliveries: deliveries.map((row) => ({
      ...row,
      // A digest's delivery only says that some event of the digest was cancelled.
      cancelAskedAt:
        row.eventId === event.id
          ? row.cancelAskedAt
          : (digestItems.find(({ digestId }) => digestId === row.eventId)?.cancelAskedAt ?? null),
      attempts: attempts.get(row.id) ?? [],
      receipts: receipts.get(row.id) ?? [],
      devices: devices.get(row.id) ?? [],
    })),
    digestItems,
    notification: await notificationOfEvent(db, event.tenantId, event.id),
  };
}

/** The result of a delivery on one device. */
export interface DeviceSend {
  deliveryId: string;
  /** Its name, or its id if it has none or is gone. */
  name: string;
  kind: string;
  state: DeviceState;
  reason: string | null;
  vendorStatus: string | null;
  triedAt: Date;
}

async function sendsToDevices(
  db: Database,
  { tenantId, userId }: Pick<EventRow, "tenantId" | "userId">,
  deliveryIds: readonly string[],
) {
  if (deliveryIds.length === 0) return [];
  const { rows } = await sql<DeviceSend>`
    select s.delivery_id as "deliveryId", coalesce(d.name, s.device_id) as name, s.kind, s.reason,
           -- Its sender died, and the delivery is not tried again.
           case when s.state = 'sending' and v.status <> 'sending' then 'unknown' else s.state end as state,
           s.vendor_status as "vendorStatus", s.tried_at as "triedAt"
    from device_sends s
    join deliveries v on v.id = s.delivery_id and v.tenant_id = ${tenantId}
    left join devices d on d.tenant_id = ${tenantId} and d.user_id = ${userId} and d.device_id = s.device_id
    where s.delivery_id = any (${deliveryIds}::uuid[]) and s.tried_at is not null
    order by s.tried_at, s.device_id`.execute(db);
  return rows;
}

/** The state of one event in a digest that it was added to. */
export interface DigestItemRow {
  digestId: string;
  channel: ProviderChannel;
  state: DigestItemState;
  addedAt: Date;
  /** Time of a cancel that was requested while the digest was being sent; null if there was none. */
  cancelAskedAt: Date | null;
  windowEndsAt: Date;
  closedAt: Date | null;
  /** Number of events in the message. */
  count: number;
}

async function digestItemsOfEvent(db: Database, tenantId: string, eventId: string) {
  const { rows } = await sql<DigestItemRow>`
    select g.id as "digestId", g.channel, i.state, i.added_at as "addedAt",
           i.cancel_asked_at as "cancelAskedAt", g.window_ends_at as "windowEndsAt", g.closed_at as "closedAt",
           (select count(*)::integer from digest_items o where o.digest_id = g.id and o.state = 'in') as count
    from digest_items i join digests g on g.id = i.digest_id
    where i.event_id = ${eventId} and g.tenant_id = ${tenantId}
    order by g.channel, i.added_at`.execute(db);
  return rows;
}

/** Finds the event's item in the in-app history, without its content. */
async function notificationOfEvent(db: Database, tenantId: string, eventId: string) {
  const row = await db
    .selectFrom("notifications")
    .select(["id", "channel_name", "user_id", "created_at", "read_at", "deleted_at"])
    .where("id", "=", eventId)
    .where("tenant_id", "=", tenantId)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    id: row.id,
    realtimeChannel: realtimeChannel(row.channel_name, row.user_id),
    createdAt: row.created_at,
    readAt: row.read_at,
    deletedAt: row.deleted_at,
  };
}

type NotificationState = NonNullable<Awaited<ReturnType<typeof notificationOfEvent>>>;

/**
 * Returns the event's variables as JSON text (null if there were none or they are erased), and when it was accepted or
 * became due. Undefined if there is no such event.
 */
export async function eventContent(db: Database, tenantId: string, eventId: string) {
  return await db
    .selectFrom("events as e")
    .select([
      EVENT_VARIABLES.as("variables"),
      sql<Date>`coalesce(released_at, accepted_at)`.as("at"),
    ])
    .where("id", "=", eventId)
    .where("tenant_id", "=", tenantId)
    .executeTakeFirst();
}

/** Whether a template of the event type is sensitive, on any channel, or was so when the event was accepted. */
export async function usedSensitiveTemplate(
  db: Database,
  tenantId: string,
  event: { eventType: string; acceptedAt: Date },
): Promise<boolean> {
  const row = await db
    .selectFrom("templates as t")
    .select("t.id")
    .where("t.tenant_id", "in", [tenantId, "platform"])
    .where("t.event_type", "=", event.eventType)
    .where((where) =>
      where.or([
        where("t.sensitive", "=", true),
        where("t.sensitive_until", ">=", event.acceptedAt),
      ]),
    )
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Finds an event by Belfry's id, in the given tenant or in any. */
export async function eventById(db: Database, id: string, tenantId?: string) {
  let query = selectEvents(db).where("e.id", "=", id);
  if (tenantId !== undefined) query = query.where("e.tenant_id", "=", tenantId);
  return await query.executeTakeFirst();
}

/**
 * An event. `reference` is the tenant's own `eventId`. `channels` is a channel mask. `sendAt` is null if the event was
 * sent at once; `releasedAt` is when a scheduled event became due; `rests` is true while it is still scheduled.
 * `publishedAt` is when its id was last sent to the dispatcher, null once the event is dispatched or refused.
 */
export type EventRow = NonNullable<Awaited<ReturnType<typeof eventById>>>;

/** Returns the ids of the newest events with this `eventId`, in the given tenant or in all tenants. */
export async function eventIdsByReference(
  db: Database,
  reference: string,
  limit: number,
  tenantId?: string,
): Promise<string[]> {
  // The index begins with the tenant, so this makes one index lookup per tenant. With `=` instead of a range, or with
  // the id alone as the order, Postgres would scan all events by id, as it expects to find a common reference soon.
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

/** Finds the deliveries of an event and of digests. `eventIds` contains the ids of both. */
async function deliveriesOfEvent(db: Database, tenantId: string, eventIds: readonly string[]) {
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

/** A delivery. `eventId` is the digest's id if the delivery belongs to a digest. */
type DeliveryRow = Awaited<ReturnType<typeof deliveriesOfEvent>>[number];

/** Finds the attempts of deliveries that `deliveriesOfEvent` found, in order. */
async function attemptsOfDeliveries(db: Database, deliveryIds: readonly string[]) {
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

type AttemptRow = Awaited<ReturnType<typeof attemptsOfDeliveries>>[number];

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
      "e.recipient_chat as recipientChat",
      "e.channels",
      "e.locale",
      "e.envelope",
      "e.trace_id as traceId",
      "e.accepted_at as acceptedAt",
      "e.dispatched_at as dispatchedAt",
      "e.refused_at as refusedAt",
      "e.send_at as sendAt",
      "e.cancel_key as cancelKey",
      "e.broadcast_id as broadcastId",
      "e.released_at as releasedAt",
      "e.cancelled_at as cancelledAt",
      sql<boolean>`exists (select from scheduled_events s where s.event_id = e.id)`.as("rests"),
      "u.published_at as publishedAt",
      "e.outcome",
    ]);
}
