import { type AuditNote, audited } from "@belfry/administration/audited";
import {
  signingSecretRotated,
  webhookChanged,
  webhookDeleted,
} from "@belfry/administration/webhooks/webhook-notes";
import {
  changeWebhook,
  deleteWebhook,
  listWebhooks,
  putWebhook,
  rotateWebhookSigningSecret,
  showWebhook,
} from "@belfry/administration/webhooks/webhooks";
import { id } from "@belfry/contracts/fields";
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
import { MAX_WEBHOOKS, PREVIOUS_SECRET_HOURS } from "@belfry/contracts/webhooks";
import type { Database } from "@belfry/database/connection";
import type { SecretKeys } from "@belfry/database/secrets";
import { answers, KEYED, WITH_BODY } from "@belfry/http-api/answers";
import { asProblem } from "@belfry/http-api/as-problem";
import type { Authentication } from "@belfry/http-api/authenticate";
import { lookOf, signedOf } from "@belfry/http-api/document-parts";
import { readBody } from "@belfry/http-api/read-body";
import { requireSignature } from "@belfry/http-api/signature";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { Type } from "@sinclair/typebox";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { SECRET, WEBHOOK, WEBHOOK_ID } from "./webhook-examples.ts";

export interface WebhookRouteDeps {
  authentication: Authentication;
  db: Database;
  secretKeys: SecretKeys;
  allowPrivateWebhooks: boolean;
}

export const OF_WEBHOOK = {
  webhookId: id({ description: "The endpoint's id", examples: [WEBHOOK_ID] }),
};
export const LOOK = lookOf("Webhooks");
export const SIGNED = signedOf("Webhooks");
export const SIGNED_ANSWER = { 401: ["WWW-Authenticate" as const] };
/** Of a call without a body that is signed: over the empty text. */
export const WITHOUT_BODY = { tooLarge: {}, unsupportedMediaType: {} };
const BAD_URL = { validation: { message: ["url must begin with https://"] } };

const listSchema = {
  ...LOOK,
  operationId: "listWebhooks",
  summary: "List endpoints",
  description: "Where you are told what became of your events. Never their secrets.",
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
  ...SIGNED,
  operationId: "putWebhook",
  summary: "Make an endpoint",
  description: `Makes an endpoint, or changes the one with this URL. The answer has its secret where it was made, this once: if the answer is lost, rotate it. At most ${MAX_WEBHOOKS} endpoints. In force for everything that happens after the answer.`,
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
  ...LOOK,
  operationId: "showWebhook",
  summary: "Show an endpoint",
  description: "How it is set, and whether it is reached.",
  params: Type.Object(OF_WEBHOOK),
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
  ...SIGNED,
  operationId: "changeWebhook",
  summary: "Change an endpoint",
  description:
    "Its URL, types and description; `active: false` stops it, `active: true` begins anew. What it was not told meanwhile is sent again by a replay.",
  params: Type.Object(OF_WEBHOOK),
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
  ...SIGNED,
  operationId: "deleteWebhook",
  summary: "Delete an endpoint",
  description:
    "With its messages and their attempts: what is under way to it is not tried again. Without a body: where a signature is needed, it is over the empty text.",
  params: Type.Object(OF_WEBHOOK),
  response: answers(
    { description: "It is gone", schema: WebhookDeletedResponse, example: { success: true } },
    { ...KEYED, ...WITHOUT_BODY, notFound: {} },
    SIGNED_ANSWER,
  ),
};

const rotateSchema = {
  ...SIGNED,
  operationId: "rotateWebhookSecret",
  summary: "Rotate an endpoint's secret",
  description: `A new secret, shown this once. For ${PREVIOUS_SECRET_HOURS} hours messages have two signatures, the new secret's and that of the one before; of two before, only the younger signs on; but where you ask twice within 10 minutes, as an answer was lost, the one before both. Without a body: where a signature is needed, it is over the empty text.`,
  params: Type.Object(OF_WEBHOOK),
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
  const { authentication, db } = deps;
  const rules = { keys: deps.secretKeys, allowPrivateAddresses: deps.allowPrivateWebhooks };
  const onRequest = authentication.other;
  const signed = { onRequest, preValidation: [requireSignature, readBody] };
  const signedEmpty = { onRequest, preValidation: requireSignature };
  const routes = app.withTypeProvider<TypeBoxTypeProvider>();
  routes.get(WEBHOOKS_PATH, { schema: listSchema, onRequest }, async (request) => {
    const data = await asProblem(() => listWebhooks(db, request.tenant.id));
    return { success: true, data };
  });

  routes.post(WEBHOOKS_PATH, { schema: putSchema, ...signed }, async (request) => {
    const tenantId = request.tenant.id;
    const { url, types, description, active } = request.body;
    const { after } = await auditedCall(
      request,
      db,
      (transaction) =>
        putWebhook(transaction, { tenantId, url, types, description, active }, rules),
      (change) => webhookChanged(tenantId, change),
    );
    const { secret, ...data } = after;
    return { success: true, data, ...(secret === undefined ? {} : { secret }) };
  });

  routes.get(WEBHOOK_PATH, { schema: showSchema, onRequest }, async (request) => {
    const { webhookId } = request.params;
    const data = await asProblem(() => showWebhook(db, request.tenant.id, webhookId));
    return { success: true, data };
  });

  routes.patch(WEBHOOK_PATH, { schema: changeSchema, ...signed }, async (request) => {
    const tenantId = request.tenant.id;
    const { url, types, description, active } = request.body;
    const change = { ...request.params, tenantId, url, types, description, active };
    const { after } = await auditedCall(
      request,
      db,
      (transaction) => changeWebhook(transaction, change, rules),
      (done) => webhookChanged(tenantId, done),
    );
    return { success: true, data: after };
  });

  routes.delete(WEBHOOK_PATH, { schema: deleteSchema, ...signedEmpty }, async (request) => {
    const of = { tenantId: request.tenant.id, ...request.params };
    await auditedCall(
      request,
      db,
      (transaction) => deleteWebhook(transaction, of),
      (before) => webhookDeleted(of.tenantId, before),
    );
    return { success: true };
  });

  routes.post(WEBHOOK_SECRET_PATH, { schema: rotateSchema, ...signedEmpty }, async (request) => {
    const of = { tenantId: request.tenant.id, ...request.params };
    const { secret, previousSecretUntil } = await auditedCall(
      request,
      db,
      (transaction) => rotateWebhookSigningSecret(transaction, of, deps.secretKeys),
      (done) => signingSecretRotated(of.tenantId, done),
    );
    return { success: true, secret, previousSecretUntil };
  });
}

/** A change by a tenant's key, with its entry in the audit log; faults are told as this API does. */
export async function auditedCall<T>(
  request: FastifyRequest,
  db: Database,
  change: (transaction: Database) => Promise<T>,
  note: (result: T) => AuditNote,
): Promise<T> {
  const actor = { personId: null, person: "the tenant, by API", address: request.ip };
  return await asProblem(() => audited(db, actor, change, note));
}
