import { setTimeout as sleepFor } from "node:timers/promises";
import { id } from "@belfry/contracts/fields";
import {
  WEBHOOK_RESEND_PATH,
  WEBHOOK_TEST_PATH,
  type Webhook,
  type WebhookAttempt,
} from "@belfry/contracts/webhook-endpoints";
import { TEST_TYPE } from "@belfry/contracts/webhooks";
import type { Database } from "@belfry/database/connection";
import { Type } from "@sinclair/typebox";
import { sql } from "kysely";
import { defineAct } from "../act.ts";
import { TooLate } from "../input-error.ts";
import { copyMessages, holdMessages, isUnderWay, type WebhookPlace } from "./message-rows.ts";
import { MESSAGE, type MessagePlace, messageAttempts, readMessage } from "./webhook-messages.ts";
import { endPause } from "./webhook-rows.ts";
import {
  CHANGE_ENDPOINTS,
  OF_WEBHOOK_FLAGS,
  ofWebhook,
  readWebhook,
  WEBHOOK,
  webhookNote,
} from "./webhooks.ts";

const Sent = Type.Object({
  messageId: Type.String({ format: "uuid", description: "Of the message that is sent" }),
  url: Type.String(),
});

export const testWebhook = defineAct({
  name: "webhook test",
  http: `POST ${WEBHOOK_TEST_PATH}`,
  access: CHANGE_ENDPOINTS,
  effect: "change",
  summary: "Send a test message",
  description:
    "Of type webhook.test, whatever types the endpoint has chosen; a paused endpoint is called at once.",
  input: Type.Object(ofWebhook),
  output: Sent,
  examples: [
    { input: { webhookId: WEBHOOK.id }, output: { messageId: MESSAGE.id, url: WEBHOOK.url } },
  ],
  flags: OF_WEBHOOK_FLAGS,
  async run({ db, tenantId }, of) {
    const { id: webhookId, url } = await openWebhook(db, { ...of, tenantId });
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
      returning id`.execute(db);
    await endPause(db, { tenantId, id: webhookId });
    return { output: { messageId: rows[0]!.id, url } };
  },
  audit: (_, { output: { url, messageId } }) => webhookNote("test", url, { after: { messageId } }),
});

export const resendWebhookMessage = defineAct({
  name: "webhook resend",
  http: `POST ${WEBHOOK_RESEND_PATH}`,
  access: CHANGE_ENDPOINTS,
  effect: "change",
  summary: "Send a message again",
  description:
    "Whatever became of it, with the same webhook-id; a paused endpoint is called at once. 409 where one with this webhook-id is still under way.",
  input: Type.Object({
    ...ofWebhook,
    messageId: id({ description: "The message's id", examples: [MESSAGE.id] }),
  }),
  output: Type.Object({
    ...Sent.properties,
    headerId: Type.String({ format: "uuid", description: "The header webhook-id: of the first" }),
  }),
  examples: [
    {
      input: { webhookId: WEBHOOK.id, messageId: MESSAGE.id },
      output: {
        messageId: "0198c0de-0000-7000-8000-00000000a002",
        headerId: MESSAGE.id,
        url: WEBHOOK.url,
      },
    },
  ],
  flags: { ...OF_WEBHOOK_FLAGS, messageId: "--message <id>" },
  async run({ db, tenantId }, given) {
    const of = { ...given, tenantId };
    const { id: webhookId, url } = await openWebhook(db, of);
    const place = { tenantId, webhookId };
    if (!(await holdMessages(db, tenantId, "resend"))) throw replayUnderWay();
    const { id, headerId } = await readMessage(db, of);
    if (await isUnderWay(db, place, headerId)) {
      throw new TooLate("the message is still under way: it is tried again by itself");
    }
    const [messageId = ""] = await copyMessages(db, place, [id]);
    await endPause(db, { tenantId, id: webhookId });
    return { output: { messageId, headerId, url } };
  },
  audit: (_, { output: { url, ...after } }) => webhookNote("resend", url, { after }),
});

/** An endpoint that can be sent to. Throws `NotFound`, `TooLate`. */
export async function openWebhook(
  db: Database,
  { tenantId, webhookId }: WebhookPlace,
): Promise<Webhook> {
  const webhook = await readWebhook(db, tenantId, webhookId);
  if (!webhook.active) throw new TooLate("the endpoint is disabled: turn it on first");
  return webhook;
}

export function replayUnderWay(): TooLate {
  return new TooLate("a replay is under way: ask again when it has been answered");
}

export const FIRST_TRY_WAIT_MS = 20_000;
const LOOK_MS = 200;

/**
 * How the first try of a message went, as soon as it is known; undefined where it is not within `waitMs` (20 s),
 * counted in the looks of 200 ms that `sleep` is asked for. Holds no connection while it waits. Throws `NotFound`.
 */
export async function firstTryOf(
  db: Database,
  of: MessagePlace,
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
