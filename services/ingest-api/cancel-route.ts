import { cancelEvents } from "@belfry/administration/events/cancel-events";
import { CANCEL_PATH, CancelResponse } from "@belfry/contracts/cancel";
import type { Database } from "@belfry/database/connection";
import { answers, KEYED, WITH_BODY } from "@belfry/http-api/answers";
import { runFor } from "@belfry/http-api/as-problem";
import type { Authentication } from "@belfry/http-api/authenticate";
import { EXAMPLE_ID, signedOf } from "@belfry/http-api/document-parts";
import { readBody } from "@belfry/http-api/read-body";
import { requireSignature } from "@belfry/http-api/signature";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";

const schema = {
  operationId: "cancelEvents",
  ...signedOf("Events"),
  summary: "Cancel events",
  description:
    "Stops what has not reached anybody, and says of each event what could be stopped. The answer is the truth: what it names as cancelled or stopped is not sent, by nobody. Of a digest the event is taken out. An event of which a try is under way is pending: if that try fails there is no other, and asked again the answer says what became of it. A message that a provider may have after a try without an answer counts as sent, and is not tried again. Where the event had no X-Idempotency-Key, the same trigger is a new event afterwards; the daily cap gets nothing back. Of all other events it says the same again when it is asked again.",
  body: cancelEvents.input,
  "x-examples": {
    key: { value: { cancelKeys: ["order-1001"] } },
    event: { value: { eventIds: [EXAMPLE_ID] } },
  },
  response: answers(
    {
      description: "What became of each",
      schema: CancelResponse,
      example: { success: true, ...cancelEvents.examples[0]?.output },
    },
    {
      ...KEYED,
      ...WITH_BODY,
      validation: { message: ["body must have either cancelKeys or eventIds"] },
    },
    { 401: ["WWW-Authenticate"] },
  ),
};

/** `POST /api/v1/events/cancel`. Needs Postgres alone: what is cancelled is no message's affair. */
export function cancelRoute(
  app: FastifyInstance,
  { authentication, db }: { authentication: Authentication; db: Database },
): void {
  app.withTypeProvider<TypeBoxTypeProvider>().post(
    CANCEL_PATH,
    {
      ...{ schema, onRequest: authentication.other },
      preValidation: [requireSignature, readBody],
    },
    async (request): Promise<CancelResponse> => {
      const done = await runFor({ db }, request, cancelEvents, request.body);
      request.logFields = {
        ...request.logFields,
        ...{ cancelled: done.cancelled.length, partly: done.partly.length },
        ...{ pending: done.pending.length, tooLate: done.tooLate.length },
      };
      return { success: true, ...done };
    },
  );
}
