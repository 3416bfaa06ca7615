import { changePreferences, showPreferences } from "@belfry/administration/users/preferences";
import { CHANNELS } from "@belfry/contracts/channels";
import {
  ChangePreferencesRequest,
  PREFERENCES_PATH,
  PreferencesResponse,
} from "@belfry/contracts/preferences";
import type { Database } from "@belfry/database/connection";
import { answers, KEYED, WITH_BODY } from "@belfry/http-api/answers";
import { asProblem } from "@belfry/http-api/as-problem";
import type { Authentication } from "@belfry/http-api/authenticate";
import { SIGNATURE_HEADER, TRACE_HEADERS } from "@belfry/http-api/document-parts";
import { readBody } from "@belfry/http-api/read-body";
import { requireSignature } from "@belfry/http-api/signature";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { Type } from "@sinclair/typebox";
import type { FastifyInstance } from "fastify";
import { PATH_OF_USER } from "./user-routes.ts";

const EXAMPLE = {
  success: true,
  data: {
    userId: "user-1",
    preferences: [
      {
        ...{ category: "offers", channel: CHANNELS[0], enabled: false },
        ...{ source: "preference page", at: "2026-11-02T09:30:00.000Z" },
      },
    ],
    categories: [
      {
        ...{ key: "offers", label: { "": "Offers", de: "Angebote" } },
        ...{ description: { "": "Sales, twice a month" }, required: false, defaultOn: true },
      },
    ],
  },
};

const common = { tags: ["Users"], security: [{ apiKey: [] }], params: PATH_OF_USER };
const good = (description: string) => ({
  ...{ description, schema: PreferencesResponse, example: EXAMPLE },
});

const showSchema = {
  ...common,
  operationId: "showPreferences",
  summary: "Show a user's preferences",
  description:
    "What the user has turned on and off, from where and when, and the categories there are. Of any user id: you need not have named the user.",
  headers: Type.Object(TRACE_HEADERS),
  response: answers(good("The preferences"), {
    ...KEYED,
    validation: { message: ["userId must be at most 255 characters"] },
  }),
};

const changeSchema = {
  ...common,
  operationId: "changePreferences",
  summary: "Change a user's preferences",
  description:
    "Writes the cells that are named and leaves the others: all of them, or none if one is wrong. Applies to every event that is dispatched after the answer. An off is never overruled by an on in another cell; a required category cannot be turned off.",
  headers: Type.Object({ ...SIGNATURE_HEADER, ...TRACE_HEADERS }),
  body: ChangePreferencesRequest,
  "x-examples": {
    offers: {
      value: { preferences: [{ category: "offers", channel: CHANNELS[0], enabled: false }] },
    },
  },
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
  deps: {
    authentication: Authentication;
    db: Database;
    /** Tells the user's open pages; best effort. */
    announcePreferences(owner: { tenantId: string; userId: string }): void;
  },
): void {
  const { db } = deps;
  const onRequest = deps.authentication.other;
  const show = async (tenantId: string, userId: string): Promise<PreferencesResponse> => {
    const data = await asProblem(() => showPreferences(db, tenantId, userId));
    return { success: true, data };
  };
  const routes = app.withTypeProvider<TypeBoxTypeProvider>();
  routes.get(PREFERENCES_PATH, { schema: showSchema, onRequest }, (request) =>
    show(request.tenant.id, request.params.userId),
  );

  routes.patch(
    PREFERENCES_PATH,
    { schema: changeSchema, onRequest, preValidation: [requireSignature, readBody] },
    async (request) => {
      const tenantId = request.tenant.id;
      const { userId } = request.params;
      const changes = request.body.preferences;
      const changed = await asProblem(() =>
        changePreferences(db, { tenantId, userId, changes, source: "api" }),
      );
      if (changed > 0) deps.announcePreferences({ tenantId, userId });
      return await show(tenantId, userId);
    },
  );
}
