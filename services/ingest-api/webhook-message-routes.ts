import { replayWebhook } from "@belfry/administration/webhooks/replay-webhook";
import { resendWebhookMessage } from "@belfry/administration/webhooks/resend-webhook-message";
import { testWebhook } from "@belfry/administration/webhooks/test-webhook";
import { messageAttempts, webhookAttempts } from "@belfry/administration/webhooks/webhook-attempts";
import {
  showWebhookMessage,
  webhookMessages,
} from "@belfry/administration/webhooks/webhook-messages";
import { webhookNote, webhookReplayed } from "@belfry/administration/webhooks/webhook-notes";
import { id } from "@belfry/contracts/fields";
import {
  ATTEMPTS_QUERY,
  MESSAGES_QUERY,
  ReplayRequest,
  WEBHOOK_ATTEMPTS_PATH,
  WEBHOOK_MESSAGE_PATH,
  WEBHOOK_MESSAGES_PATH,
  WEBHOOK_REPLAY_PATH,
  WEBHOOK_RESEND_PATH,
  WEBHOOK_TEST_PATH,
  WebhookAttemptsResponse,
  WebhookMessageResponse,
  WebhookMessagesResponse,
  WebhookReplayResponse,
  WebhookSentResponse,
} from "@belfry/contracts/webhook-endpoints";
import { answers, KEYED, WITH_BODY } from "@belfry/http-api/answers";
import { asProblem } from "@belfry/http-api/as-problem";
import { readBody } from "@belfry/http-api/read-body";
import { requireSignature } from "@belfry/http-api/signature";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { Type } from "@sinclair/typebox";
import type { FastifyInstance } from "fastify";
import {
  auditedCall,
  LOOK,
  OF_WEBHOOK,
  SIGNED,
  SIGNED_ANSWER,
  type WebhookRouteDeps,
  WITHOUT_BODY,
} from "./webhook-endpoint-routes.ts";
import { ATTEMPT, MESSAGE, MESSAGE_ID, PAYLOAD } from "./webhook-examples.ts";

const OF_MESSAGE = {
  ...OF_WEBHOOK,
  messageId: id({ description: "The message's id", examples: [MESSAGE_ID] }),
};
const DISABLED = { conflict: { message: "the endpoint is disabled: turn it on first" } };
const BAD_LIMIT = { validation: { message: ["limit must be an integer from 1 to 500"] } };

const attemptsSchema = {
  ...LOOK,
  operationId: "listWebhookAttempts",
  summary: "List attempts",
  description: "The log of an endpoint: every call, with what it was answered.",
  params: Type.Object(OF_WEBHOOK),
  querystring: Type.Object(ATTEMPTS_QUERY),
  response: answers(
    {
      description: "A page of them",
      schema: WebhookAttemptsResponse,
      example: { success: true, data: [ATTEMPT] },
    },
    { ...KEYED, notFound: {}, ...BAD_LIMIT },
  ),
};

const messagesSchema = {
  ...LOOK,
  operationId: "listWebhookMessages",
  summary: "List messages",
  description:
    "What an endpoint was told or is to be told, those that were never tried included. Kept as long as your events.",
  params: Type.Object(OF_WEBHOOK),
  querystring: Type.Object(MESSAGES_QUERY),
  response: answers(
    {
      description: "A page of them",
      schema: WebhookMessagesResponse,
      example: { success: true, data: [MESSAGE] },
    },
    { ...KEYED, notFound: {}, ...BAD_LIMIT },
  ),
};

const messageSchema = {
  ...LOOK,
  operationId: "showWebhookMessage",
  summary: "Show a message",
  description: "With what is posted, and every attempt.",
  params: Type.Object(OF_MESSAGE),
  response: answers(
    {
      description: "The message",
      schema: WebhookMessageResponse,
      example: { success: true, data: MESSAGE, payload: PAYLOAD, attempts: [ATTEMPT] },
    },
    { ...KEYED, notFound: {} },
  ),
};

/** Of a call that sends one message. */
const SENT_ONCE = {
  ...SIGNED,
  response: answers(
    {
      description: "It is on its way",
      schema: WebhookSentResponse,
      example: { success: true, messageId: MESSAGE_ID },
    },
    { ...KEYED, ...WITHOUT_BODY, notFound: {}, ...DISABLED },
    SIGNED_ANSWER,
  ),
};

const testSchema = {
  ...SENT_ONCE,
  operationId: "testWebhook",
  summary: "Send a test message",
  description:
    "Of type webhook.test, whatever types the endpoint has chosen; a paused endpoint is called at once. Without a body: where a signature is needed, it is over the empty text.",
  params: Type.Object(OF_WEBHOOK),
};

const resendSchema = {
  ...SENT_ONCE,
  operationId: "resendWebhookMessage",
  summary: "Send a message again",
  description:
    "Whatever became of it, with the same webhook-id; a paused endpoint is called at once. 409 where one with this webhook-id is still under way. Without a body: where a signature is needed, it is over the empty text.",
  params: Type.Object(OF_MESSAGE),
};

const replaySchema = {
  ...SIGNED,
  operationId: "replayWebhook",
  summary: "Send a window again",
  description:
    "All messages of a window that did not arrive, the oldest first, each with its webhook-id; none that is under way, and at most 10,000 a call. What was never written, as the endpoint was not active then, cannot be sent.",
  params: Type.Object(OF_WEBHOOK),
  body: ReplayRequest,
  "x-examples": {
    since: { value: { since: "2026-11-20T09:30:00Z" } },
    window: {
      value: { since: "2026-11-20T09:30:00Z", until: "2026-11-20T12:00:00Z", all: true },
    },
  },
  response: answers(
    {
      description: "They are on their way",
      schema: WebhookReplayResponse,
      example: { success: true, replayed: 318, more: false },
    },
    {
      ...{ ...KEYED, ...WITH_BODY, notFound: {}, ...DISABLED },
      validation: { message: ["until must be later than since"] },
    },
    SIGNED_ANSWER,
  ),
};

/** What endpoints were told: messages and attempts; a test, one again, a window again. */
export function webhookMessageRoutes(app: FastifyInstance, deps: WebhookRouteDeps): void {
  const { authentication, db } = deps;
  const onRequest = authentication.other;
  const signedEmpty = { onRequest, preValidation: requireSignature };
  const routes = app.withTypeProvider<TypeBoxTypeProvider>();
  routes.get(WEBHOOK_ATTEMPTS_PATH, { schema: attemptsSchema, onRequest }, async (request) => {
    const { limit, ...query } = request.query;
    const of = { tenantId: request.tenant.id, ...request.params, ...query, ...numbered(limit) };
    const { attempts, next } = await asProblem(() => webhookAttempts(db, of));
    return { success: true, data: attempts, ...(next === undefined ? {} : { next }) };
  });

  routes.get(WEBHOOK_MESSAGES_PATH, { schema: messagesSchema, onRequest }, async (request) => {
    const { limit, ...query } = request.query;
    const of = { tenantId: request.tenant.id, ...request.params, ...query, ...numbered(limit) };
    const { messages, next } = await asProblem(() => webhookMessages(db, of));
    return { success: true, data: messages, ...(next === undefined ? {} : { next }) };
  });

  routes.get(WEBHOOK_MESSAGE_PATH, { schema: messageSchema, onRequest }, async (request) => {
    const of = { tenantId: request.tenant.id, ...request.params };
    return await asProblem(async () => {
      const { payload, ...data } = await showWebhookMessage(db, of);
      return { success: true, data, payload, attempts: await messageAttempts(db, of) };
    });
  });

  routes.post(WEBHOOK_TEST_PATH, { schema: testSchema, ...signedEmpty }, async (request) => {
    const of = { tenantId: request.tenant.id, ...request.params };
    const { messageId } = await auditedCall(
      request,
      db,
      (transaction) => testWebhook(transaction, of),
      ({ url, ...after }) => webhookNote("test", of.tenantId, url, { after }),
    );
    return { success: true, messageId };
  });

  routes.post(WEBHOOK_RESEND_PATH, { schema: resendSchema, ...signedEmpty }, async (request) => {
    const of = { tenantId: request.tenant.id, ...request.params };
    const { messageId } = await auditedCall(
      request,
      db,
      (transaction) => resendWebhookMessage(transaction, of),
      ({ url, ...after }) => webhookNote("resend", of.tenantId, url, { after }),
    );
    return { success: true, messageId };
  });

  routes.post(
    WEBHOOK_REPLAY_PATH,
    { schema: replaySchema, onRequest, preValidation: [requireSignature, readBody] },
    async (request) => {
      const { since, until, all, after } = request.body;
      const input = {
        ...{ tenantId: request.tenant.id, ...request.params },
        ...{ since, until, all, after },
      };
      const { url: _, ...replayed } = await auditedCall(
        request,
        db,
        (transaction) => replayWebhook(transaction, input),
        (done) => webhookReplayed(input, done),
      );
      return { success: true, ...replayed };
    },
  );
}

function numbered(limit: string | undefined): { limit?: number } {
  return limit === undefined ? {} : { limit: Number(limit) };
}
