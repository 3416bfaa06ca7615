import type { Act } from "@belfry/administration/act";
import {
  changeWebhook,
  deleteWebhook,
  listWebhooks,
  ofWebhook,
  putWebhook,
  rotateSigningSecret,
  SECRET,
  showWebhook,
  WEBHOOK,
} from "@belfry/administration/webhooks/webhooks";
import {
  WEBHOOK_PATH,
  WEBHOOK_SECRET_PATH,
  WEBHOOKS_PATH,
  WebhookChangeRequest,
  WebhookDeletedResponse,
  WebhookPutResponse,
  WebhookRequest,
  WebhookResponse,
  WebhookSecretResponse,
  WebhooksResponse,
} from "@belfry/contracts/webhook-endpoints";
import { answers, KEYED, WITH_BODY } from "@belfry/http-api/answers";
import type { Authentication } from "@belfry/http-api/authenticate";
import { lookOf, signedOf } from "@belfry/http-api/document-parts";
import { readBody } from "@belfry/http-api/read-body";
import { requireSignature } from "@belfry/http-api/signature";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { Type } from "@sinclair/typebox";
import type { FastifyInstance } from "fastify";
import { createRunFor, type RunDeps } from "./run-for.ts";

export interface WebhookRouteDeps extends RunDeps {
  authentication: Authentication;
}

/** What the document says of an act. */
export const look = ({ summary, description = "" }: Act) => ({
  ...lookOf("Webhooks"),
  summary,
  description,
});
export const signed = (act: Act) => ({ ...look(act), ...signedOf("Webhooks") });
/** Of a call without a body that is signed: over the empty text. */
export const signedEmpty = (act: Act) => ({
  ...signed(act),
  description: `${act.description} Without a body: where a signature is needed, it is over the empty text.`,
});
export const SIGNED_ANSWER = { 401: ["WWW-Authenticate" as const] };
export const WITHOUT_BODY = { tooLarge: {}, unsupportedMediaType: {} };
const BAD_URL = { validation: { message: ["url must begin with https://"] } };
const params = Type.Object(ofWebhook);

const listSchema = {
  ...look(listWebhooks),
  operationId: "listWebhooks",
  response: answers(
    {
      description: "All of them",
      schema: WebhooksResponse,
      example: { success: true, data: [WEBHOOK] },
    },
    KEYED,
  ),
};

const putSchema = {
  ...signed(putWebhook),
  operationId: "putWebhook",
  body: WebhookRequest,
  "x-examples": {
    all: { value: { url: WEBHOOK.url } },
    some: {
      value: { url: WEBHOOK.url, types: WEBHOOK.types, description: WEBHOOK.description },
    },
  },
  response: answers(
    {
      description: "The endpoint",
      schema: WebhookPutResponse,
      example: { success: true, data: WEBHOOK, secret: SECRET },
    },
    { ...KEYED, ...WITH_BODY, ...BAD_URL },
    SIGNED_ANSWER,
  ),
};

const showSchema = {
  ...look(showWebhook),
  operationId: "showWebhook",
  params,
  response: answers(
    {
      description: "The endpoint",
      schema: WebhookResponse,
      example: { success: true, data: WEBHOOK },
    },
    { ...KEYED, notFound: {} },
  ),
};

const changeSchema = {
  ...signed(changeWebhook),
  operationId: "changeWebhook",
  params,
  body: WebhookChangeRequest,
  "x-examples": { off: { value: { active: false } }, all: { value: { types: [] } } },
  response: answers(
    {
      description: "The endpoint as it is now",
      schema: WebhookResponse,
      example: { success: true, data: WEBHOOK },
    },
    { ...KEYED, ...WITH_BODY, notFound: {}, ...BAD_URL },
    SIGNED_ANSWER,
  ),
};

const deleteSchema = {
  ...signedEmpty(deleteWebhook),
  operationId: "deleteWebhook",
  params,
  response: answers(
    { description: "It is gone", schema: WebhookDeletedResponse, example: { success: true } },
    { ...KEYED, ...WITHOUT_BODY, notFound: {} },
    SIGNED_ANSWER,
  ),
};

const rotateSchema = {
  ...signedEmpty(rotateSigningSecret),
  operationId: "rotateWebhookSecret",
  params,
  response: answers(
    {
      description: "The new secret",
      schema: WebhookSecretResponse,
      example: { success: true, secret: SECRET, previousSecretUntil: "2026-11-21T09:30:00.000Z" },
    },
    { ...KEYED, ...WITHOUT_BODY, notFound: {} },
    SIGNED_ANSWER,
  ),
};

/** Endpoints of status webhooks: listed, made, shown, changed, deleted; their secrets rotated. */
export function webhookEndpointRoutes(app: FastifyInstance, deps: WebhookRouteDeps): void {
  const runFor = createRunFor(deps);
  const onRequest = deps.authentication.other;
  const withBody = { onRequest, preValidation: [requireSignature, readBody] };
  const withoutBody = { onRequest, preValidation: requireSignature };
  const routes = app.withTypeProvider<TypeBoxTypeProvider>();
  routes.get(WEBHOOKS_PATH, { schema: listSchema, onRequest }, async (request) => ({
    success: true,
    data: await runFor(request, listWebhooks, {}),
  }));

  routes.post(WEBHOOKS_PATH, { schema: putSchema, ...withBody }, async (request) => {
    const { url, types, description, active } = request.body;
    const input = { url, types, description, active };
    const { secret, ...data } = await runFor(request, putWebhook, input);
    return { success: true, data, ...(secret === undefined ? {} : { secret }) };
  });

  routes.get(WEBHOOK_PATH, { schema: showSchema, onRequest }, async (request) => ({
    success: true,
    data: await runFor(request, showWebhook, request.params),
  }));

  routes.patch(WEBHOOK_PATH, { schema: changeSchema, ...withBody }, async (request) => ({
    success: true,
    data: await runFor(request, changeWebhook, { ...request.body, ...request.params }),
  }));

  routes.delete(WEBHOOK_PATH, { schema: deleteSchema, ...withoutBody }, async (request) => {
    await runFor(request, deleteWebhook, request.params);
    return { success: true };
  });

  routes.post(WEBHOOK_SECRET_PATH, { schema: rotateSchema, ...withoutBody }, async (request) => {
    const { secret, previousSecretUntil } = await runFor(
      request,
      rotateSigningSecret,
      request.params,
    );
    return { success: true, secret, previousSecretUntil };
  });
}
