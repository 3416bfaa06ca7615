import { ATTACHMENT_CHUNK_BYTES } from "@belfry/contracts/attachments";
import { UUID } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";
import { NotFound } from "../input-error.ts";
import { isHidden } from "./event-evidence.ts";
import { eventById } from "./event-facts.ts";

/** A file that is attached to an event's mail. */
export interface EventAttachment {
  /** Position in the event's list of attachments, from 1. */
  position: number;
  id: string;
  name: string;
  type: string;
  bytes: number;
  /** Whether the mail's HTML shows the file. */
  isInline: boolean;
}

/** Returns the attachments of an event, in the order in which the event names them. */
export async function attachmentsOfEvent(
  db: Database,
  tenantId: string,
  eventId: string,
): Promise<EventAttachment[]> {
  const rows = await db
    .selectFrom("event_attachments as l")
    .innerJoin("attachments as a", "a.id", "l.attachment_id")
    .select(["l.position", "a.id", "a.name", "a.type", "a.bytes", "l.cid"])
    .where("l.event_id", "=", eventId)
    .where("a.tenant_id", "=", tenantId)
    .orderBy("l.position")
    .execute();
  return rows.map(({ cid, ...file }) => ({ ...file, isInline: cid !== null }));
}

/**
 * Returns a file of an event; its bytes are read as they are needed. Throws `NotFound`, also for events of sensitive
 * templates: nobody sees their files, nor their variables.
 */
export async function openEventAttachment(
  db: Database,
  tenantId: string,
  eventId: string,
  position: string,
): Promise<EventAttachment & { content: AsyncIterable<Buffer> }> {
  const event = UUID.test(eventId) ? await eventById(db, eventId, tenantId) : undefined;
  if (event === undefined) throw new NotFound("path", "no such event");
  const hidden = await isHidden(db, { ...event, acceptedAt: event.acceptedAt.toISOString() });
  const files = hidden ? [] : await attachmentsOfEvent(db, tenantId, event.id);
  const file = files.find((one) => String(one.position) === position);
  if (file === undefined) throw new NotFound("path", "no such attachment");
  return { ...file, content: readRows(db, file) };
}

async function* readRows(
  db: Database,
  { id, bytes }: Pick<EventAttachment, "id" | "bytes">,
): AsyncGenerator<Buffer> {
  for (let n = 0; n * ATTACHMENT_CHUNK_BYTES < bytes; n += 1) {
    const { rows } = await sql<{ data: string }>`
      select encode(data, 'base64') as data from attachment_chunks
      where attachment_id = ${id} and n = ${n}`.execute(db);
    const [row] = rows;
    if (row === undefined) throw new NotFound("path", "the attachment was deleted");
    yield Buffer.from(row.data, "base64");
  }
}
