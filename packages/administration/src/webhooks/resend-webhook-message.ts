import type { Webhook } from "@belfry/contracts/webhook-endpoints";
import { type Database, inTransaction } from "@belfry/database/connection";
import { TooLate } from "../input-error.ts";
import { copyMessages } from "./copy-messages.ts";
import { holdMessages, isUnderWay, type WebhookPlace } from "./message-rows.ts";
import { showWebhookMessage } from "./webhook-messages.ts";
import { endPause } from "./webhook-rows.ts";
import { showWebhook } from "./webhooks.ts";

export interface Resent {
  /** Of the copy: its attempts are listed under it, and the header webhook-id stays that of the first. */
  messageId: string;
  headerId: string;
  url: string;
}

/**
 * Sends a message again, whatever became of it; a paused endpoint is called at once. Throws `NotFound`, and
 * `TooLate` where one with this header is still under way, or the endpoint is disabled.
 */
export async function resendWebhookMessage(
  db: Database,
  of: { tenantId: string; webhookId: string; messageId: string },
): Promise<Resent> {
  return await inTransaction(db, async (transaction) => {
    const webhook = await openWebhook(transaction, of);
    const place = { tenantId: of.tenantId, webhookId: webhook.id };
    if (!(await holdMessages(transaction, of.tenantId, "resend"))) throw replayUnderWay();
    const { id, headerId } = await showWebhookMessage(transaction, of);
    if (await isUnderWay(transaction, place, headerId)) {
      throw new TooLate("the message is still under way: it is tried again by itself");
    }
    const [messageId = ""] = await copyMessages(transaction, place, [id]);
    await endPause(transaction, { tenantId: of.tenantId, id: webhook.id });
    return { messageId, headerId, url: webhook.url };
  });
}

/** An endpoint that can be sent to. Throws `NotFound`, `TooLate`. */
export async function openWebhook(
  db: Database,
  { tenantId, webhookId }: WebhookPlace,
): Promise<Webhook> {
  const webhook = await showWebhook(db, tenantId, webhookId);
  if (!webhook.active) throw new TooLate("the endpoint is disabled: turn it on first");
  return webhook;
}

export function replayUnderWay(): TooLate {
  return new TooLate("a replay is under way: ask again when it has been answered");
}
