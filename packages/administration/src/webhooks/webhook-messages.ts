import { UUID } from "@belfry/contracts/identifiers";
import {
  MESSAGE_STATUSES,
  MESSAGES_DEFAULT_LIMIT,
  MESSAGES_MAX_LIMIT,
  type WebhookMessage,
} from "@belfry/contracts/webhook-endpoints";
import type { Database } from "@belfry/database/connection";
import {
  type InvalidInput,
  integerFault,
  invalid,
  NotFound,
  refuseFaults,
} from "../input-error.ts";
import { isoTimes } from "../iso-times.ts";
import { messageById, messagesOfWebhook } from "./message-rows.ts";
import { showWebhook } from "./webhooks.ts";

export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

export interface MessageQuery {
  tenantId: string;
  webhookId: string;
  status?: string | undefined;
  /** The `next` of the page before. */
  after?: string | undefined;
  /** 1–500, default 50. */
  limit?: number | undefined;
}

/**
 * The newest first. By status a page may hold fewer than `limit` and yet have a `next`. Throws `InvalidInput`,
 * `NotFound`.
 */
export async function webhookMessages(
  db: Database,
  query: MessageQuery,
): Promise<{ messages: WebhookMessage[]; next: string | undefined }> {
  const { tenantId, after: before, limit = MESSAGES_DEFAULT_LIMIT } = query;
  const status = checkedStatus(query);
  if (before !== undefined && !UUID.test(before)) throw noPlace();
  const { id: webhookId } = await showWebhook(db, tenantId, query.webhookId);
  const { rows, next } = await messagesOfWebhook(db, {
    tenantId,
    webhookId,
    status,
    before,
    limit,
  });
  return { messages: rows.map(isoTimes), next };
}

/** With the JSON that is posted. Throws `NotFound`. */
export async function showWebhookMessage(
  db: Database,
  of: { tenantId: string; webhookId: string; messageId: string },
): Promise<WebhookMessage & { payload: string }> {
  const { id: webhookId } = await showWebhook(db, of.tenantId, of.webhookId);
  const place = { tenantId: of.tenantId, webhookId };
  const row = UUID.test(of.messageId) ? await messageById(db, place, of.messageId) : undefined;
  if (row === undefined) throw messageNotFound(of.messageId);
  return isoTimes(row);
}

export function messageNotFound(id: string): NotFound {
  return new NotFound("messageId", `the webhook has no message ${JSON.stringify(id)}`);
}

export function noPlace(): InvalidInput {
  return invalid("after", "must be the next of a page before");
}

/** Of a query for a page. Throws `InvalidInput`. */
export function checkedStatus({ status, limit }: MessageQuery): MessageStatus | undefined {
  const known = MESSAGE_STATUSES.find((one) => one === status);
  refuseFaults([
    integerFault("limit", limit, 1, MESSAGES_MAX_LIMIT),
    status === undefined || known !== undefined
      ? undefined
      : { field: "status", message: `must be one of ${MESSAGE_STATUSES.join(", ")}` },
  ]);
  return known;
}
