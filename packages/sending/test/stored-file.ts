import { createHash, randomUUID } from "node:crypto";
import { ATTACHMENT_CHUNK_BYTES, type MailAttachment } from "@belfry/contracts/attachments";
import { completeAttachment, storeAttachmentChunk } from "@belfry/database/functions/attachments";
import type { TestPool } from "@belfry/testing/database";

/** Stores a tenant's file as ingest-api does, and returns it as an event's envelope names it. */
export async function storedFile(
  pool: TestPool,
  tenantId: string,
  data: Buffer,
  more: Partial<MailAttachment> = {},
): Promise<MailAttachment> {
  const file = { name: "a.bin", type: "application/octet-stream", ...more };
  const id = randomUUID();
  const sha256 = createHash("sha256").update(data).digest();
  await pool.sql`insert into attachments (id, tenant_id, name, type, bytes, created_at)
    values (${id}, ${tenantId}, ${file.name}, ${file.type}, ${data.length}, now())`;
  for (let n = 0; n * ATTACHMENT_CHUNK_BYTES < data.length; n += 1) {
    const at = n * ATTACHMENT_CHUNK_BYTES;
    await storeAttachmentChunk(pool, id, n, data.subarray(at, at + ATTACHMENT_CHUNK_BYTES));
  }
  await completeAttachment(pool, { id, tenantId }, { bytes: data.length, sha256 });
  return { ...file, id, bytes: data.length, sha256: sha256.toString("hex") };
}
