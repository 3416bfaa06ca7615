import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import {
  ATTACHMENT_CHUNK_BYTES,
  ATTACHMENTS_PATH,
  AttachmentResponse,
  FILE_NAME,
  fileNameOf,
  fileTypeOf,
  MAX_ATTACHMENT_BYTES,
  UNNAMED_HOURS,
} from "@belfry/contracts/attachments";
import { faultsOf, faultText, Problem } from "@belfry/contracts/problems";
import { HEADERS } from "@belfry/contracts/trigger";
import type { Pool } from "@belfry/database/connection";
import {
  beginAttachment,
  completeAttachment,
  deleteUpload,
  storeAttachmentChunk,
} from "@belfry/database/functions/attachments";
import type { AbuseLimits } from "@belfry/http-api/abuse-limits";
import { type Authentication, signatureOver } from "@belfry/http-api/authenticate";
import { ANY_QUERY } from "@belfry/http-api/read-request";
import {
  answers,
  EXAMPLE_ID,
  KEYED,
  SIGNATURE_HEADER,
  TRACE_HEADERS,
} from "@belfry/http-api/route-schema";
import { counter } from "@belfry/service/metrics";
import { Type } from "@sinclair/typebox";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { uuidv7 } from "uuidv7";
import { limitProblem } from "./tenant-limits.ts";

const UNNAMED_FULL =
  "Too many attachments wait for an event that names them: at most 1 GiB and 10,000 of them";
const STORAGE_FULL =
  "The tenant's attachments take all the space that they may (maxAttachmentMib): they are deleted with their events";

const schema = {
  operationId: "uploadAttachment",
  tags: ["Events"],
  summary: "Upload an attachment",
  description: `Stores a file of up to 10 MiB for the mails of events that name it in \`email.attachments\`. The body is the file itself, not a form. A file that no event names within ${UNNAMED_HOURS} hours is deleted; other files are deleted with the last event that names them. Each upload counts towards the limit per minute. The whole request may take 15 seconds.`,
  security: [{ apiKey: [] }],
  // The handler refuses query parameters, after it has checked the signature.
  querystring: ANY_QUERY,
  headers: Type.Object({
    "X-File-Name": Type.String({
      description:
        "The file's name, as its reader sees it: 1–255 characters without a path, percent-encoded UTF-8",
      "x-examples": { shown: { value: "invoice-1001.pdf" } },
    }),
    ...SIGNATURE_HEADER,
    ...TRACE_HEADERS,
  }),
  "x-body": {
    required: true,
    description:
      "The file. Content-Type says what it is, with parameters as `text/calendar; method=REQUEST`",
    content: { "*/*": { schema: { type: "string", format: "binary" } } },
  },
  response: answers(
    {
      status: 201,
      description: "Kept until an event names it",
      schema: AttachmentResponse,
      example: {
        success: true,
        data: {
          id: EXAMPLE_ID,
          name: "invoice-1001.pdf",
          type: "application/pdf",
          bytes: 48_213,
          expiresAt: "2026-11-21T12:00:00.000Z",
        },
      },
    },
    {
      ...KEYED,
      tooLarge: { message: "An attachment has at most 10485760 bytes" },
      unsupportedMediaType: {
        message: "Content-Type must be that of the file, as application/pdf",
      },
      conflict: { message: STORAGE_FULL },
      validation: { message: ["X-File-Name must be a name without a path"] },
    },
    { 401: ["WWW-Authenticate"] },
  ),
};

export interface AttachmentDeps {
  authentication: Authentication;
  limits: AbuseLimits;
  /** The pool of all calls that are not triggers. */
  pool: Pool;
  now(): Date;
}

/** Registers `POST /api/v1/attachments`. It stores the body row by row and needs no more memory than one row. */
export async function attachmentRoute(app: FastifyInstance, deps: AttachmentDeps): Promise<void> {
  await app.register((scope, _options, registered) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, _body, done) => done(null));
    const onResponse = (
      _request: FastifyRequest,
      { statusCode }: FastifyReply,
      done: () => void,
    ) => {
      if (statusCode === 201) stored.inc();
      else refused.inc({ reason: REASONS[statusCode] ?? "internal" });
      done();
    };
    const onRequest = deps.authentication.other;
    scope.post(
      ATTACHMENTS_PATH,
      { schema, bodyLimit: MAX_ATTACHMENT_BYTES, onRequest, onResponse },
      async (request, reply): Promise<AttachmentResponse> => {
        const data = await deps.limits.uploadInTurn(request, () => receive(request, deps));
        request.logFields = { ...request.logFields, attachmentId: data.id, bytes: data.bytes };
        reply.code(201);
        return { success: true, data };
      },
    );
    registered();
  });
}

async function receive(
  request: FastifyRequest,
  { pool, now }: AttachmentDeps,
): Promise<AttachmentResponse["data"]> {
  const { tenant, headers, raw } = request;
  const { webhookSecrets } = tenant;
  const signature =
    webhookSecrets.length === 0
      ? undefined
      : signatureOver(webhookSecrets, headers[HEADERS.signature], now());
  const { name, type, length } = await signedHeadOf(request, signature);
  const id = uuidv7();
  const upload = { id, tenantId: tenant.id, name, type, bytes: length ?? MAX_ATTACHMENT_BYTES };
  const begun = await beginAttachment(pool, upload);
  if (begun.outcome === "inactive") {
    throw new Problem("unauthorized", { cause: new Error("inactive tenant") });
  }
  if (begun.outcome === "minute") throw limitProblem("minute", begun.tenantName, begun.limits);
  if (begun.outcome === "storage") throw new Problem("conflict", { message: STORAGE_FULL });
  if (begun.outcome === "full") {
    const { waitSeconds: retryAfterSeconds } = begun;
    throw new Problem("tooManyRequests", { message: UNNAMED_FULL, retryAfterSeconds });
  }
  try {
    const sha256 = createHash("sha256");
    const bytes = await storeBody(raw, pool, id, (part) => {
      sha256.update(part);
      signature?.update(part);
    });
    if (bytes === 0) throw new Problem("validation", { message: ["body must not be empty"] });
    signature?.verify();
    await completeAttachment(pool, upload, { bytes, sha256: sha256.digest() });
    const expiresAt = new Date(begun.createdAt.getTime() + UNNAMED_HOURS * 3_600_000);
    return { id, name, type, bytes, expiresAt: expiresAt.toISOString() };
  } catch (error) {
    // If the deletion also fails, the upload keeps its room for a minute and is deleted later.
    await deleteUpload(pool, id).catch((err) =>
      request.log.warn({ err, traceId: request.id }, "what came of an upload was not deleted"),
    );
    throw error;
  }
}

/**
 * Reads the file's facts, but reports a fault only after the signature is verified; for that it reads the whole body.
 */
async function signedHeadOf(
  request: FastifyRequest,
  signature: ReturnType<typeof signatureOver> | undefined,
) {
  try {
    return headOf(request);
  } catch (fault) {
    if (signature === undefined) throw fault;
    let bytes = 0;
    for await (const part of orBadRequest(partsOf(request.raw))) {
      bytes += part.length;
      if (bytes > MAX_ATTACHMENT_BYTES) throw tooLarge();
      signature.update(part);
    }
    signature.verify();
    throw fault;
  }
}

function partsOf(body: Readable): AsyncIterable<Buffer> {
  return body.iterator({ destroyOnReturn: false });
}

/** Reads the file's name, type and length from the request's headers. Throws a Problem: 413, 415 or 422. */
function headOf({ headers, query, tenant }: FastifyRequest) {
  const { allowExecutables } = tenant;
  const faults = faultsOf(Type.Object({}), query, "query", "");
  if (faults.length > 0) throw new Problem("validation", { message: faults.map(faultText) });
  const { "content-length": given, "content-encoding": encoding = "identity" } = headers;
  const length = given === undefined ? undefined : Number(given);
  if (length !== undefined && length > MAX_ATTACHMENT_BYTES) throw tooLarge();
  if (encoding !== "identity") {
    const message = "Content-Encoding is not supported: send the file as it is";
    throw new Problem("unsupportedMediaType", { message });
  }
  const type = fileTypeOf(headers["content-type"], allowExecutables);
  if ("fault" in type) throw new Problem("unsupportedMediaType", { message: type.fault });
  const name = fileNameOf(headers[FILE_NAME], allowExecutables);
  if ("fault" in name) throw new Problem("validation", { message: [name.fault] });
  return { ...name, ...type, length };
}

function tooLarge(): Problem {
  const message = `An attachment has at most ${MAX_ATTACHMENT_BYTES} bytes`;
  return new Problem("tooLarge", { message });
}

/**
 * Stores the body row by row. Resolves to the number of bytes. Throws a Problem: 413, or 400 if the body breaks off.
 */
async function storeBody(
  body: Readable,
  pool: Pool,
  id: string,
  onPart: (part: Buffer) => void,
): Promise<number> {
  // The buffer is reused for each row, because a row is stored before the next begins.
  const row = Buffer.allocUnsafe(ATTACHMENT_CHUNK_BYTES);
  let filled = 0;
  let rows = 0;
  let bytes = 0;
  const store = async () => {
    const part = row.subarray(0, filled);
    onPart(part);
    await storeAttachmentChunk(pool, id, rows, part);
    rows += 1;
    filled = 0;
  };
  for await (const part of orBadRequest(partsOf(body))) {
    bytes += part.length;
    if (bytes > MAX_ATTACHMENT_BYTES) throw tooLarge();
    for (let at = 0; at < part.length; ) {
      const copied = part.copy(row, filled, at);
      at += copied;
      filled += copied;
      if (filled === row.length) await store();
    }
  }
  if (filled > 0) await store();
  return bytes;
}

/** Turns errors of the body into a 400, because they are the client's fault: it hung up or was too slow. */
async function* orBadRequest(parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* parts;
  } catch (cause) {
    throw new Problem("badRequest", { cause });
  }
}

const REASONS: Readonly<Record<number, string>> = {
  400: "cut",
  401: "unauthorized",
  403: "forbidden",
  408: "cut",
  409: "storage",
  413: "too_large",
  415: "media_type",
  422: "invalid",
  429: "limited",
};
const stored = counter("belfry_attachments_stored_total", "Uploads that were stored completely");
const refused = counter(
  "belfry_attachment_uploads_refused_total",
  "Uploads that were not stored, by reason",
  ["reason"],
);
stored.inc(0);
for (const reason of [...Object.values(REASONS), "internal"]) refused.inc({ reason }, 0);
