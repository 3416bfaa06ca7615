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
  /** The maximum size in bytes. */
  bytes: number;
}

export type BegunAttachment =
  | { outcome: "begun"; createdAt: Date }
  | { outcome: "minute"; tenantName: string; limits: TenantLimits }
  /** The tenant has as many or as large unnamed files as it may; the oldest is deleted in `waitSeconds`. */
  | { outcome: "full"; waitSeconds: number }
  /** All files of the tenant together have reached their limit. */
  | { outcome: "storage" }
  | { outcome: "inactive" };

/** Begins an upload: counts the request and reserves space for the file. `completeAttachment` ends the upload. */
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

/** Stores the next part of a file: `ATTACHMENT_CHUNK_BYTES` bytes, or the rest. */
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

/** Deletes an incomplete upload and the parts that are stored. */
export async function deleteUpload(pool: pg.Pool, id: string): Promise<void> {
  await pool.query("delete from attachments where id = $1 and not complete", [id]);
}

/** Returns a tenant's complete files by id, if events may name them now. Other ids are missing in the map. */
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
 * Yields the bytes of a tenant's file, row by row, so that only one row is in memory. Throws `AttachmentGone` if a row
 * no longer exists.
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
      // The driver does not read binary results, and base64 is shorter than hex.
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

/** Thrown if a file, or a part of it, was deleted. */
export class AttachmentGone extends Error {
  override readonly name = "AttachmentGone";
}

/** Deletes at most `most` files that no event may name any more. Returns their number; 0 if none is left. */
export async function expireAttachments(pool: pg.Pool, moment: Date, most: number) {
  const { rows } = await pool.query<{ gone: number }>(
    "select expire_attachments(p_moment => $1, p_most => $2) as gone",
    [moment, most],
  );
  return rows[0]!.gone;
}

/**
 * Deletes files that were linked to a deleted event and that no event names any more. Marks at most `most` files of the
 * tenant, or of the next tenant, in a short transaction, then deletes each in its own transaction. If the call is
 * interrupted, `expireAttachments` deletes the marked files. Returns how many were deleted, and whether there may be
 * more.
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
