import { CHANNELS, IN_APP, listed } from "@belfry/contracts/channels";
import { text } from "@belfry/contracts/fields";
import { Problem } from "@belfry/contracts/problems";
import { daysOfMs, daysWords, mostRestMs, restRule } from "@belfry/contracts/retention";
import {
  type EventOptions,
  HEADERS,
  TRIGGER_PATH,
  TriggerRequest,
  TriggerResponse,
  triggerMessage,
} from "@belfry/contracts/trigger";
import type { Pool } from "@belfry/database/connection";
import type { AcceptOutcome, TenantLimits } from "@belfry/database/functions/accept-events";
import { type Authentication, requireSignature } from "@belfry/http-api/authenticate";
import { ANY_QUERY, headerText, readBody } from "@belfry/http-api/read-request";
import {
  answers,
  KEYED,
  SIGNATURE_HEADER,
  TRACE_HEADERS,
  unsent,
  WITH_BODY,
} from "@belfry/http-api/route-schema";
import type { Tenant } from "@belfry/http-api/tenant-directory";
import { counter } from "@belfry/service/metrics";
import type { NatsLink } from "@belfry/service/nats";
import { type Span, tracer } from "@belfry/service/tracing";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { Type } from "@sinclair/typebox";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { uuidv7 } from "uuidv7";
import type { Acceptor } from "./accept.ts";
import {
  automaticKey,
  explicitKey,
  readTrigger,
  readVariables,
  type Trigger,
} from "./read-trigger.ts";
import { attachmentsProblem, resolveAttachments } from "./resolve-attachments.ts";
import { type KnownRefusals, limitHeaders, limitProblem } from "./tenant-limits.ts";
import { type EventTypes, warningsOf } from "./trigger-warnings.ts";

const schema = {
  operationId: "triggerEvent",
  tags: ["Events"],
  summary: "Trigger an event",
  description: `Accepts an event for dispatch over ${listed(CHANNELS, "and")}. 200 means that the event is stored and will be dispatched, at once or at its time. Belfry checks the key, the signature, the body and the limits, in this order. Without X-Idempotency-Key, an event of the same type with the same payload within 24 hours is a replay of the first, even with other variables.`,
  security: [{ apiKey: [] }],
  headers: Type.Object({
    ...SIGNATURE_HEADER,
    "X-Idempotency-Key": Type.Optional(
      text({
        description: "The deduplication key in place of the automatic one; remembered for 24 hours",
        ...unsent("order-1001-confirmed"),
      }),
    ),
    ...TRACE_HEADERS,
  }),
  querystring: ANY_QUERY,
  body: TriggerRequest,
  "x-examples": {
    order: {
      value: {
        eventType: "order.confirmed",
        eventId: "order-1001",
        payload: {
          userId: "user-1",
          recipientEmail: "ann@example.com",
          recipientPhone: "+12025550123",
        },
        locale: "de-AT",
        variables: { name: "Ann", orderId: "A-1001" },
      },
    },
    builtIn: {
      value: {
        eventType: "global.info",
        channels: [IN_APP],
        payload: { userId: "user-1" },
        variables: { title: "Maintenance tonight", message: "We are back at 02:00 UTC." },
      },
    },
  },
  response: answers(
    {
      description: "Accepted, or a replay of what was accepted earlier",
      headers: ["X-Event-Id", "Idempotency-Replayed", "RateLimit-Policy", "RateLimit"],
      schema: TriggerResponse,
      example: { success: true, message: triggerMessage("order.confirmed", "Acme") },
    },
    {
      ...KEYED,
      ...WITH_BODY,
      validation: { message: ["eventType must be a string", "payload.userId must be a string"] },
      tooManyRequests: {
        message: "Rate limit exceeded for tenant Acme. Limit: 600/min",
        retryAfter: 12,
      },
    },
    { 401: ["WWW-Authenticate"], 429: ["Retry-After", "RateLimit-Policy", "RateLimit"] },
  ),
};

export interface TriggerDeps {
  authentication: Authentication;
  acceptor: Pick<Acceptor, "accept">;
  /** While NATS is away, no event is stored that would have to be published. A scheduled event need not be. */
  nats: Pick<NatsLink, "isConnected">;
  /** Looks up the files that triggers name. */
  attachmentPool: Pool;
  now(): Date;
  refusals: KnownRefusals;
  eventTypes: EventTypes;
  /** The setting TRUST_TRACE_SAMPLING. */
  trustTraceSampling: boolean;
}

/**
 * Registers `POST /api/v1/events/trigger`. The order of the checks is part of the contract: key, signature, body,
 * limits, acceptance. A request that fails before the limits does not count towards them.
 */
export function triggerRoute(app: FastifyInstance, deps: TriggerDeps): void {
  const onRequest = deps.authentication.trigger;
  const preValidation = [requireSignature, readBody];
  const onResponse = (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    countTrigger(reply.statusCode, request.logFields?.outcome ?? refusedOf(request));
    done();
  };
  const routes = app.withTypeProvider<TypeBoxTypeProvider>();
  routes.post(
    TRIGGER_PATH,
    { schema, onRequest, preValidation, onResponse },
    async (request, reply) => {
      const { tenant } = request;
      const { body } = request;
      const key = request.headers[HEADERS.idempotencyKey];
      const named = body.email?.attachments ?? [];
      const isKeyed = key !== undefined;
      const files =
        named.length > 0
          ? await resolveAttachments(deps.attachmentPool, tenant.id, named, isKeyed)
          : [];
      const { values, json: variables } = readVariables(body, request.bodyText);
      const trigger = readTrigger(body, values, files);
      const dedupKey =
        key === undefined
          ? automaticKey(tenant.id, trigger, tenant.dedupIncludesVariables)
          : explicitKey(tenant.id, headerText(String(key)));
      const span = startAccept(request, reply, TRIGGER_PATH, deps, trigger.eventType);
      request.span = span;
      const given = { tenant, trigger, variables, dedupKey, traceId: request.id, span };
      const { outcome, ...result } = await acceptTrigger(deps, given);
      if (outcome === "minute" || outcome === "day") {
        request.logFields = { tenantId: tenant.id, outcome };
        throw limitProblem(outcome, result.tenantName, result.limits);
      }
      const headers = limitHeaders(result.limits);
      reply.header("ratelimit-policy", headers.policy).header("ratelimit", headers.left);
      reply.header(HEADERS.eventId, result.eventId);
      request.logFields = { tenantId: tenant.id, eventId: result.eventId, outcome };
      if (outcome === "replayed") reply.header(HEADERS.replayed, "true");
      const message = triggerMessage(result.eventType!, result.tenantName);
      const warnings = warningsOf(
        deps.eventTypes,
        tenant.id,
        TriggerRequest,
        body,
        result.eventType!,
      );
      return warnings === undefined
        ? { success: true, message }
        : { success: true, message, warnings };
    },
  );
}

/** A checked trigger of a tenant. */
export interface GivenTrigger {
  tenant: Tenant;
  trigger: Trigger;
  /** The JSON text to store; null if there are none. */
  variables: string | null;
  dedupKey: string;
  traceId: string;
  /** The request's span; undefined if the request is not traced. */
  span: Span | undefined;
}

interface AcceptedTrigger {
  /** `minute` and `day`: the trigger is over this limit and has no event. */
  outcome: Exclude<AcceptOutcome, "inactive" | "attachments">;
  eventId: string | null;
  eventType: string | null;
  tenantName: string;
  limits: TenantLimits;
}

/** Checks a trigger against the tenant's retention and limits and accepts it. Throws a Problem for other refusals. */
export async function acceptTrigger(
  deps: TriggerDeps,
  { tenant, trigger, variables, dedupKey, traceId, span }: GivenTrigger,
): Promise<AcceptedTrigger> {
  const { options } = trigger;
  const rests = options !== null && requireWithinRetention(options, tenant, deps);
  const known = deps.refusals.find(tenant.id);
  if (known !== undefined) {
    const nothing = { eventId: null, eventType: null };
    return { outcome: "minute", ...nothing, tenantName: tenant.name, limits: known };
  }
  if (!rests && !deps.nats.isConnected()) {
    throw new Problem("internal", { cause: new Error("NATS is not connected") });
  }
  const typesRead = deps.eventTypes.load(tenant.id, trigger.eventType);
  const { outcome, limits, eventId, eventType, tenantName } = await deps.acceptor.accept({
    tenantId: tenant.id,
    dedupKey,
    id: uuidv7(),
    eventType: trigger.eventType,
    userId: trigger.userId,
    reference: trigger.reference,
    recipientEmail: trigger.recipientEmail,
    recipientPhone: trigger.recipientPhone,
    variables,
    traceId,
    options: span === undefined ? options : { ...options, traceParent: span.traceParent },
  });
  if (outcome === "attachments") {
    const files = trigger.envelope?.attachments ?? [];
    throw await attachmentsProblem(deps.attachmentPool, tenant.id, files);
  }
  if (limits === null || outcome === "inactive") {
    throw new Problem("unauthorized", { cause: new Error("inactive tenant") });
  }
  // Only the limit per minute may be refused from memory: over the daily cap, a replay must still be answered 200.
  if (outcome === "minute") deps.refusals.note(tenant.id, limits);
  // The answer's warnings need the event types.
  if (typesRead !== undefined && eventId !== null) await typesRead;
  return { outcome, limits, eventId, eventType, tenantName: tenantName ?? tenant.name };
}

/** Starts the request's span; returns undefined if tracing is off or this request is not sampled. */
export function startAccept(
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
  { trustTraceSampling }: TriggerDeps,
  eventType?: string,
): Span | undefined {
  const parent = request.headers[HEADERS.traceparent];
  return tracer()?.startRequest(
    typeof parent === "string" ? parent : undefined,
    trustTraceSampling,
    "accept",
    {
      kind: "server",
      startedAt: Date.now() - reply.elapsedTime,
      attributes: {
        "http.request.method": request.method,
        "http.route": path,
        "url.scheme": request.protocol,
        "url.path": path,
        "belfry.tenant.id": request.tenant.id,
        "belfry.event.type": eventType,
      },
    },
  );
}

/**
 * Returns whether an event has to wait for its time. Throws a 422 Problem if the tenant's retention forbids the wait.
 */
export function requireWithinRetention(
  { sendAt, delaySeconds }: EventOptions,
  { kept }: Tenant,
  deps: { now(): Date },
): boolean {
  const restMs =
    sendAt === undefined ? (delaySeconds ?? 0) * 1000 : Date.parse(sendAt) - deps.now().getTime();
  if (restMs <= 0) return false;
  const mostMs = mostRestMs(kept);
  if (restMs <= mostMs) return true;
  const days = daysWords(daysOfMs(mostMs));
  const bound =
    sendAt === undefined
      ? `delaySeconds must be at most ${mostMs / 1000}, which is ${days}`
      : `sendAt must be at most ${days} from now`;
  throw new Problem("validation", {
    message: [`${bound}: ${restRule(kept)}`],
  });
}

const accepted = counter(
  "belfry_events_accepted_total",
  "Triggers answered 200, by replay or not",
  ["replayed"],
);
const rejected = counter("belfry_events_rejected_total", "Rejected triggers by reason", ["reason"]);

const REASONS: Readonly<Record<number, string>> = {
  400: "unparsable",
  401: "unauthorized",
  403: "forbidden",
  413: "too_large",
  415: "media_type",
  422: "invalid",
  500: "internal",
  503: "internal",
};

// The counters exist with 0 from the start, so that monitoring sees the first count as an increase.
for (const replayed of ["true", "false"]) accepted.inc({ replayed }, 0);
const LIMITS = ["minute", "day", "large_bodies"];
for (const reason of [...Object.values(REASONS), ...LIMITS, "unknown_keys"]) {
  rejected.inc({ reason }, 0);
}

/**
 * Returns the reason of a 429 before any database call. With a known key, the tenant had too many large bodies in
 * progress or refused; undefined otherwise.
 */
export function refusedOf({ tenant }: FastifyRequest): string | undefined {
  return tenant === null ? undefined : "large_bodies";
}

/**
 * Counts the result of one trigger. `outcome` is that of the database, or `refusedOf` if the database was not called.
 */
export function countTrigger(status: number, outcome: unknown): void {
  if (status === 200) {
    accepted.inc({ replayed: outcome === "replayed" ? "true" : "false" });
  } else if (status === 429) {
    rejected.inc({ reason: LIMITS.find((limit) => limit === outcome) ?? "unknown_keys" });
  } else {
    rejected.inc({ reason: REASONS[status] ?? "other" });
  }
}
