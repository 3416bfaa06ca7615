import { countActivity } from "@belfry/admin/tenant/count-activity";
import { bucketsOf } from "@belfry/admin/test/store-mails";
import { idAt } from "@belfry/administration/pages";
import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";

/** Properties of every event. */
export const SAMPLES = JSON.stringify(
  { name: "Ada", order: "A-1001", total: "49.90 EUR", delivery: "on Thursday" },
  null,
  2,
);
const NAMES = ["ada", "grace", "alan", "edsger", "barbara", "donald", "margaret", "ken"];
const HOUR_MS = 60 * 60_000;

/** Stores a day's events and their outcomes as the services would. */
export async function storeDay(
  db: Database,
  tenantId: string,
  providerId: string,
  versions: { EMAIL: string; SMS: string },
): Promise<{ eventId: string; failedEventId: string }> {
  const now = Date.now();
  const events: { id: string; at: Date; index: number }[] = [];
  for (let hour = 23; hour >= 0; hour -= 1) {
    const busy = 4 + Math.round(14 * Math.max(0, Math.sin(((23 - hour) / 23) * Math.PI)));
    for (let n = busy - 1; n >= 0; n -= 1) {
      const at = new Date(now - hour * HOUR_MS - 60_000 - (n * 50 * 60_000) / busy);
      const count = events.length;
      const id = `${idAt(at).slice(0, 14)}7${String(count % 1000).padStart(3, "0")}-8000-${String(count).padStart(12, "0")}`;
      events.push({ id, at, index: events.length });
    }
  }
  const isBad = (index: number) => index % 23 === 7;
  const later = (at: Date, seconds: number) => new Date(at.getTime() + seconds * 1000);
  await db
    .insertInto("events")
    .values(
      events.map(({ id, at, index }) => ({
        id,
        tenant_id: tenantId,
        event_type: index % 3 === 2 ? "parcel.arriving" : "order.confirmed",
        user_id: NAMES[index % NAMES.length]!,
        reference: `order-${1000 + index}`,
        recipient_email: `${NAMES[index % NAMES.length]}@example.com`,
        recipient_phone: "+12025550123",
        variables: SAMPLES,
        trace_id: `trace-${index}`,
        accepted_at: at,
        dispatched_at: later(at, 0.05),
        outcome: JSON.stringify(
          index % 3 === 2 ? { skipped: { EMAIL: "no active template" } } : {},
        ),
      })),
    )
    .execute();
  for (const channel of ["EMAIL", "SMS"] as const) {
    const own = events.filter(({ index }) => channel === "SMS" || index % 3 !== 2);
    const deliveryId = (id: string) =>
      `${id.slice(0, 24)}${channel === "EMAIL" ? "e" : "5"}${id.slice(25)}`;
    await db
      .insertInto("deliveries")
      .values(
        own.map(({ id, at, index }) => ({
          id: deliveryId(id),
          event_id: id,
          tenant_id: tenantId,
          channel,
          status: channel === "EMAIL" && isBad(index) ? ("failed" as const) : ("accepted" as const),
          reason:
            channel === "EMAIL" && isBad(index) ? "SendGrid refused the key (status 401)" : null,
          template_version_id: versions[channel],
          provider_id: channel === "EMAIL" ? providerId : null,
          attempts: 1,
          message_id: `m-${index}`,
          created_at: later(at, 0.05),
          settled_at: later(at, 2.5),
        })),
      )
      .execute();
    await db
      .insertInto("attempts")
      .values(
        own.map(({ id, at, index }) => {
          const bad = channel === "EMAIL" && isBad(index);
          const vendor = channel === "EMAIL" ? "SendGrid" : "The sandbox";
          return {
            delivery_id: deliveryId(id),
            number: 1,
            provider_id: channel === "EMAIL" ? providerId : null,
            provider_kind: channel === "EMAIL" ? "sendgrid" : "sandbox",
            started_at: later(at, 0.1),
            ended_at: later(at, 0.2 + (index % 9) / 4),
            class: bad ? ("credentials" as const) : ("accepted" as const),
            reason: bad ? "SendGrid refused the key" : `${vendor} accepted the message`,
            vendor_status: bad ? "401" : "202",
          };
        }),
      )
      .execute();
  }
  await db
    .insertInto("notifications")
    .values(
      events.map(({ id, at, index }) => ({
        id,
        tenant_id: tenantId,
        user_id: NAMES[index % NAMES.length]!,
        event_type: "order.confirmed",
        title: `Order A-${1000 + index} confirmed`,
        body: "It leaves our shelves on Thursday.",
        channel_name: "personal",
        channel_offset: String(index + 1),
        created_at: later(at, 0.05),
        read_at: index % 2 === 0 ? later(at, 600) : null,
      })),
    )
    .execute();
  await countActivity(db, bucketsOf(24 * HOUR_MS));
  await sql`
    update tenant_limits set day = (now() at time zone 'UTC')::date, day_total = ${events.length}
    where tenant_id = ${tenantId}`.execute(db);
  const failed = events.findLast(({ index }) => isBad(index) && index % 3 !== 2)!;
  return {
    eventId: events.findLast(({ index }) => index % 3 === 0 && !isBad(index))!.id,
    failedEventId: failed.id,
  };
}
