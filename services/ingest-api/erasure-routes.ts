import {
  DONE,
  ErasuresFull,
  requestErasure,
  showErasure,
  WAITING,
} from "@belfry/administration/erasure/erasures";
import { ERASURE_PATH, ErasureResponse } from "@belfry/contracts/erasure";
import { id } from "@belfry/contracts/fields";
import { Problem } from "@belfry/contracts/problems";
import { USER_PATH } from "@belfry/contracts/users";
import type { Database } from "@belfry/database/connection";
import { answers, KEYED } from "@belfry/http-api/answers";
import { runFor } from "@belfry/http-api/as-problem";
import type { Authentication } from "@belfry/http-api/authenticate";
import { EXAMPLE_ID, lookOf, signedOf } from "@belfry/http-api/document-parts";
import { requireSignature } from "@belfry/http-api/signature";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { Type } from "@sinclair/typebox";
import type { FastifyInstance } from "fastify";
import { PATH_OF_USER, refuseBatchPath } from "./user-routes.ts";

const RETRY_AFTER_SECONDS = 60;

const requestSchema = {
  ...signedOf("Users"),
  operationId: "eraseUser",
  summary: "Erase a user",
  description:
    "Without a body: where a signature is needed, it is over the empty text. What was said of the user (addresses, preferences) is gone with the answer; events, deliveries, history and what else there is go in the background, one user of a tenant at a time, and what waits is not sent any more. Suppressed addresses stay suppressed. Stop sending to the user first: what is accepted meanwhile may stay.",
  params: PATH_OF_USER,
  response: answers(
    {
      status: 202,
      description: "It will be done; of a user whose erasure is open it is that one",
      schema: ErasureResponse,
      example: { success: true, data: WAITING },
    },
    {
      ...KEYED,
      tooLarge: {},
      unsupportedMediaType: {},
      validation: { message: ["userId must be at most 255 characters"] },
    },
    { 401: ["WWW-Authenticate"] },
  ),
};

const showSchema = {
  ...lookOf("Users"),
  operationId: "showErasure",
  summary: "Show how far an erasure is",
  description: "It is kept for as long as the installation keeps events, and names nobody.",
  params: Type.Object({
    erasureId: id({ description: "The id that DELETE answered", examples: [EXAMPLE_ID] }),
  }),
  response: answers(
    {
      description: "The erasure",
      schema: ErasureResponse,
      example: { success: true, data: DONE },
    },
    { ...KEYED, notFound: {} },
  ),
};

/** A user is erased in the background: DELETE asks for it, GET tells how far it is. */
export function erasureRoutes(
  app: FastifyInstance,
  { authentication, db }: { authentication: Authentication; db: Database },
): void {
  const onRequest = authentication.other;
  const routes = app.withTypeProvider<TypeBoxTypeProvider>();
  routes.delete(
    USER_PATH,
    {
      schema: requestSchema,
      onRequest: [refuseBatchPath, onRequest],
      preValidation: requireSignature,
    },
    async (request, reply) => {
      const asked = runFor({ db }, request, requestErasure, request.params);
      const data = await asked.catch((error: unknown) => {
        if (!(error instanceof ErasuresFull)) throw error;
        const retryAfterSeconds = RETRY_AFTER_SECONDS;
        const message = "Too many erasures are waiting";
        throw new Problem("tooManyRequests", { message, retryAfterSeconds });
      });
      request.logFields = { ...request.logFields, erasureId: data.id };
      reply.code(202);
      return { success: true, data };
    },
  );

  routes.get(ERASURE_PATH, { schema: showSchema, onRequest }, async (request) => {
    return { success: true, data: await runFor({ db }, request, showErasure, request.params) };
  });
}
