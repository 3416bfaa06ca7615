import {
  replayWebhook,
  resendWebhookMessage,
  testWebhook,
} from "@belfry/administration/webhooks/send-webhook-message";
import {
  webhookAttempts,
  webhookMessage,
  webhookMessages,
} from "@belfry/administration/webhooks/webhook-messages";
import {
  changeWebhook,
  deleteWebhook,
  listWebhooks,
  putWebhook,
  rotateSigningSecret,
  showWebhook,
  WEBHOOK,
} from "@belfry/administration/webhooks/webhooks";
import {
  ATTEMPTS_QUERY,
  MESSAGES_QUERY,
  ReplayRequest,
  WebhookAttemptsResponse,
  WebhookChangeRequest,
  WebhookDeletedResponse,
  WebhookMessageResponse,
  WebhookMessagesResponse,
  WebhookPutResponse,
  WebhookReplayResponse,
  WebhookRequest,
  WebhookResponse,
  WebhookSecretResponse,
  WebhookSentResponse,
  WebhooksResponse,
} from "@belfry/contracts/webhook-endpoints";
import {
  DIGEST_EXAMPLE,
  WEBHOOK_EXAMPLES,
  WEBHOOK_MEANINGS,
  WEBHOOK_MESSAGE_TYPES,
  WEBHOOK_PAYLOADS,
} from "@belfry/contracts/webhook-payload";
import { Type } from "@sinclair/typebox";
import type { AddActRoute } from "./act-route.ts";

const NOT_FOUND = { notFound: {} };
const BAD_URL = { validation: { message: ["url must begin with https://"] } };
const BAD_LIMIT = { validation: { message: ["limit must be an integer from 1 to 500"] } };
const DISABLED = { conflict: { message: "the endpoint is disabled: turn it on first" } };

/** Registers the routes of endpoints, to which Belfry posts the results of a tenant's events. */
export function webhookRoutes(add: AddActRoute): void {
  add(listWebhooks, {
    operationId: "listWebhooks",
    answer: { description: "All endpoints of the tenant", schema: WebhooksResponse },
  });

  add(putWebhook, {
    operationId: "putWebhook",
    body: WebhookRequest,
    examples: {
      all: { value: { url: WEBHOOK.url } },
      some: {
        value: { url: WEBHOOK.url, types: WEBHOOK.types, description: WEBHOOK.description },
      },
    },
    answer: { description: "The endpoint", schema: WebhookPutResponse },
    problems: BAD_URL,
    answerOf: ({ secret, ...data }) => ({
      success: true,
      data,
      ...(secret !== undefined && { secret }),
    }),
  });

  add(showWebhook, {
    operationId: "showWebhook",
    answer: { description: "The endpoint", schema: WebhookResponse },
    problems: NOT_FOUND,
  });

  add(changeWebhook, {
    operationId: "changeWebhook",
    body: WebhookChangeRequest,
    examples: { off: { value: { active: false } }, all: { value: { types: [] } } },
    answer: { description: "The endpoint as it is now", schema: WebhookResponse },
    problems: { ...NOT_FOUND, ...BAD_URL },
  });

  add(deleteWebhook, {
    operationId: "deleteWebhook",
    answer: { description: "The endpoint was deleted", schema: WebhookDeletedResponse },
    problems: NOT_FOUND,
    answerOf: () => ({ success: true }),
  });

  add(rotateSigningSecret, {
    operationId: "rotateWebhookSecret",
    answer: { description: "The new secret", schema: WebhookSecretResponse },
    problems: NOT_FOUND,
    answerOf: ({ secret, previousSecretUntil }) => ({ success: true, secret, previousSecretUntil }),
  });
}

/** Registers the routes of webhook messages and attempts: lists, a test, resending a message, replaying a window. */
export function webhookMessageRoutes(add: AddActRoute): void {
  add(webhookAttempts, {
    operationId: "listWebhookAttempts",
    querystring: Type.Object(ATTEMPTS_QUERY),
    answer: { description: "A page of attempts", schema: WebhookAttemptsResponse },
    problems: { ...NOT_FOUND, ...BAD_LIMIT },
    answerOf: ({ attempts, ...next }) => ({ success: true, data: attempts, ...next }),
  });

  add(webhookMessages, {
    operationId: "listWebhookMessages",
    querystring: Type.Object(MESSAGES_QUERY),
    answer: { description: "A page of messages", schema: WebhookMessagesResponse },
    problems: { ...NOT_FOUND, ...BAD_LIMIT },
    answerOf: ({ messages, ...next }) => ({ success: true, data: messages, ...next }),
  });

  add(webhookMessage, {
    operationId: "showWebhookMessage",
    answer: { description: "The message", schema: WebhookMessageResponse },
    problems: NOT_FOUND,
    answerOf: ({ message, ...rest }) => ({ success: true, data: message, ...rest }),
  });

  const sent = {
    answer: { description: "The message is queued", schema: WebhookSentResponse },
    problems: { ...NOT_FOUND, ...DISABLED },
    answerOf: ({ messageId }: { messageId: string }) => ({ success: true, messageId }),
  };
  add(testWebhook, { ...sent, operationId: "testWebhook" });
  add(resendWebhookMessage, { ...sent, operationId: "resendWebhookMessage" });

  add(replayWebhook, {
    operationId: "replayWebhook",
    body: ReplayRequest,
    examples: {
      since: { value: { since: "2026-11-20T09:30:00Z" } },
      window: {
        value: { since: "2026-11-20T09:30:00Z", until: "2026-11-20T12:00:00Z", all: true },
      },
    },
    answer: { description: "The messages are queued", schema: WebhookReplayResponse },
    problems: {
      ...NOT_FOUND,
      ...DISABLED,
      validation: { message: ["until must be later than since"] },
    },
    answerOf: ({ url: _, ...replayed }) => ({ success: true, ...replayed }),
  });
}

/** The headers of every message, as Standard Webhooks defines them. */
const MESSAGE_HEADERS = {
  "webhook-id": {
    description: "The message; the same in every try, and when it is sent again by hand",
    example: "0198c0de-0000-7000-8000-00000000a001",
  },
  "webhook-timestamp": {
    description: "When this try began, in seconds since 1970",
    example: "1795167000",
  },
  "webhook-signature": {
    description:
      "`v1,` and base64 of the HMAC-SHA256 over `id.timestamp.body`; while a secret rotates two of them, with a blank between",
    example: "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  },
};

/** Returns the `webhooks` part of the OpenAPI document: what Belfry posts to endpoints, by message type. */
export function webhookDocuments(): Record<string, object> {
  const parameters = Object.entries(MESSAGE_HEADERS).map(([name, words]) => ({
    name,
    in: "header",
    required: true,
    ...words,
    schema: { type: "string" as const },
  }));
  return Object.fromEntries(
    WEBHOOK_MESSAGE_TYPES.map((type) => {
      const examples: Record<string, { value: object }> = {
        [type]: { value: WEBHOOK_EXAMPLES[type] },
        ...(type === "delivery.accepted" ? { digest: { value: DIGEST_EXAMPLE } } : {}),
      };
      const post = {
        operationId: type.replaceAll(/\.(\w)/g, (_, letter: string) => letter.toUpperCase()),
        tags: ["Webhooks"],
        summary: type,
        description: WEBHOOK_MEANINGS[type],
        security: [],
        parameters,
        requestBody: {
          required: true,
          content: { "application/json": { schema: WEBHOOK_PAYLOADS[type], examples } },
        },
        responses: {
          "2XX": { description: "Accepted: Belfry does not retry the message" },
          "4XX": { description: "Belfry retries the message later; 410 disables the endpoint" },
          "5XX": { description: "Belfry retries the message later" },
        },
      };
      return [type, { post }];
    }),
  );
}
