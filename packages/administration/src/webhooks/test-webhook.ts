import { setTimeout as sleepFor } from "node:timers/promises";
import type { WebhookAttempt } from "@belfry/contracts/webhook-endpoints";
import { TEST_TYPE } from "@belfry/contracts/webhooks";
import { type Database, inTransaction } from "@belfry/database/connection";
import { sql } from "kysely";
import { openWebhook } from "./resend-webhook-message.ts";
import { messageAttempts } from "./webhook-attempts.ts";
import { endPause } from "./webhook-rows.ts";

export interface TestMessage {
  messageId: string;
  url: string;
}

/**
 * Sends a message of type webhook.test, whatever types the endpoint has chosen; a paused one is called at once.
 * Throws `NotFound`, and `TooLate` where the endpoint is disabled.
 */
export async function testWebhook(db: Database, of: { tenantId: string; webhookId: string }) {
  return await inTransaction(db, async (transaction) => {
    const { id: webhookId, url } = await openWebhook(transaction, of);
    const { tenantId } = of;
    const { rows } = await sql<{ id: string }>`
      with told as (
        insert into webhook_messages (id, webhook_id, tenant_id, type, payload, created_at)
        select id_of_now(), ${webhookId}::uuid, ${tenantId}, ${TEST_TYPE},
               json_build_object('type', ${TEST_TYPE}::text, 'timestamp', iso_time(now.at),
                 'data', json_build_object('webhookId', ${webhookId}::text, 'occurredAt', iso_time(now.at)))::text,
               now.at
        from (select clock_timestamp() as at) now
        returning id, created_at
      )
      insert into deliveries (id, event_id, tenant_id, channel, status, due_at, created_at)
      select t.id, t.id, ${tenantId}, 'WEBHOOK', 'queued', t.created_at, t.created_at from told t
      returning id`.execute(transaction);
    await endPause(transaction, { tenantId, id: webhookId });
    return { messageId: rows[0]!.id, url };
  });
}

export const FIRST_TRY_WAIT_MS = 20_000;
const LOOK_MS = 200;

/**
 * How the first try of a message went, as soon as it is known; undefined where it is not within `waitMs` (20 s),
 * counted in the looks of 200 ms that `sleep` is asked for. Holds no connection while it waits. Throws `NotFound`.
 */
export async function firstTryOf(
  db: Database,
  of: { tenantId: string; webhookId: string; messageId: string },
  {
    waitMs = FIRST_TRY_WAIT_MS,
    sleep = (ms: number) => sleepFor(ms),
    signal,
  }: { waitMs?: number; sleep?: (ms: number) => Promise<unknown>; signal?: AbortSignal } = {},
): Promise<WebhookAttempt | undefined> {
  for (let waitedMs = 0; ; waitedMs += LOOK_MS) {
    const first = (await messageAttempts(db, of)).find(({ number }) => number === 1);
    if (first !== undefined && first.outcome !== "under way") return first;
    if (waitedMs >= waitMs || signal?.aborted === true) return undefined;
    await sleep(LOOK_MS);
  }
}
