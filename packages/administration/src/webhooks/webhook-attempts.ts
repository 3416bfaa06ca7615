import { UUID } from "@belfry/contracts/identifiers";
import { MESSAGES_DEFAULT_LIMIT, type WebhookAttempt } from "@belfry/contracts/webhook-endpoints";
import type { Database } from "@belfry/database/connection";
import {
  type AttemptPlace,
  type AttemptRow,
  attemptsOfMessage,
  attemptsOfWebhook,
} from "./message-rows.ts";
import {
  checkedStatus,
  type MessageQuery,
  noPlace,
  showWebhookMessage,
} from "./webhook-messages.ts";
import { showWebhook } from "./webhooks.ts";

/**
 * The log of an endpoint: the calls of the newest message first, and of each message the newest first. `status` is
 * that of the messages; with it a page may hold fewer than `limit` and yet have a `next`. Throws `InvalidInput`,
 * `NotFound`.
 */
export async function webhookAttempts(
  db: Database,
  query: MessageQuery,
): Promise<{ attempts: WebhookAttempt[]; next: string | undefined }> {
  const { tenantId, after, limit = MESSAGES_DEFAULT_LIMIT } = query;
  const status = checkedStatus(query);
  const before = after === undefined ? undefined : placeOf(after);
  if (after !== undefined && before === undefined) throw noPlace();
  const { id: webhookId } = await showWebhook(db, tenantId, query.webhookId);
  const found = await attemptsOfWebhook(db, { tenantId, webhookId, status, before, limit });
  const next =
    found.next === undefined ? undefined : `${found.next.messageId}_${found.next.number}`;
  return { attempts: found.rows.map(shownAttempt), next };
}

/** Of one message and of its copies, the newest first, at most 100. Throws `NotFound`. */
export async function messageAttempts(
  db: Database,
  of: { tenantId: string; webhookId: string; messageId: string },
): Promise<WebhookAttempt[]> {
  const { headerId } = await showWebhookMessage(db, of);
  return (await attemptsOfMessage(db, of, headerId)).map(shownAttempt);
}

const PLACE = /^([0-9a-f-]{36})_(\d{1,6})$/;

function placeOf(text: string): AttemptPlace | undefined {
  const [, messageId = "", number = ""] = PLACE.exec(text) ?? [];
  return UUID.test(messageId) ? { messageId, number: Number(number) } : undefined;
}

function shownAttempt(row: AttemptRow): WebhookAttempt {
  const { at, endedAt, class: outcome, status, nextAt, ...rest } = row;
  return {
    messageId: rest.messageId,
    headerId: rest.headerId,
    type: rest.type,
    eventId: rest.eventId,
    number: rest.number,
    at: at.toISOString(),
    durationMs: endedAt === null ? null : Math.max(0, endedAt.getTime() - at.getTime()),
    status: status === null ? null : Number(status),
    outcome: outcomeOf(outcome),
    reason: rest.reason,
    answer: rest.answer,
    nextAt: nextAt?.toISOString() ?? null,
    messageStatus: rest.messageStatus,
  };
}

function outcomeOf(of: string | null): WebhookAttempt["outcome"] {
  if (of === null) return "under way";
  if (of === "accepted") return "arrived";
  return of === "ambiguous" ? "unknown" : "failed";
}
