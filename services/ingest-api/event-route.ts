import { EVENT_EXAMPLE } from "@belfry/administration/events/event-example";
import { showEvent } from "@belfry/administration/events/event-report";
import { CANCEL_PATH } from "@belfry/contracts/cancel";
import { EVENT_PATH, EventReport } from "@belfry/contracts/event-report";
import { id } from "@belfry/contracts/fields";
import { UUID } from "@belfry/contracts/identifiers";
import { Problem } from "@belfry/contracts/problems";
import { SCHEDULED_PATH } from "@belfry/contracts/scheduled";
import { TRIGGER_PATH } from "@belfry/contracts/trigger";
import type { Database } from "@belfry/database/connection";
import { answers, KEYED } from "@belfry/http-api/answers";
import { runFor } from "@belfry/http-api/as-problem";
import type { Authentication } from "@belfry/http-api/authenticate";
import { EXAMPLE_ID, lookOf } from "@belfry/http-api/document-parts";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { Type } from "@sinclair/typebox";
import type { FastifyInstance, FastifyRequest } from "fastify";

const schema = {
  operationId: "showEvent",
  ...lookOf("Events"),
  summary: "Show an event",
  description:
    "An event of yours and what became of it on each channel. Never its variables, nor what was rendered.",
  params: Type.Object({
    eventId: id({
      description: "Belfry's id of the event: the header X-Event-Id of the trigger's answer",
      examples: [EXAMPLE_ID],
    }),
  }),
  response: answers(
    { description: "The event as far as it got", schema: EventReport, example: EVENT_EXAMPLE },
    { ...KEYED, notFound: {} },
  ),
};

/**
 * `GET /api/v1/events/{eventId}`: an event of the key's tenant by Belfry's id, and what became of it
 * on each channel. Another tenant's event is as unknown as none: 404.
 */
export function eventRoute(
  app: FastifyInstance,
  deps: { authentication: Authentication; db: Database },
): void {
  app
    .withTypeProvider<TypeBoxTypeProvider>()
    .get(
      EVENT_PATH,
      { schema, onRequest: [refuseNoEvent, deps.authentication.other] },
      async (request): Promise<EventReport> => {
        const { tenant, params } = request;
        const { eventId } = params;
        if (!UUID.test(eventId)) throw new Problem("notFound");
        const found = await runFor(deps, request, showEvent, params);
        // A reference may look like an id, and is none: it need not be unique.
        if (found.id !== eventId.toLowerCase()) throw new Problem("notFound");
        request.logFields = { tenantId: tenant.id, eventId: found.id };
        const { othersWithThisEventId: _, waits: __, ...report } = found;
        return report;
      },
    );
}

/** These paths read as one of an event, and know other methods than that. */
const NO_EVENTS: ReadonlyMap<string, string> = new Map([
  [TRIGGER_PATH, "POST"],
  [CANCEL_PATH, "POST"],
  [SCHEDULED_PATH, "GET, HEAD"],
]);

export async function refuseNoEvent(request: FastifyRequest): Promise<void> {
  const allow = NO_EVENTS.get(request.url.split("?", 1)[0] ?? "");
  if (allow !== undefined) throw new Problem("methodNotAllowed", { headers: { allow } });
}
