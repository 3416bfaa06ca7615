import { listScheduled, moveEvent } from "@belfry/administration/events/scheduled-events";
import { EVENT_PATH } from "@belfry/contracts/event-report";
import { id, integerText } from "@belfry/contracts/fields";
import {
  MoveRequest,
  MoveResponse,
  SCHEDULED_DEFAULT_LIMIT,
  SCHEDULED_MAX_LIMIT,
  SCHEDULED_PATH,
  ScheduledResponse,
} from "@belfry/contracts/scheduled";
import type { Database } from "@belfry/database/connection";
import { answers, KEYED, WITH_BODY } from "@belfry/http-api/answers";
import { runFor } from "@belfry/http-api/as-problem";
import type { Authentication } from "@belfry/http-api/authenticate";
import { EXAMPLE_ID, lookOf, signedOf } from "@belfry/http-api/document-parts";
import { readBody } from "@belfry/http-api/read-body";
import { requireSignature } from "@belfry/http-api/signature";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { Type } from "@sinclair/typebox";
import type { FastifyInstance } from "fastify";
import { refuseNoEvent } from "./event-route.ts";

const listSchema = {
  operationId: "listScheduledEvents",
  ...lookOf("Events"),
  summary: "List scheduled events",
  description:
    "Events of yours that rest until their time, the soonest first. Never their variables.",
  querystring: Type.Object({
    limit: Type.Optional(
      integerText(
        { minimum: 1, maximum: SCHEDULED_MAX_LIMIT, default: SCHEDULED_DEFAULT_LIMIT },
        { description: "Most events to return", examples: [50] },
      ),
    ),
    after: listScheduled.input.properties.after,
  }),
  response: answers(
    {
      description: "A page of them",
      schema: ScheduledResponse,
      example: {
        success: true,
        data: listScheduled.examples[0]?.output.events,
      },
    },
    { ...KEYED, validation: { message: ["limit must be an integer from 1 to 1000"] } },
  ),
};

const moveSchema = {
  operationId: "moveEvent",
  ...signedOf("Events"),
  summary: "Move a scheduled event",
  description:
    "Changes when an event is dispatched that still rests; one whose time has come is 409.",
  params: Type.Object({
    eventId: id({
      description: "Belfry's id of the event: the header X-Event-Id of the trigger's answer",
      examples: [EXAMPLE_ID],
    }),
  }),
  body: MoveRequest,
  "x-examples": { move: { value: { sendAt: "2026-11-21T09:30:00+01:00" } } },
  response: answers(
    {
      description: "It is moved",
      schema: MoveResponse,
      example: { success: true, sendAt: "2026-11-21T08:30:00.000Z" },
    },
    {
      ...KEYED,
      ...WITH_BODY,
      notFound: {},
      conflict: { message: "the event is not scheduled any more" },
      validation: {
        message: [
          "sendAt must be at most 22 days after the event was accepted: 8 days less than the shorter retention, which is 30 days",
        ],
      },
    },
    { 401: ["WWW-Authenticate"] },
  ),
};

/** What rests until its time: listed and moved. */
export function scheduledRoutes(
  app: FastifyInstance,
  deps: { authentication: Authentication; db: Database },
): void {
  const { authentication, db } = deps;
  const routes = app.withTypeProvider<TypeBoxTypeProvider>();
  routes.get(
    SCHEDULED_PATH,
    { schema: listSchema, onRequest: authentication.other },
    async (request): Promise<ScheduledResponse> => {
      const { limit = SCHEDULED_DEFAULT_LIMIT, after } = request.query;
      const page = { after, limit: Number(limit) };
      const { events, ...next } = await runFor({ db }, request, listScheduled, page);
      return { success: true, data: events, ...next };
    },
  );

  routes.patch(
    EVENT_PATH,
    {
      schema: moveSchema,
      onRequest: [refuseNoEvent, authentication.other],
      preValidation: [requireSignature, readBody],
    },
    async (request): Promise<MoveResponse> => {
      const move = { ...request.params, sendAt: request.body.sendAt };
      const { sendAt } = await runFor({ db }, request, moveEvent, move);
      request.logFields = { ...request.logFields, eventId: move.eventId };
      return { success: true, sendAt };
    },
  );
}
