import { putUsers } from "@belfry/administration/users/put-users";
import { putUser, showUser, USER_INPUT } from "@belfry/administration/users/users";
import { text } from "@belfry/contracts/fields";
import { Problem } from "@belfry/contracts/problems";
import {
  MAX_USERS_BATCH_BYTES,
  MAX_USERS_OF_BATCH,
  USER_PATH,
  USERS_BATCH_PATH,
  UserRequest,
  UserResponse,
  UsersBatchRequest,
  UsersBatchResponse,
} from "@belfry/contracts/users";
import type { Database } from "@belfry/database/connection";
import { answers, KEYED, WITH_BODY } from "@belfry/http-api/answers";
import { runFor } from "@belfry/http-api/as-problem";
import type { Authentication } from "@belfry/http-api/authenticate";
import { lookOf, signedOf } from "@belfry/http-api/document-parts";
import { readBody } from "@belfry/http-api/read-body";
import { requireSignature } from "@belfry/http-api/signature";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { Type } from "@sinclair/typebox";
import type { FastifyInstance, FastifyRequest } from "fastify";

export const PATH_OF_USER = Type.Object({
  userId: text({
    description:
      "The user's id in your own system, percent-encoded; of the very id `batch` write %62atch",
    examples: ["user-1"],
  }),
});

const { userId: _, ...REQUEST_EXAMPLE } = USER_INPUT;
const [SHOWN_EXAMPLE] = showUser.examples;

const putSchema = {
  ...signedOf("Users"),
  operationId: "putUser",
  summary: "Name a user",
  description:
    "Stores all that Belfry is to know of a user: what is left out is deleted. Applies to every event that is dispatched after the answer. You need not name your users: an address in the trigger wins.",
  params: PATH_OF_USER,
  body: UserRequest,
  "x-examples": { user: { value: REQUEST_EXAMPLE } },
  response: answers(
    {
      description: "The user as stored",
      schema: UserResponse,
      example: { success: true, data: SHOWN_EXAMPLE?.output },
    },
    { ...KEYED, ...WITH_BODY, validation: { message: ["email must be an email address"] } },
    { 401: ["WWW-Authenticate"] },
  ),
};

const showSchema = {
  ...lookOf("Users"),
  operationId: "showUser",
  summary: "Show a user",
  description: "As you have named it.",
  params: PATH_OF_USER,
  response: answers(
    {
      description: "The user",
      schema: UserResponse,
      example: { success: true, data: SHOWN_EXAMPLE?.output },
    },
    { ...KEYED, notFound: {}, validation: { message: ["userId must be at most 255 characters"] } },
  ),
};

const batchSchema = {
  ...signedOf("Users"),
  operationId: "putUsers",
  summary: "Name many users",
  description: `Up to ${MAX_USERS_OF_BATCH} users and 1 MiB, each as by PUT, with an answer for each. The good ones are stored together; a bad one does not hold them up.`,
  body: UsersBatchRequest,
  "x-examples": {
    users: { value: { users: [{ userId: "user-1", ...REQUEST_EXAMPLE }, { userId: "user-2" }] } },
  },
  response: answers(
    {
      description: "What became of each",
      schema: UsersBatchResponse,
      example: { success: true, ...putUsers.examples[0]?.output },
    },
    {
      ...KEYED,
      ...WITH_BODY,
      validation: { message: [`users must have at most ${MAX_USERS_OF_BATCH} items`] },
    },
    { 401: ["WWW-Authenticate"] },
  ),
};

/** For `onRequest` of a user's path: that of the batch reads as one, and knows POST alone. */
export async function refuseBatchPath(request: FastifyRequest): Promise<void> {
  if (request.url.split("?", 1)[0] !== USERS_BATCH_PATH) return;
  throw new Problem("methodNotAllowed", { headers: { allow: "POST" } });
}

/** The directory of a tenant's users: put, show, put many. */
export function userRoutes(
  app: FastifyInstance,
  { authentication, db }: { authentication: Authentication; db: Database },
): void {
  const onRequest = [refuseBatchPath, authentication.other];
  const signed = { preValidation: [requireSignature, readBody] };
  const routes = app.withTypeProvider<TypeBoxTypeProvider>();
  routes.put(USER_PATH, { schema: putSchema, onRequest, ...signed }, async (request) => {
    const { email, phone, locale, timezone, quietHours } = request.body;
    const input = { ...request.params, email, phone, locale, timezone, quietHours };
    return { success: true, data: await runFor({ db }, request, putUser, input) };
  });

  routes.get(USER_PATH, { schema: showSchema, onRequest }, async (request) => {
    return { success: true, data: await runFor({ db }, request, showUser, request.params) };
  });

  routes.post(
    USERS_BATCH_PATH,
    {
      ...{ schema: batchSchema, onRequest: authentication.other, ...signed },
      bodyLimit: MAX_USERS_BATCH_BYTES,
    },
    async (request) => {
      const { results } = await runFor({ db }, request, putUsers, request.body);
      const stored = results.filter(({ success }) => success).length;
      request.logFields = { ...request.logFields, users: stored };
      return { success: true, results };
    },
  );
}
