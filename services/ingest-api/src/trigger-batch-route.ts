import { MAX_BODY_BYTES } from "@belfry/contracts/identifiers";
import { faultsOf, faultText, Problem } from "@belfry/contracts/problems";
import { triggerMessage } from "@belfry/contracts/trigger";
import {
  BatchEvent,
  type BatchResult,
  MAX_TRIGGER_BATCH_BYTES,
  TRIGGER_BATCH_PATH,
  TriggerBatchRequest,
  TriggerBatchResponse,
} from "@belfry/contracts/trigger-batch";
import type { TenantLimits } from "@belfry/database/functions/accept-events";
import { requireSignature } from "@belfry/http-api/authenticate";
import { readCountedBody } from "@belfry/http-api/read-request";
import {
  answers,
  KEYED,
  SIGNATURE_HEADER,
  TRACE_HEADERS,
  WITH_BODY,
} from "@belfry/http-api/route-schema";
import { problemOf } from "@belfry/service/http-problems";
import { hasChangingNumber, parseAsWritten } from "@belfry/templates/language/event-variables";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { Type } from "@sinclair/typebox";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { automaticKey, explicitKey, readTrigger } from "./read-trigger.ts";
import { resolveAttachments } from "./resolve-attachments.ts";
import { limitHeaders, limitProblem } from "./tenant-limits.ts";
import {
  acceptTrigger,
  countTrigger,
  type GivenTrigger,
  refusedOf,
  startAccept,
  type TriggerDeps,
} from "./trigger-route.ts";
import { warningsOf } from "./trigger-warnings.ts";

const schema = {
  operationId: "triggerEvents",
  tags: ["Events"],
  summary: "Trigger many events",
  description: `Accepts up to 100 events in one call. Each event is checked and answered like a single call of \`trigger\`. Each counts towards both limits: events beyond a limit are refused, and the others are accepted. The answer is 200 if the batch itself could be read, so check the \`statusCode\` of each result. The events of one user are delivered in the order of the batch.`,
  security: [{ apiKey: [] }],
  headers: Type.Object({ ...SIGNATURE_HEADER, ...TRACE_HEADERS }),
  body: TriggerBatchRequest,
  "x-examples": {
    orders: {
      value: {
        events: ["1001", "1002"].map((order) => ({
          eventType: "order.confirmed",
          eventId: `order-${order}`,
          idempotencyKey: `order-${order}-confirmed`,
          payload: { userId: "user-1", recipientEmail: "ann@example.com" },
          variables: { name: "Ann", orderId: `A-${order}` },
        })),
      },
    },
  },
  response: answers(
    {
      description: "A result for each event",
      headers: ["RateLimit-Policy", "RateLimit"],
      schema: TriggerBatchResponse,
      example: {
        success: true,
        results: [
          {
            statusCode: 200,
            eventId: "0198c0de-0000-7000-8000-000000000001",
            replayed: false,
            success: true,
            message: triggerMessage("order.confirmed", "Acme"),
          },
          {
            statusCode: 429,
            error: "Too Many Requests",
            message: "Rate limit exceeded for tenant Acme. Limit: 600/min",
            retryAfter: 12,
          },
        ],
      },
    },
    {
      ...KEYED,
      ...WITH_BODY,
      validation: { message: ["events must have at most 100 items"] },
    },
    { 401: ["WWW-Authenticate"] },
  ),
};

/** Registers `POST /api/v1/events/trigger-batch`. Key and signature are checked per request, all else per event. */
export function triggerBatchRoute(app: FastifyInstance, deps: TriggerDeps): void {
  const onRequest = deps.authentication.trigger;
  const preValidation = [requireSignature, readCountedBody];
  const onResponse = (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    if (reply.statusCode !== 200) countTrigger(reply.statusCode, refusedOf(request));
    done();
  };
  app
    .withTypeProvider<TypeBoxTypeProvider>()
    .post(
      TRIGGER_BATCH_PATH,
      { schema, bodyLimit: MAX_TRIGGER_BATCH_BYTES, onRequest, preValidation, onResponse },
      async (request, reply) => {
        const span = startAccept(request, reply, TRIGGER_BATCH_PATH, deps);
        request.span = span;
        const { tenant, bodyText, id: traceId, log } = request;
        const { events } = request.body;
        const asWritten = hasChangingNumber(bodyText)
          ? (parseAsWritten(bodyText) as { events: BatchEvent[] }).events
          : undefined;
        // A character has at most four bytes in UTF-8, and an event's JSON is hardly longer than its part of the body.
        // So in a small batch no event can be too large, and none is serialized again to measure it.
        const mayBeTooLarge = bodyText.length > MAX_BODY_BYTES / 4;
        let limits: TenantLimits | undefined;
        let fault: unknown;

        const prepare = async (event: unknown, at: number) => {
          if (mayBeTooLarge && Buffer.byteLength(JSON.stringify(event)) > MAX_BODY_BYTES) {
            throw new Problem("tooLarge", { message: "The event is too large" });
          }
          const faults = faultsOf(BatchEvent, event, "body", "");
          if (faults.length > 0)
            throw new Problem("validation", { message: faults.map(faultText) });
          const { idempotencyKey, ...body } = event as BatchEvent;
          const isKeyed = idempotencyKey !== undefined;
          const named = body.email?.attachments ?? [];
          const files =
            named.length > 0
              ? await resolveAttachments(deps.attachmentPool, tenant.id, named, isKeyed)
              : [];
          const values = (asWritten?.[at] ?? body).variables ?? null;
          const variables = values && JSON.stringify(values);
          const trigger = readTrigger(body, values, files);
          const dedupKey =
            idempotencyKey === undefined
              ? automaticKey(tenant.id, trigger, tenant.dedupIncludesVariables)
              : explicitKey(tenant.id, idempotencyKey);
          return { tenant, trigger, variables, dedupKey, traceId, span };
        };
        const resultOf = async (
          prepared: PromiseSettledResult<GivenTrigger>,
          at: number,
        ): Promise<BatchResult> => {
          try {
            if (prepared.status === "rejected") throw prepared.reason;
            const accepted = await acceptTrigger(deps, prepared.value);
            const { outcome, eventId, eventType, ...result } = accepted;
            limits = result.limits;
            if (outcome === "minute" || outcome === "day") {
              countTrigger(429, outcome);
              return limitProblem(outcome, result.tenantName, result.limits).body;
            }
            countTrigger(200, outcome);
            const warnings = warningsOf(
              deps.eventTypes,
              tenant.id,
              BatchEvent,
              events[at] as BatchEvent,
              eventType!,
            );
            return {
              statusCode: 200,
              eventId: eventId!,
              replayed: outcome === "replayed",
              success: true,
              message: triggerMessage(eventType!, result.tenantName),
              ...(warnings !== undefined && { warnings }),
            };
          } catch (error) {
            const { body } = problemOf(error);
            countTrigger(body.statusCode, undefined);
            if (body.statusCode >= 500) fault ??= error;
            return body;
          }
        };

        // All files are looked up before the first event is accepted, so that the events stay in order.
        const prepared = await Promise.allSettled(events.map(prepare));
        const results = await Promise.all(prepared.map(resultOf));
        if (fault !== undefined) log.error({ err: fault }, "events of a batch were not accepted");
        if (limits !== undefined) {
          const headers = limitHeaders(limits);
          reply.header("ratelimit-policy", headers.policy).header("ratelimit", headers.left);
        }
        const count = (status: number) =>
          results.filter(({ statusCode }) => statusCode === status).length;
        request.logFields = { tenantId: tenant.id, events: events.length, accepted: count(200) };
        return { success: true, results };
      },
    );
}
