import type { ProviderChannel } from "@belfry/contracts/channels";
import type { OutboxEntry } from "@belfry/contracts/sending";
import { uuidv7 } from "uuidv7";
import type { Database } from "./connection.ts";

export interface NewOutboxMessage extends OutboxEntry {
  channel: ProviderChannel;
}

/** Stores a message that a `sandbox` provider was given; returns the message's id. */
export async function storeOutboxMessage(db: Database, entry: NewOutboxMessage): Promise<string> {
  const [id] = await storeOutboxMessages(db, [entry]);
  return id!;
}

/** Stores many messages at once; returns their ids in the order of the entries. */
export async function storeOutboxMessages(
  db: Database,
  entries: readonly NewOutboxMessage[],
): Promise<string[]> {
  const rows = entries.map((entry) => ({
    id: uuidv7(),
    tenant_id: entry.tenantId,
    event_id: entry.eventId,
    delivery_id: entry.deliveryId,
    channel: entry.channel,
    recipient: entry.to,
    subject: entry.subject,
    html: entry.html,
    text: entry.text,
    segments: entry.segments,
    headers: entry.headers === undefined ? null : JSON.stringify(entry.headers),
    attachments: entry.attachments === undefined ? null : JSON.stringify(entry.attachments),
  }));
  await db.insertInto("outbox").values(rows).execute();
  return rows.map((row) => row.id);
}

export interface OutboxFilter {
  limit: number;
  eventId?: string | undefined;
  /** Only messages older than this one: the last of the page before. */
  before?: string | undefined;
}

/** Returns a tenant's messages, newest first. */
export async function outboxOfTenant(db: Database, tenantId: string, filter: OutboxFilter) {
  let query = selectMessages(db).where("tenant_id", "=", tenantId);
  if (filter.eventId !== undefined) query = query.where("event_id", "=", filter.eventId);
  if (filter.before !== undefined) query = query.where("id", "<", filter.before);
  const rows = await query.orderBy("id", "desc").limit(filter.limit).execute();
  return rows.map(outboxMessage);
}

export async function outboxMessageById(db: Database, id: string, tenantId: string) {
  const row = await selectMessages(db)
    .where("id", "=", id)
    .where("tenant_id", "=", tenantId)
    .executeTakeFirst();
  return row === undefined ? undefined : outboxMessage(row);
}

/** Returns the tenant of a message by the message's id alone. */
export async function tenantOfOutboxMessage(db: Database, id: string) {
  const row = await db
    .selectFrom("outbox")
    .select("tenant_id")
    .where("id", "=", id)
    .executeTakeFirst();
  return row?.tenant_id;
}

function selectMessages(db: Database) {
  return db
    .selectFrom("outbox")
    .select([
      "id",
      "event_id",
      "channel",
      "recipient",
      "subject",
      "html",
      "text",
      "segments",
      "headers",
      "attachments",
      "created_at",
    ]);
}

type Row = Awaited<ReturnType<ReturnType<typeof selectMessages>["executeTakeFirstOrThrow"]>>;

function outboxMessage(row: Row) {
  return {
    id: row.id,
    eventId: row.event_id,
    channel: row.channel,
    to: row.recipient,
    subject: row.subject,
    html: row.html,
    text: row.text,
    segments: row.segments,
    ...(row.headers === null ? {} : { headers: row.headers }),
    ...(row.attachments === null ? {} : { attachments: row.attachments }),
    createdAt: row.created_at.toISOString(),
  };
}
