import { aNotification, anAttempt, anEvent } from "@belfry/testing/rows";
import { uuidv7 } from "uuidv7";
import { createExpiry, firstIdOf } from "../src/expiry.ts";
import { type DispatcherUnderTest, dispatcherUnderTest } from "./dispatcher-under-test.ts";

export const NOW = new Date("2026-06-01T12:00:00Z");
const HOUR_MS = 3_600_000;

/** An id as it was made so many days before NOW. */
export function idOfAge(days: number): string {
  const moment = new Date(NOW.getTime() - days * 24 * HOUR_MS);
  return firstIdOf(moment).slice(0, 14) + uuidv7().slice(14);
}

/** Whole days. */
export function ageOf({ id }: { id: string }): number {
  const madeAtMs = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  return Math.round((NOW.getTime() - madeAtMs) / (24 * HOUR_MS));
}

/** A dispatcher's database, and rounds of expiry that believe it is NOW or as many hours later. */
export async function expiryUnderTest(t: Parameters<typeof dispatcherUnderTest>[0]) {
  const under = await dispatcherUnderTest(t);
  const { pool, log } = under;
  const retention = { eventDays: 30, notificationDays: 90 };
  const newReplica = (hours = 0) =>
    createExpiry({
      pool,
      retention,
      log,
      now: async () => new Date(NOW.getTime() + hours * HOUR_MS),
    });
  return {
    ...under,
    retention,
    newReplica,
    expire: (hours = 0, signal?: AbortSignal) => newReplica(hours)(signal),

    async setDays(tenant: string, eventDays: number | null, notificationDays = eventDays) {
      await pool.sql`update tenants
        set event_retention_days = ${eventDays}, notification_retention_days = ${notificationDays}
        where id = ${tenant}`;
    },

    /** Ages in whole days of the rows that a tenant has left, youngest first. */
    async agesLeft(table: "events" | "notifications" | "outbox", tenant: string) {
      const { rows } = await pool.query<{ id: string }>(
        `select id from ${table} where tenant_id = $1 order by id desc`,
        [tenant],
      );
      return rows.map(ageOf);
    },
  };
}

/** An event of this age with all that one can leave behind; returns its id. */
export async function eventOfAge(
  { pool }: Pick<DispatcherUnderTest, "pool">,
  tenant: string,
  days: number,
  delivery: { status?: string; claimedUntil?: string; idOfAge?: number } = {},
): Promise<string> {
  const id = await anEvent(pool, { id: idOfAge(days), tenant_id: tenant, user_id: "u" });
  for (const channel of ["EMAIL", "SMS"]) {
    // The dispatcher creates the delivery later than the event.
    const deliveryId = idOfAge(delivery.idOfAge ?? days - 0.01);
    await pool.sql`insert into deliveries (id, event_id, tenant_id, channel, template_version_id,
        status, claimed_until)
      values (${deliveryId}, ${id}, ${tenant}, ${channel}, 1, ${delivery.status ?? "accepted"},
        ${delivery.claimedUntil ?? null})`;
    await anAttempt(pool, { delivery_id: deliveryId });
    await pool.sql`insert into receipts (tenant_id, provider_kind, vendor_event, delivery_id, kind)
      values (${tenant}, 'sendgrid', ${deliveryId}::uuid::text, ${deliveryId}, 'delivered')`;
    await pool.sql`insert into outbox (id, tenant_id, event_id, delivery_id, channel, recipient,
        text)
      values (${idOfAge(days)}, ${tenant}, ${id}, ${deliveryId}, ${channel}, 'a@example.com', 'hi')`;
  }
  const offset = String(Math.floor(Math.random() * 1e9));
  await aNotification(pool, { id, tenant_id: tenant, user_id: "u", channel_offset: offset });
  return id;
}
