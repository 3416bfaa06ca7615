import {
  ATTACHMENT_CHUNK_BYTES,
  MAX_UNNAMED,
  MAX_UNNAMED_BYTES,
  type MailAttachment,
} from "@belfry/contracts/attachments";
import type pg from "pg";
import type { Runner } from "../connection.ts";
import { type LimitsRow, type TenantLimits, tenantOf } from "./accept-events.ts";

export interface NewAttachment {
  /** A fresh UUIDv7. */
  id: string;
  tenantId: string;
  name: string;
  type: string;
  /** At most. */
  bytes: number;
}

export type BegunAttachment =
  | { outcome: "begun"; createdAt: Date }
  | { outcome: "minute"; tenantName: string; limits: TenantLimits }
  /** The tenant has as many unnamed files as it may; the oldest goes in so many seconds. */
  | { outcome: "full"; waitSeconds: number }
  /** All its files together take as much as they may. */
  | { outcome: "storage" }
  | { outcome: "inactive" };

/** Counts the upload and keeps room for it. It is complete with `completeAttachment`. */
export async function beginAttachment(
  pool: pg.Pool,
  { id, tenantId, name, type, bytes }: NewAttachment,
  most: { bytes: number; files: number } = { bytes: MAX_UNNAMED_BYTES, files: MAX_UNNAMED },
): Promise<BegunAttachment> {
  type Outcome = Exclude<BegunAttachment["outcome"], "storage">;
  type Row = LimitsRow & { outcome: Outcome; wait: number | null; created_at: Date };
  const { rows } = await pool.query<Row>({
    name: "begin_attachment",
    text: `select * from begin_attachment(p_id => $1, p_tenant => $2, p_name => $3, p_type => $4,
      p_bytes => $5, p_most_bytes => $6, p_most => $7)`,
    values: [id, tenantId, name, type, bytes, most.bytes, most.files],
  });
  const row = rows[0]!;
  switch (row.outcome) {
    case "begun":
      return { outcome: "begun", createdAt: row.created_at };
    case "minute": {
      const { name: tenantName, limits } = tenantOf(row);
      return { outcome: "minute", tenantName: tenantName ?? "", limits };
    }
    case "full":
      return row.wait === null
        ? { outcome: "storage" }
        : { outcome: "full", waitSeconds: row.wait };
    case "inactive":
      return { outcome: "inactive" };
  }
}

/** Stores the next part of a file: `ATTACHMENT_CHUNK_BYTES` of it, or the rest. */
export async function storeAttachmentChunk(
  pool: pg.Pool,
  id: string,
  n: number,
  data: Buffer,
): Promise<void> {
  await pool.query({
    name: "store_attachment_chunk",
    text: "insert into attachment_chunks (attachment_id, n, data) values ($1, $2, $3)",
    values: [id, n, data],
  });
}

/** Completes an upload. From now on events may name the file. */
export async function completeAttachment(
  pool: pg.Pool,
  { id, tenantId }: Pick<NewAttachment, "id" | "tenantId">,
  { bytes, sha256 }: { bytes: number; sha256: Buffer },
): Promise<void> {
  const { rowCount } = await pool.query({
    name: "complete_attachment",
    text: `update attachments set complete = true, bytes = $3, sha256 = $4
      where id = $1 and tenant_id = $2 and not complete`,
    values: [id, tenantId, bytes, sha256],
  });
  if (rowCount !== 1) throw new Error("the upload was deleted before it was complete");
}

/** Removes an upload that was not completed, with what is there of it. */
export async function deleteUpload(pool: pg.Pool, id: string): Promise<void> {
  await pool.query("delete from attachments where id = $1 and not complete", [id]);
}

/** A tenant's complete files by id, as events may name them now; others are missing. */
export async function findAttachments(
  pool: pg.Pool,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, MailAttachment>> {
  const { rows } = await pool.query<MailAttachment>({
    name: "find_attachments",
    text: `select id, name, type, bytes, encode(sha256, 'hex') as sha256 from attachments
      where tenant_id = $1 and id = any ($2::uuid[]) and complete
        and (named or created_at > clock_timestamp() - interval '24 hours')`,
    values: [tenantId, ids],
  });
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * The bytes of a tenant's file, row by row: only one row is in memory at a time. Throws if a row is not there any more.
 */
export async function* readAttachment(
  pool: pg.Pool,
  tenantId: string,
  { id, bytes }: Pick<MailAttachment, "id" | "bytes">,
): AsyncGenerator<Buffer> {
  const chunks = Math.ceil(bytes / ATTACHMENT_CHUNK_BYTES);
  for (let n = 0; n < chunks; n += 1) {
    const { rows } = await pool.query<{ data: string }>({
      name: "attachment_chunk",
      // The driver reads no binary results, and hex would come in twice as many characters.
      text: `select encode(data, 'base64') as data from attachment_chunks
        where attachment_id = $1 and n = $2
          and exists (select from attachments a where a.id = $1 and a.tenant_id = $3)`,
      values: [id, n, tenantId],
    });
    const [row] = rows;
    if (row === undefined) throw new AttachmentGone();
    yield Buffer.from(row.data, "base64");
  }
}

/** A file, or a part of it, was deleted. */
export class AttachmentGone extends Error {
  override readonly name = "AttachmentGone";
}

/** Deletes at most `most` files that no event may name any more. Returns how many; 0: none is left. */
export async function expireAttachments(pool: pg.Pool, moment: Date, most: number) {
  const { rows } = await pool.query<{ gone: number }>(
    "select expire_attachments(p_moment => $1, p_most => $2) as gone",
    [moment, most],
  );
  return rows[0]!.gone;
}

/**
 * Deletes files that lost an event and that no event names: marks at most `most` of a tenant's, or of the next tenant's,
 * in a short transaction, then deletes each in one of its own. `expireAttachments` deletes what an interrupted call has
 * marked. Returns how many files went, and whether there may be more.
 */
export async function deleteUnlinkedAttachments(
  runner: Runner,
  tenantId: string | null,
  most = UNLINKED_PER_STEP,
): Promise<{ rows: number; more: boolean }> {
  const { rows } = await runner.query<{ noted: number; marked: string[] }>({
    text: "select noted, marked from mark_unlinked_attachments(p_tenant => $1, p_most => $2)",
    values: [tenantId, most],
  });
  const { noted, marked } = rows[0]!;
  for (const id of marked) {
    await runner.query({ text: "delete from attachments where id = $1", values: [id] });
  }
  return { rows: marked.length, more: noted > 0 };
}

const UNLINKED_PER_STEP = 50;
