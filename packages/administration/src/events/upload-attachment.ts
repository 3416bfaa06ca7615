import { createHash } from "node:crypto";
import {
  ATTACHMENT_CHUNK_BYTES,
  fileNameOf,
  fileTypeOf,
  MAX_ATTACHMENT_BYTES,
  UNNAMED_HOURS,
} from "@belfry/contracts/attachments";
import { field, text, time } from "@belfry/contracts/fields";
import {
  beginAttachment,
  completeAttachment,
  storeAttachmentChunk,
} from "@belfry/database/functions/attachments";
import { Type } from "@sinclair/typebox";
import { uuidv7 } from "uuidv7";
import { defineAct, EDIT, note } from "../act.ts";
import { invalid } from "../input-error.ts";
import { tenantById, tenantNotFound } from "../tenants/tenant-rows.ts";

const REFUSALS = {
  minute: "must wait: the tenant's limit a minute is reached",
  full: "must wait: too many attachments of the tenant wait for an event that names them",
  storage:
    "must wait: the tenant's attachments take all the space that they may (maxAttachmentMib)",
  inactive: "cannot be stored: the tenant is not active",
} as const;

const DATA = field<string>({ type: "string", contentEncoding: "base64" }, (value) =>
  typeof value === "string" ? undefined : "must be a text in base64",
);

/** Uploads a file, as `POST /api/v1/attachments` does for programs. */
export const uploadAttachment = defineAct({
  name: "attachment upload",
  access: EDIT,
  effect: "outside",
  summary: `Store a file of up to 10 MiB for the mails of events that name its id within ${UNNAMED_HOURS} hours`,
  input: Type.Object({
    name: text({ description: "as its reader sees it" }),
    type: text({ description: "its content type, as application/pdf" }),
    data: DATA,
  }),
  output: Type.Object({
    id: Type.String(),
    name: Type.String(),
    type: Type.String(),
    bytes: Type.Integer(),
    expiresAt: time("It is deleted if no event has named it by this time"),
  }),
  async run({ db, tenantId, services: { pool } }, { name, type: given, data }) {
    const tenant = await tenantById(db, tenantId);
    if (tenant === undefined) throw tenantNotFound(tenantId, "tenantId");
    const named = fileNameOf(encodeURIComponent(name), tenant.allowExecutables);
    if ("fault" in named) throw invalid("name", named.fault.replace(/^X-File-Name /, ""));
    const typed = fileTypeOf(given, tenant.allowExecutables);
    if ("fault" in typed) throw invalid("type", typed.fault.replace(/^Content-Type /, ""));
    const content = Buffer.from(data, "base64");
    if (content.length === 0) throw invalid("data", "must not be empty");
    if (content.length > MAX_ATTACHMENT_BYTES) throw invalid("data", "is larger than 10 MiB");
    const id = uuidv7();
    const file = { id, tenantId, ...named, ...typed, bytes: content.length };
    const begun = await beginAttachment(pool, file);
    if (begun.outcome !== "begun") throw invalid("data", REFUSALS[begun.outcome]);
    for (let n = 0; n * ATTACHMENT_CHUNK_BYTES < content.length; n += 1) {
      const at = n * ATTACHMENT_CHUNK_BYTES;
      const part = content.subarray(at, at + ATTACHMENT_CHUNK_BYTES);
      await storeAttachmentChunk(pool, id, n, part);
    }
    const sha256 = createHash("sha256").update(content).digest();
    await completeAttachment(pool, file, { bytes: content.length, sha256 });
    const expiresAt = new Date(begun.createdAt.getTime() + UNNAMED_HOURS * 3_600_000);
    const { tenantId: _, ...output } = file;
    return { output: { ...output, expiresAt: expiresAt.toISOString() } };
  },
  audit: (_, { output: { id, type, bytes } }) =>
    note("attachment.upload", id, { after: { type, bytes } }),
});
