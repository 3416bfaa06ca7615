import {
  MAX_ATTACHMENT_BYTES_OF_EVENT,
  type MailAttachment,
  type NamedAttachment,
  namedAttachments,
} from "@belfry/contracts/attachments";
import { CHANNEL_ROWS, PROVIDER_CHANNELS } from "@belfry/contracts/channels";
import { Problem } from "@belfry/contracts/problems";
import type { Pool } from "@belfry/database/connection";
import { findAttachments } from "@belfry/database/functions/attachments";
import { providerKind } from "@belfry/providers/kinds";
import { encodedBytes } from "@belfry/providers/message-form";

/** Bytes that are reserved for a mail's text and header fields. */
const REST_BYTES = 64 * 1024;
const MAIL_CHANNELS = PROVIDER_CHANNELS.filter(
  (channel) => CHANNEL_ROWS[channel].content === "email",
);

/**
 * Looks up the files that a checked trigger names, and returns them in the form that events store and mails use. Throws
 * a 422 Problem if a file cannot be named or if the files are too large together. With `isKeyed`, accept_events decides
 * about files that are not found, because the trigger may be a replay, which does not need its files any more.
 */
export async function resolveAttachments(
  pool: Pool,
  tenantId: string,
  attachments: readonly NamedAttachment[],
  isKeyed: boolean,
): Promise<MailAttachment[]> {
  const named = namedAttachments(attachments);
  const ids = named.map(({ id }) => id);
  const [found, mostBytes] = await Promise.all([
    findAttachments(pool, tenantId, ids),
    mostBytesOf(pool, tenantId),
  ]);
  const faults = ids.flatMap((id, at) => (found.has(id) ? [] : [`${at}`])).map(missing);
  if (faults.length > 0 && !isKeyed) throw new Problem("validation", { message: faults });
  const files = named.map((one) => ({ ...found.get(one.id), ...one }) as MailAttachment);
  const bytes = files.reduce((sum, one) => sum + (one.bytes ?? 0), 0);
  if (bytes > MAX_ATTACHMENT_BYTES_OF_EVENT) {
    throw tooLarge(`must be at most ${MAX_ATTACHMENT_BYTES_OF_EVENT} bytes together`);
  }
  if (encodedBytes(bytes) + REST_BYTES > mostBytes) {
    throw tooLarge(`are larger than the tenant's email providers take: ${mostBytes} bytes a mail`);
  }
  return files;
}

function missing(at: string): string {
  return `email.attachments[${at}] must be the id of an attachment of this tenant that is complete and has not expired`;
}

function tooLarge(words: string): Problem {
  return new Problem("validation", { message: [`email.attachments ${words}`] });
}

/**
 * Returns the Problem for the outcome `attachments` of accept_events: a file was deleted meanwhile or does not exist.
 */
export async function attachmentsProblem(
  pool: Pool,
  tenantId: string,
  attachments: readonly MailAttachment[],
): Promise<Problem> {
  const found = await findAttachments(
    pool,
    tenantId,
    attachments.map(({ id }) => id),
  );
  const faults = attachments.flatMap(({ id }, at) => (found.has(id) ? [] : [missing(`${at}`)]));
  return new Problem("validation", {
    message: faults.length > 0 ? faults : [missing("0")],
  });
}

/** Returns the size limit of a mail in bytes: the largest among the tenant's active providers, or infinity. */
async function mostBytesOf(pool: Pool, tenantId: string): Promise<number> {
  const { rows } = await pool.query<{ channel: (typeof MAIL_CHANNELS)[number]; kind: string }>({
    name: "mail_providers",
    text: "select distinct channel, kind from providers where tenant_id = $1 and channel = any ($2) and active",
    values: [tenantId, MAIL_CHANNELS],
  });
  const most = rows.map(
    ({ channel, kind }) => providerKind(channel, kind)?.maxMessageBytes ?? Number.POSITIVE_INFINITY,
  );
  return most.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...most);
}
