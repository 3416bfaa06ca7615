import type { Act } from "@belfry/administration/act";
import { replayWebhook } from "@belfry/administration/webhooks/replay-webhook";
import {
  resendWebhookMessage,
  testWebhook,
} from "@belfry/administration/webhooks/send-webhook-message";
import {
  ATTEMPT,
  MESSAGE,
  PAYLOAD,
  webhookAttempts,
  webhookMessage,
  webhookMessages,
} from "@belfry/administration/webhooks/webhook-messages";
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
import { readBody } from "@belfry/http-api/read-body";
import { requireSignature } from "@belfry/http-api/signature";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { Type } from "@sinclair/typebox";
import type { FastifyInstance } from "fastify";
import { createRunFor } from "./run-for.ts";
import {
  look,
  SIGNED_ANSWER,
  signed,
  signedEmpty,
  type WebhookRouteDeps,
  WITHOUT_BODY,
} from "./webhook-endpoint-routes.ts";

const DISABLED = { conflict: { message: "the endpoint is disabled: turn it on first" } };
const BAD_LIMIT = { validation: { message: ["limit must be an integer from 1 to 500"] } };

const attemptsSchema = {
  ...look(webhookAttempts),
  operationId: "listWebhookAttempts",
  params: testWebhook.input,
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
  ...look(webhookMessages),
  operationId: "listWebhookMessages",
  params: testWebhook.input,
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
  ...look(webhookMessage),
  operationId: "showWebhookMessage",
  params: webhookMessage.input,
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
const sentOnce = (act: Act) => ({
  ...signedEmpty(act),
  response: answers(
    {
      description: "It is on its way",
      schema: WebhookSentResponse,
      example: { success: true, messageId: MESSAGE.id },
    },
    { ...KEYED, ...WITHOUT_BODY, notFound: {}, ...DISABLED },
    SIGNED_ANSWER,
  ),
});

const testSchema = {
  ...sentOnce(testWebhook),
  operationId: "testWebhook",
  params: testWebhook.input,
};

const resendSchema = {
  ...sentOnce(resendWebhookMessage),
  operationId: "resendWebhookMessage",
  params: resendWebhookMessage.input,
};

const replaySchema = {
  ...signed(replayWebhook),
  operationId: "replayWebhook",
  params: testWebhook.input,
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
  const runFor = createRunFor(deps);
  const onRequest = deps.authentication.other;
  const withoutBody = { onRequest, preValidation: requireSignature };
  const withBody = { onRequest, preValidation: [requireSignature, readBody] };
  const routes = app.withTypeProvider<TypeBoxTypeProvider>();
  routes.get(WEBHOOK_ATTEMPTS_PATH, { schema: attemptsSchema, onRequest }, async (request) => {
    const input = { ...pageOf(request.query), ...request.params };
    const { attempts, ...next } = await runFor(request, webhookAttempts, input);
    return { success: true, data: attempts, ...next };
  });

  routes.get(WEBHOOK_MESSAGES_PATH, { schema: messagesSchema, onRequest }, async (request) => {
    const input = { ...pageOf(request.query), ...request.params };
    const { messages, ...next } = await runFor(request, webhookMessages, input);
    return { success: true, data: messages, ...next };
  });

  routes.get(WEBHOOK_MESSAGE_PATH, { schema: messageSchema, onRequest }, async (request) => {
    const { message, ...rest } = await runFor(request, webhookMessage, request.params);
    return { success: true, data: message, ...rest };
  });

  routes.post(WEBHOOK_TEST_PATH, { schema: testSchema, ...withoutBody }, async (request) => {
    const { messageId } = await runFor(request, testWebhook, request.params);
    return { success: true, messageId };
  });

  routes.post(WEBHOOK_RESEND_PATH, { schema: resendSchema, ...withoutBody }, async (request) => {
    const { messageId } = await runFor(request, resendWebhookMessage, request.params);
    return { success: true, messageId };
  });

  routes.post(WEBHOOK_REPLAY_PATH, { schema: replaySchema, ...withBody }, async (request) => {
    const input = { ...request.body, ...request.params };
    const { url: _, ...replayed } = await runFor(request, replayWebhook, input);
    return { success: true, ...replayed };
  });
}

/** A query as an act's input. */
function pageOf<S>({ status, limit, after }: { status?: S; limit?: string; after?: string }) {
  return { status, limit: limit === undefined ? undefined : Number(limit), after };
}
