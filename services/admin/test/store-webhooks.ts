import { webhookActs } from "@belfry/administration/test/webhook-world";
import { testWebhook } from "@belfry/administration/webhooks/send-webhook-message";
import { putWebhook } from "@belfry/administration/webhooks/webhooks";
import type { DeliveryStatus } from "@belfry/contracts/delivery";
import type { WebhookType } from "@belfry/contracts/webhook-payload";
import type { AdminUnderTest } from "./start-admin.ts";

/** For tests: an endpoint that nothing listens at. */
export async function storeWebhook(
  { db, keys }: AdminUnderTest,
  tenantId: string,
  given: { url?: string; types?: WebhookType[]; description?: string } = {},
) {
  const run = webhookActs(db, { keys, allowPrivateAddresses: true }, tenantId);
  return await run(putWebhook, { url: "https://hooks.example.com/belfry", ...given });
}

interface StoredMessage {
  type?: string;
  status: DeliveryStatus;
  /** HTTP statuses of its tries, the last last; null: no answer came. */
  tries?: (number | null)[];
  answer?: string;
  reason?: string;
  eventId?: string;
}

/** For tests: a message to an endpoint as the sender has left it; returns its id. */
export async function storeMessage(
  { db, pool, keys }: AdminUnderTest,
  of: { tenantId: string; webhookId: string },
  message: StoredMessage,
): Promise<string> {
  const { type = "delivery.delivered", status, tries = [], answer = null, reason = null } = message;
  const run = webhookActs(db, { keys, allowPrivateAddresses: true });
  const { messageId } = await run(testWebhook, of);
  await pool.query("update webhook_messages set type = $2, event_id = $3 where id = $1", [
    ...[messageId, type, message.eventId ?? null],
  ]);
  if (status === "queued") return messageId;
  const isOpen = status === "waiting";
  // One move at a time, as the database wants them.
  await pool.query("update deliveries set status = 'sending' where event_id = $1", [messageId]);
  await pool.query(
    `update deliveries set status = $2, reason = $3, attempts = $4,
       due_at = case when $5 then now() + interval '30 minutes' end, settled_at = case when not $5 then now() end
     where event_id = $1`,
    [messageId, status, reason, tries.length, isOpen],
  );
  for (const [index, code] of tries.entries()) {
    const isLast = index === tries.length - 1;
    const failed = code === null ? "ambiguous" : "transient";
    await pool.query(
      `insert into attempts (delivery_id, number, provider_kind, started_at, ended_at, class, reason, vendor_status,
         vendor_answer, next_at)
       select id, $2, 'webhook', now() - interval '120 milliseconds', now(), $3, $4, $5, $6, due_at
       from deliveries where event_id = $1`,
      [
        ...[messageId, index + 1],
        isLast && status === "accepted" ? "accepted" : failed,
        ...[reason, code, code === null ? null : answer],
      ],
    );
  }
  return messageId;
}

/** For tests: as the sender does where an endpoint has answered 410, or nothing has reached it for days. */
export async function disableWebhook(
  { pool }: AdminUnderTest,
  webhookId: string,
  reason = "it answered 410 Gone",
): Promise<void> {
  await pool.query(
    `update webhooks set active = false, disabled_at = now(), disabled_reason = $2, failing_since = now() where id = $1`,
    [webhookId, reason],
  );
}
