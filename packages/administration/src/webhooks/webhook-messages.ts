import { id, integer, oneOf } from "@belfry/contracts/fields";
import { UUID } from "@belfry/contracts/identifiers";
import {
  ATTEMPTS_QUERY,
  MESSAGE_STATUSES,
  MESSAGES_DEFAULT_LIMIT,
  MESSAGES_MAX_LIMIT,
  MESSAGES_QUERY,
  next,
  WEBHOOK_ATTEMPTS_PATH,
  WEBHOOK_MESSAGE_PATH,
  WEBHOOK_MESSAGES_PATH,
  WebhookAttempt,
  WebhookMessage,
} from "@belfry/contracts/webhook-endpoints";
import { answeredWith, WEBHOOK_EXAMPLES } from "@belfry/contracts/webhook-payload";
import type { Database } from "@belfry/database/connection";
import { Type } from "@sinclair/typebox";
import { defineRead, optional } from "../act.ts";
import { type InvalidInput, invalid, NotFound } from "../input-error.ts";
import {
  type AttemptPlace,
  attemptsOfMessage,
  attemptsOfWebhook,
  messageById,
  messagesOfWebhook,
  type WebhookPlace,
} from "./message-rows.ts";
import { ofWebhook, READ_ENDPOINTS, readWebhook, WEBHOOK } from "./webhooks.ts";

/** The ids by which a message is found: its tenant, endpoint and message. */
export type MessagePlace = WebhookPlace & { messageId: string };

export const MESSAGE: WebhookMessage = {
  id: "0198c0de-0000-7000-8000-00000000a001",
  headerId: "0198c0de-0000-7000-8000-00000000a001",
  type: "delivery.bounced",
  eventId: "0198c0de-0000-7000-8000-000000000001",
  status: "waiting",
  reason: answeredWith(503),
  createdAt: "2026-11-20T09:30:01.000Z",
  nextAt: "2026-11-20T09:30:07.000Z",
};
export const PAYLOAD = JSON.stringify(WEBHOOK_EXAMPLES[MESSAGE.type]);
export const ATTEMPT: WebhookAttempt = {
  messageId: MESSAGE.id,
  headerId: MESSAGE.id,
  type: MESSAGE.type,
  eventId: MESSAGE.eventId,
  number: 1,
  at: "2026-11-20T09:30:01.100Z",
  durationMs: 84,
  status: 503,
  outcome: "failed",
  reason: answeredWith(503),
  answer: "<h1>Service Unavailable</h1>",
  nextAt: MESSAGE.nextAt,
  messageStatus: MESSAGE.status,
};

const pages = {
  ...ofWebhook,
  status: optional(oneOf(MESSAGE_STATUSES), `of messages that are ${MESSAGE_STATUSES.join(", ")}`),
  limit: optional(
    integer({ minimum: 1, maximum: MESSAGES_MAX_LIMIT }),
    `at most so many; default: ${MESSAGES_DEFAULT_LIMIT}`,
  ),
};
const messageId = id({ description: "The message's id", examples: [MESSAGE.id] });

export const webhookMessages = defineRead({
  name: "webhook messages",
  http: `GET ${WEBHOOK_MESSAGES_PATH}`,
  access: READ_ENDPOINTS,
  summary: "List messages",
  description:
    "Returns an endpoint's messages, including those that have not been tried. They are kept as long as your events.",
  input: Type.Object({ ...pages, after: MESSAGES_QUERY.after }),
  output: Type.Object({ messages: Type.Array(WebhookMessage), next }),
  example: { input: { webhookId: WEBHOOK.id }, output: { messages: [MESSAGE] } },
  async run({ db, tenantId }, { webhookId, status, after, limit = MESSAGES_DEFAULT_LIMIT }) {
    if (after !== undefined && !UUID.test(after)) throw noPlace();
    await readWebhook(db, tenantId, webhookId);
    const query = { tenantId, webhookId, status, before: after, limit };
    const page = await messagesOfWebhook(db, query);
    return { messages: page.rows, ...(page.next === undefined ? {} : { next: page.next }) };
  },
});

export const webhookMessage = defineRead({
  name: "webhook message",
  http: `GET ${WEBHOOK_MESSAGE_PATH}`,
  access: READ_ENDPOINTS,
  summary: "Show a message",
  description: "Returns the posted body and all attempts.",
  input: Type.Object({ ...ofWebhook, messageId }),
  output: Type.Object({
    message: WebhookMessage,
    payload: Type.String({ description: "The JSON that is posted" }),
    attempts: Type.Array(WebhookAttempt),
  }),
  example: {
    input: { webhookId: WEBHOOK.id, messageId: MESSAGE.id },
    output: { message: MESSAGE, payload: PAYLOAD, attempts: [ATTEMPT] },
  },
  async run({ db, tenantId }, given) {
    const of = { ...given, tenantId };
    const { payload, ...message } = await readMessage(db, of);
    return { message, payload, attempts: await messageAttempts(db, of) };
  },
});

export const webhookAttempts = defineRead({
  name: "webhook attempts",
  http: `GET ${WEBHOOK_ATTEMPTS_PATH}`,
  access: READ_ENDPOINTS,
  tool: true,
  summary: "List attempts",
  description: "Returns all calls of an endpoint with their answers.",
  input: Type.Object({
    ...pages,
    after: ATTEMPTS_QUERY.after,
    messageId: optional(id({}), "of one message and its copies only: at most 100"),
  }),
  output: Type.Object({ attempts: Type.Array(WebhookAttempt), next }),
  example: { input: { webhookId: WEBHOOK.id }, output: { attempts: [ATTEMPT] } },
  async run({ db, tenantId }, { webhookId, status, after, messageId, ...given }) {
    if (messageId !== undefined) {
      return { attempts: await messageAttempts(db, { tenantId, webhookId, messageId }) };
    }
    const before = after === undefined ? undefined : placeOf(after);
    if (after !== undefined && before === undefined) throw noPlace();
    await readWebhook(db, tenantId, webhookId);
    const { limit = MESSAGES_DEFAULT_LIMIT } = given;
    const page = await attemptsOfWebhook(db, { tenantId, webhookId, status, before, limit });
    if (page.next === undefined) return { attempts: page.rows };
    return { attempts: page.rows, next: `${page.next.messageId}_${page.next.number}` };
  },
});

/** Returns a message with the JSON that is posted. Throws `NotFound`. */
export async function readMessage(db: Database, of: MessagePlace) {
  await readWebhook(db, of.tenantId, of.webhookId);
  const found = UUID.test(of.messageId) ? await messageById(db, of, of.messageId) : undefined;
  if (found !== undefined) return found;
  throw new NotFound("messageId", `the webhook has no message ${JSON.stringify(of.messageId)}`);
}

/** Returns the attempts of one message and its copies, newest first, at most 100. Throws `NotFound`. */
export async function messageAttempts(db: Database, of: MessagePlace): Promise<WebhookAttempt[]> {
  const { headerId } = await readMessage(db, of);
  return await attemptsOfMessage(db, of, headerId);
}

function noPlace(): InvalidInput {
  return invalid("after", "must be the next of a page before");
}

const PLACE = /^([0-9a-f-]{36})_(\d{1,6})$/;

function placeOf(text: string): AttemptPlace | undefined {
  const [, messageId = "", number = ""] = PLACE.exec(text) ?? [];
  return UUID.test(messageId) ? { messageId, number: Number(number) } : undefined;
}
