import { setTimeout as sleepFor } from "node:timers/promises";
import { id } from "@belfry/contracts/fields";
import { UUID } from "@belfry/contracts/identifiers";
import { momentOf } from "@belfry/contracts/scheduled";
import {
  REPLAYED,
  ReplayRequest,
  WEBHOOK_REPLAY_PATH,
  WEBHOOK_RESEND_PATH,
  WEBHOOK_TEST_PATH,
  type Webhook,
  type WebhookAttempt,
} from "@belfry/contracts/webhook-endpoints";
import { TEST_TYPE } from "@belfry/contracts/webhook-payload";
import type { Database } from "@belfry/database/connection";
import { type Static, Type } from "@sinclair/typebox";
import { sql } from "kysely";
import { defineAct } from "../act.ts";
import { faultAt, refuseFaults, TooLate } from "../input-error.ts";
import { idAt } from "../pages.ts";
import {
  copyMessages,
  deliveryOf,
  holdMessages,
  isUnderWay,
  type WebhookPlace,
} from "./message-rows.ts";
import { MESSAGE, type MessagePlace, messageAttempts, readMessage } from "./webhook-messages.ts";
import { endPause } from "./webhook-rows.ts";
import { CHANGE_ENDPOINTS, ofWebhook, readWebhook, WEBHOOK, webhookNote } from "./webhooks.ts";

const Sent = Type.Object({
  messageId: Type.String({ format: "uuid", description: "Id of the message that is sent" }),
  url: Type.String(),
});

export const testWebhook = defineAct({
  name: "webhook test",
  http: `POST ${WEBHOOK_TEST_PATH}`,
  access: CHANGE_ENDPOINTS,
  summary: "Send a test message",
  description:
    "Sends a message of type webhook.test, whichever types the endpoint gets. A paused endpoint is called at once.",
  input: Type.Object(ofWebhook),
  output: Sent,
  example: {
    input: { webhookId: WEBHOOK.id },
    output: { messageId: MESSAGE.id, url: WEBHOOK.url },
  },
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
  summary: "Send a message again",
  description:
    "Sends the message again with the same webhook-id, whatever its result was. A paused endpoint is called at once. The answer is 409 while a message with this webhook-id is being sent.",
  input: Type.Object({
    ...ofWebhook,
    messageId: id({ description: "The message's id", examples: [MESSAGE.id] }),
  }),
  output: Type.Object({
    ...Sent.properties,
    headerId: Type.String({ format: "uuid", description: "The header webhook-id: of the first" }),
  }),
  example: {
    input: { webhookId: WEBHOOK.id, messageId: MESSAGE.id },
    output: {
      messageId: "0198c0de-0000-7000-8000-00000000a002",
      headerId: MESSAGE.id,
      url: WEBHOOK.url,
    },
  },
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

/** Returns an endpoint that messages can be sent to. Throws `NotFound`, or `TooLate` if it is disabled. */
async function openWebhook(db: Database, { tenantId, webhookId }: WebhookPlace): Promise<Webhook> {
  const webhook = await readWebhook(db, tenantId, webhookId);
  if (!webhook.active) throw new TooLate("the endpoint is disabled: turn it on first");
  return webhook;
}

function replayUnderWay(): TooLate {
  return new TooLate("a replay is under way: ask again when it has been answered");
}

const FIRST_TRY_WAIT_MS = 20_000;
const LOOK_MS = 200;

/**
 * Returns a message's first attempt when it has ended, or undefined if it has not ended within `waitMs` (default 20 s).
 * Polls every 200 ms; `waitMs` counts the pauses only, and `sleep` makes them. Holds no database connection in a pause.
 * Throws `NotFound`.
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

export const MAX_REPLAYED = 10_000;
/** The number of messages that one statement reads at most. A call runs at most `MOST_BATCHES` such statements. */
const BATCH_LOOKED_AT = 1_000;
const MOST_BATCHES = 100;

const Replayed = Type.Object({ url: Type.String(), ...REPLAYED });
export type Replayed = Static<typeof Replayed>;

export const replayWebhook = defineAct({
  name: "webhook replay",
  http: `POST ${WEBHOOK_REPLAY_PATH}`,
  access: CHANGE_ENDPOINTS,
  summary: "Send a window again",
  description:
    "Sends all messages of a time range that did not arrive, the oldest first, each with its webhook-id. It leaves out messages that are being sent, and sends at most 10,000 per call. A paused endpoint is called at once. Events from a time when the endpoint was not active have no messages, so they cannot be sent.",
  input: Type.Object({ ...ofWebhook, ...ReplayRequest.properties }),
  output: Replayed,
  example: {
    input: { webhookId: WEBHOOK.id, since: "2026-11-20T09:30:00Z" },
    output: { url: WEBHOOK.url, replayed: 318, more: false },
  },
  async run({ db, tenantId }, { webhookId, all = false, ...given }) {
    const window = checkedWindow(given);
    const { url } = await openWebhook(db, { tenantId, webhookId });
    const place = { tenantId, webhookId };
    if (!(await holdMessages(db, tenantId, "replay"))) throw replayUnderWay();
    const output: Replayed = { url, replayed: 0, more: false };
    let { after } = given;
    for (let batch = 1; ; batch += 1) {
      const looked = await someOfWindow(db, place, { ...window, after, all });
      const wanted = looked.filter(({ again }) => again);
      const chosen = wanted.slice(0, MAX_REPLAYED - output.replayed);
      const ids = chosen.map(({ id }) => id);
      output.replayed += (await copyMessages(db, place, ids)).length;
      const isLast = looked.length < BATCH_LOOKED_AT;
      if (chosen.length === wanted.length && isLast) break;
      // The next batch begins after the last copied message, or after the last one read if all wanted ones were copied.
      after = chosen.length < wanted.length ? (ids.at(-1) ?? after) : looked.at(-1)?.id;
      if (output.replayed >= MAX_REPLAYED || batch === MOST_BATCHES) {
        output.more = true;
        if (after !== undefined) output.next = after;
        break;
      }
    }
    if (output.replayed > 0) await endPause(db, { tenantId, id: webhookId });
    return { output };
  },
  audit: ({ since, until = "now", all = false }, { output: { url, replayed, more } }) =>
    webhookNote("replay", url, { after: { since, until, all, replayed, more } }),
});

interface Window {
  since: Date;
  until: Date | null;
}

/**
 * Returns the next original messages of a window, oldest first and without copies, and whether each must be sent again.
 * Uses the index, because an id contains the time at which its message was written, to within a second.
 */
async function someOfWindow(
  db: Database,
  { tenantId, webhookId }: WebhookPlace,
  { since, until, after, all }: Window & { after: string | undefined; all: boolean },
): Promise<{ id: string; again: boolean }[]> {
  const { rows } = await sql<{ id: string; again: boolean }>`
    select o.id, coalesce(s.again, false) as again
    from (
      select m.id from webhook_messages m
      where m.webhook_id = ${webhookId} and m.tenant_id = ${tenantId} and m.resend_of is null
        and m.id >= ${idAt(new Date(since.getTime() - 1000))}::uuid ${until === null ? sql`` : sql`and m.id < ${idAt(new Date(until.getTime() + 1000))}::uuid`}
        ${after === undefined ? sql`` : sql`and m.id > ${after}::uuid`}
        and m.created_at >= ${since} and m.created_at < coalesce(${until}::timestamptz, clock_timestamp())
      order by m.id limit ${BATCH_LOOKED_AT}
    ) o
    cross join lateral (
      select not bool_or(d.status in ('queued', 'sending', 'waiting'))
        and (${all}::boolean or not bool_or(d.status = 'accepted')) as again
      from (
        select o.id union all select c.id from webhook_messages c where c.resend_of = o.id
      ) m
      ${deliveryOf(tenantId)}
    ) s
    order by o.id`.execute(db);
  return rows;
}

function checkedWindow({ since, until, after }: ReplayRequest): Window {
  const from = momentOf(since) ?? new Date(0);
  const to = until === undefined ? undefined : momentOf(until);
  const isPlace = after === undefined || UUID.test(after);
  refuseFaults([
    faultAt("until", to !== undefined && to <= from ? "must be later than since" : undefined),
    faultAt("after", isPlace ? undefined : "must be the next of a call before"),
  ]);
  return { since: from, until: to ?? null };
}
