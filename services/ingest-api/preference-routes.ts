import {
  CELL,
  changePreferences,
  PREFERENCES,
  showPreferences,
} from "@belfry/administration/users/preferences";
import {
  ChangePreferencesRequest,
  PREFERENCES_PATH,
  PreferencesResponse,
} from "@belfry/contracts/preferences";
import { answers, KEYED, WITH_BODY } from "@belfry/http-api/answers";
import { type ActDeps, runFor } from "@belfry/http-api/as-problem";
import type { Authentication } from "@belfry/http-api/authenticate";
import { lookOf, signedOf } from "@belfry/http-api/document-parts";
import { readBody } from "@belfry/http-api/read-body";
import { requireSignature } from "@belfry/http-api/signature";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import { PATH_OF_USER } from "./user-routes.ts";

const good = (description: string) => ({
  ...{ description, schema: PreferencesResponse, example: { success: true, data: PREFERENCES } },
});

const showSchema = {
  ...lookOf("Users"),
  operationId: "showPreferences",
  summary: "Show a user's preferences",
  description:
    "What the user has turned on and off, from where and when, and the categories there are. Of any user id: you need not have named the user.",
  params: PATH_OF_USER,
  response: answers(good("The preferences"), {
    ...KEYED,
    validation: { message: ["userId must be at most 255 characters"] },
  }),
};

const changeSchema = {
  ...signedOf("Users"),
  operationId: "changePreferences",
  summary: "Change a user's preferences",
  description:
    "Writes the cells that are named and leaves the others: all of them, or none if one is wrong. Applies to every event that is dispatched after the answer. An off is never overruled by an on in another cell; a required category cannot be turned off.",
  params: PATH_OF_USER,
  body: ChangePreferencesRequest,
  "x-examples": { offers: { value: { preferences: [CELL] } } },
  response: answers(
    good("The preferences as they are now"),
    {
      ...KEYED,
      ...WITH_BODY,
      validation: {
        message: ['preferences[0].category must be * or the key of a category: "ofers"'],
      },
    },
    { 401: ["WWW-Authenticate"] },
  ),
};

/** What a user wants, by category and channel: show and change. */
export function preferenceRoutes(
  app: FastifyInstance,
  {
    authentication,
    db,
    announcePreferences,
  }: Required<Pick<ActDeps, "db" | "announcePreferences">> & { authentication: Authentication },
): void {
  const deps = { db, announcePreferences };
  const onRequest = authentication.other;
  const routes = app.withTypeProvider<TypeBoxTypeProvider>();
  routes.get(PREFERENCES_PATH, { schema: showSchema, onRequest }, async (request) => {
    return { success: true, data: await runFor(deps, request, showPreferences, request.params) };
  });

  routes.patch(
    PREFERENCES_PATH,
    { schema: changeSchema, onRequest, preValidation: [requireSignature, readBody] },
    async (request) => {
      const input = { ...request.params, preferences: request.body.preferences };
      return { success: true, data: await runFor(deps, request, changePreferences, input) };
    },
  );
}
