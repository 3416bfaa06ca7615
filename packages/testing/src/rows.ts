import type { Database, Pool } from "@belfry/database/connection";
import type { Schema } from "@belfry/database/schema";
import type { InsertObject } from "kysely";
import { uuidv7 } from "uuidv7";
import { databaseOver } from "./database.ts";

/** A Kysely database, a pool, or a connection inside its current transaction. */
type On = Database | Pick<Pool, "query">;

/** The columns of a row that differ from the defaults. A value may be an expression of Kysely's `sql`. */
type Columns<Table extends keyof Schema> = Partial<InsertObject<Schema, Table>>;

/** Inserts an event of ann, accepted and dispatched now, and returns its id. */
export async function anEvent(on: On, columns: Columns<"events"> = {}): Promise<string> {
  const now = new Date();
  const row = { id: uuidv7(), tenant_id: "acme", event_type: "x", user_id: "ann" };
  const rest = { trace_id: "t", variables: "{}", accepted_at: now, dispatched_at: now };
  const values = { ...row, ...rest, ...columns };
  const insert = databaseOf(on).insertInto("events").values(values).returning("id");
  return (await insert.executeTakeFirstOrThrow()).id;
}

/** Inserts a queued delivery by EMAIL that is not due, of an event that is not stored; returns its id. */
export async function aDelivery(on: On, columns: Columns<"deliveries"> = {}): Promise<string> {
  const row = { id: uuidv7(), event_id: uuidv7(), tenant_id: "acme" };
  const values = { ...row, channel: "EMAIL" as const, template_version_id: "1", ...columns };
  const insert = databaseOf(on).insertInto("deliveries").values(values).returning("id");
  return (await insert.executeTakeFirstOrThrow()).id;
}

/** Inserts the first attempt of a delivery, which has begun now and has not ended. */
export async function anAttempt(
  on: On,
  columns: Columns<"attempts"> & { delivery_id: string },
): Promise<void> {
  const row = { number: 1, provider_kind: "sandbox", started_at: new Date() };
  await databaseOf(on)
    .insertInto("attempts")
    .values({ ...row, ...columns })
    .execute();
}

/** Inserts an unread notification of ann at offset 1 of the personal channel, and returns its id. */
export async function aNotification(
  on: On,
  columns: Columns<"notifications"> = {},
): Promise<string> {
  const row = { id: uuidv7(), tenant_id: "acme", user_id: "ann", event_type: "x" };
  const text = { title: "title", body: "body", created_at: new Date() };
  const place = { channel_name: "personal", channel_offset: "1" };
  const values = { ...row, ...text, ...place, ...columns };
  const insert = databaseOf(on).insertInto("notifications").values(values).returning("id");
  return (await insert.executeTakeFirstOrThrow()).id;
}

/** Inserts the directory entry of ann. Her tenant must be stored. */
export async function aRecipient(on: On, columns: Columns<"recipients"> = {}): Promise<void> {
  const values = { tenant_id: "acme", user_id: "ann", ...columns };
  await databaseOf(on).insertInto("recipients").values(values).execute();
}

function databaseOf(on: On): Database {
  return "query" in on ? databaseOver(on) : on;
}
