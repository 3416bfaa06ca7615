import { hasTimeZone } from "@belfry/administration/tenants/time-zone";
import { putUser, putUsers, showUser, type User } from "@belfry/administration/users/users";
import { text } from "@belfry/contracts/fields";
import { Problem } from "@belfry/contracts/problems";
import { checkOf, faultsOf, faultText } from "@belfry/contracts/schema-faults";
import { NO_TIME_ZONE } from "@belfry/contracts/time-zone";
import {
  BatchUser,
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
import { asProblem } from "@belfry/http-api/as-problem";
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

const REQUEST_EXAMPLE = {
  email: "ann@example.com",
  phone: "+12025550123",
  locale: "de-AT",
  timezone: "Europe/Vienna",
  quietHours: { from: "22:00", to: "06:00" },
};
const USER_EXAMPLE = {
  userId: "user-1",
  ...REQUEST_EXAMPLE,
  createdAt: "2026-11-20T09:30:00.000Z",
  updatedAt: "2026-11-20T09:30:00.000Z",
};

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
      example: { success: true, data: USER_EXAMPLE },
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
      example: { success: true, data: USER_EXAMPLE },
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
      example: {
        success: true,
        results: [
          { userId: "user-1", success: true },
          { userId: "user-2", success: false, message: ["email must be an email address"] },
        ],
      },
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

const checkItem = checkOf(BatchUser);

/** The directory of a tenant's users: put, show, put many. */
export function userRoutes(
  app: FastifyInstance,
  { authentication, db }: { authentication: Authentication; db: Database },
): void {
  const onRequest = [refuseBatchPath, authentication.other];
  const signed = { preValidation: [requireSignature, readBody] };
  const routes = app.withTypeProvider<TypeBoxTypeProvider>();
  routes.put(
    USER_PATH,
    { schema: putSchema, onRequest, ...signed },
    async (request): Promise<UserResponse> => {
      const input = { ...request.body, userId: request.params.userId };
      return answer(await asProblem(() => putUser(db, request.tenant.id, input)));
    },
  );

  routes.get(
    USER_PATH,
    { schema: showSchema, onRequest },
    async (request): Promise<UserResponse> =>
      answer(await asProblem(() => showUser(db, request.tenant.id, request.params.userId))),
  );

  routes.post(
    USERS_BATCH_PATH,
    {
      ...{ schema: batchSchema, onRequest: authentication.other, ...signed },
      bodyLimit: MAX_USERS_BATCH_BYTES,
    },
    async (request): Promise<UsersBatchResponse> => {
      const { users } = request.body;
      const good: BatchUser[] = [];
      const results: UsersBatchResponse["results"] = [];
      for (const item of users) {
        const message = await itemFaults(db, item);
        if (message === undefined) good.push(item as BatchUser);
        results.push(result(item, message));
      }
      await asProblem(() => putUsers(db, request.tenant.id, good));
      request.logFields = { ...request.logFields, users: good.length };
      return { success: true, results };
    },
  );
}

function answer(data: User): UserResponse {
  return { success: true, data };
}

/** Undefined: the item has none. */
async function itemFaults(db: Database, item: unknown): Promise<string[] | undefined> {
  if (checkItem(item) !== undefined) {
    return faultsOf(BatchUser, item, "item", "").map(faultText);
  }
  const { timezone } = item as BatchUser;
  if (!timezone || (await hasTimeZone(db, timezone))) return undefined;
  return [`timezone ${NO_TIME_ZONE}`];
}

function result(
  item: unknown,
  message: string[] | undefined,
): UsersBatchResponse["results"][number] {
  const { userId } = Object(item) as { userId?: unknown };
  const of = { userId: typeof userId === "string" ? userId : null };
  return message === undefined ? { ...of, success: true } : { ...of, success: false, message };
}
