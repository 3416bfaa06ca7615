import { randomUUID } from "node:crypto";
import type { Database, Pool } from "@belfry/database/connection";
import { aDelivery, aNotification, anAttempt, anEvent } from "@belfry/testing/rows";

/** Everything by which a person could be found. */
export const ADA = {
  userId: "ada-4711",
  email: "Ada.Lovelace@example.com",
  phone: "+12025550147",
  variable: "Analytical Engine No 1843",
};
export const BOB = {
  userId: "bob-12",
  email: "bob@example.com",
  phone: "+12025550112",
  variable: "Difference Engine",
};
type Person = typeof ADA;

/** Returns a person's address in a chat. The id in it shows where it is left. */
export function chatOf({ userId }: Pick<Person, "userId">): string {
  return `slack:${userId}`;
}

export interface EventOptions {
  dispatched?: boolean;
  status?: string;
  /** How long a sender holds the delivery. */
  heldForMs?: number;
}

/** An event for a person with everything that Belfry may keep of it; returns its id and its deliveries'. */
export async function storeEvent(
  db: Database,
  tenantId: string,
  person: Person,
  options: EventOptions = {},
) {
  const { dispatched = true, status = "bounced", heldForMs } = options;
  const now = new Date();
  const of = { tenant_id: tenantId, event_type: "order.confirmed" };
  const id = await anEvent(db, {
    ...of,
    user_id: person.userId,
    reference: `order of ${person.userId}`,
    recipient_email: person.email,
    recipient_phone: person.phone,
    recipient_chat: chatOf(person),
    variables: JSON.stringify({ item: person.variable }),
    envelope: JSON.stringify({ fromName: person.variable, cc: [person.email] }),
    trace_id: `checkout/${person.userId}`,
    accepted_at: now,
    dispatched_at: dispatched ? now : null,
  });
  await db
    .insertInto("dedup_keys")
    .values({
      ...of,
      key: Buffer.from(id),
      event_id: id,
      tenant_name: "Acme",
      accepted_at: now,
    })
    .execute();
  if (!dispatched) {
    await db
      .insertInto("undispatched_events")
      .values({ event_id: id, published_at: now })
      .execute();
    return { id, deliveries: [] };
  }
  const deliveries: string[] = [];
  for (const channel of ["EMAIL", "SMS"] as const) {
    const held = channel === "EMAIL" && heldForMs !== undefined;
    const deliveryId = await aDelivery(db, {
      event_id: id,
      tenant_id: tenantId,
      channel,
      status: (held ? "sending" : status) as "queued",
      claimed_until: held ? new Date(Date.now() + heldForMs) : null,
      released_at: held ? now : null,
      reason: `no such user: ${person.email}`,
    });
    deliveries.push(deliveryId);
    const answer = `{"error": "${person.email} ${person.phone} is not known"}`;
    await anAttempt(db, { delivery_id: deliveryId, vendor_answer: answer });
    await db
      .insertInto("receipts")
      .values({
        tenant_id: tenantId,
        provider_kind: "sendgrid",
        vendor_event: deliveryId,
        delivery_id: deliveryId,
        kind: "bounced",
        reason: `550 <${person.email}> unknown`,
      })
      .execute();
    await storeOutbox(db, tenantId, person, id, deliveryId);
  }
  await aNotification(db, {
    ...of,
    id,
    user_id: person.userId,
    body: `Your ${person.variable}`,
    channel_offset: String(Math.floor(Math.random() * 1e12)),
  });
  await db
    .insertInto("realtime_channels")
    .values({
      tenant_id: tenantId,
      user_id: person.userId,
      channel_name: "personal",
      top_offset: "1",
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return { id, deliveries };
}

/** Stores a message of the sandbox's outbox. */
export async function storeOutbox(
  db: Database,
  tenantId: string,
  person: Person,
  eventId: string,
  deliveryId: string,
): Promise<void> {
  await db
    .insertInto("outbox")
    .values({
      id: randomUUID(),
      tenant_id: tenantId,
      event_id: eventId,
      delivery_id: deliveryId,
      channel: "EMAIL",
      recipient: person.email,
      subject: "Order",
      html: null,
      text: `Your ${person.variable}`,
    })
    .execute();
}

/** The tables that hold a text, in any column of any type; bytes are searched as well. */
export async function tablesWith(pool: Pool, text: string): Promise<string[]> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select quote_ident(table_name) as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const { rowCount } = await pool.query(
      `select from ${name} x, lateral (select lower(to_jsonb(x)::text) as text) row
       where exists (select from unnest($1::text[]) needle where position(needle in row.text) > 0) limit 1`,
      [
        [
          text.toLowerCase(),
          ...[text, text.toLowerCase()].map((one) => Buffer.from(one).toString("hex")),
        ],
      ],
    );
    if (rowCount !== 0) found.push(name);
  }
  return found;
}
