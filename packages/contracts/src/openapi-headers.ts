import {
  HISTORY_DEFAULT_LIMIT,
  HISTORY_MAX_LIMIT,
  HISTORY_MAX_OFFSET,
  MAX_TEXT_CHARACTERS,
} from "./bounds.ts";
import { PLAIN_TEXT, TENANT_ID, TRACE_ID, UUID } from "./identifiers.ts";
import type { JsonSchema } from "./openapi-schemas.ts";

/** OpenAPI's Parameter Object, as far as we use it. */
export interface Parameter {
  name: string;
  in: "header" | "path" | "query";
  required: boolean;
  description: string;
  schema: JsonSchema;
  example: unknown;
}

const text = { type: "string", minLength: 1, maxLength: MAX_TEXT_CHARACTERS, pattern: PLAIN_TEXT };

export const PARAMETERS = {
  traceId: {
    name: "X-Trace-Id",
    in: "header",
    required: false,
    description: "Your trace id; anything else than 1–128 visible ASCII characters is replaced",
    schema: { type: "string" },
    example: "checkout-7f3a",
  },
  traceparent: {
    name: "traceparent",
    in: "header",
    required: false,
    description:
      "W3C Trace Context: without a valid X-Trace-Id its trace id is the request's; ignored where it is not valid",
    schema: { type: "string" },
    example: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
  },
  signature: {
    name: "X-Service-Signature",
    in: "header",
    required: false,
    description:
      "Required if the tenant has a webhook secret: HMAC-SHA256 of the raw body with the secret as key, in lowercase hex",
    schema: { type: "string", pattern: "^[0-9a-f]{64}$" },
    example: "4b8d5b1f0b6d6f4e8c0a2f4e6a8c0e2f4a6c8e0f2a4c6e8f0a2c4e6f8a0c2e4f",
  },
  idempotencyKey: {
    name: "X-Idempotency-Key",
    in: "header",
    required: false,
    description: "The deduplication key in place of the automatic one; remembered for 24 hours",
    schema: text,
    example: "order-1001-confirmed",
  },
  tenantId: {
    name: "tenantId",
    in: "path",
    required: true,
    description: "The id of the tenant of the API key; another one is 403",
    schema: { type: "string", pattern: TENANT_ID.source },
    example: "acme",
  },
  userId: {
    name: "userId",
    in: "path",
    required: true,
    description: "The user's id in your own system, percent-encoded",
    schema: text,
    example: "user-1",
  },
  notificationId: {
    name: "notificationId",
    in: "path",
    required: true,
    description: "The id of an item of the history",
    schema: { type: "string", pattern: caseless(UUID) },
    example: "0198c0de-0000-7000-8000-000000000001",
  },
  eventId: {
    name: "eventId",
    in: "path",
    required: true,
    description: "Belfry's id of the event: the header X-Event-Id of the trigger's answer",
    schema: { type: "string", pattern: caseless(UUID) },
    example: "0198c0de-0000-7000-8000-000000000001",
  },
  limit: {
    name: "limit",
    in: "query",
    required: false,
    description: "Most items to return",
    schema: {
      type: "integer",
      minimum: 1,
      maximum: HISTORY_MAX_LIMIT,
      default: HISTORY_DEFAULT_LIMIT,
    },
    example: 20,
  },
  offset: {
    name: "offset",
    in: "query",
    required: false,
    description: "Newer items to leave out",
    schema: { type: "integer", minimum: 0, maximum: HISTORY_MAX_OFFSET, default: 0 },
    example: 0,
  },
} as const satisfies Record<string, Parameter>;

/** OpenAPI's Header Objects of answers, by component name. */
export const ANSWER_HEADERS = {
  "X-Trace-Id": {
    required: true,
    description:
      "The trace id of the request: as X-Trace-Id or traceparent gave it, or a new one of 32 hex digits",
    schema: { type: "string", pattern: TRACE_ID.source },
    example: "checkout-7f3a",
  },
  "X-Event-Id": {
    required: true,
    description: "Belfry's id of the event: the first one's on a replay",
    schema: { type: "string", format: "uuid" },
    example: "0198c0de-0000-7000-8000-000000000001",
  },
  "Idempotency-Replayed": {
    required: false,
    description:
      "`true` where this is the answer to an earlier request: nothing is delivered again",
    schema: { type: "string", enum: ["true"] },
    example: "true",
  },
  "RateLimit-Policy": {
    required: false,
    description: "The tenant's limits (IETF draft): q requests in w seconds",
    schema: { type: "string" },
    example: '"per-minute";q=600;w=60, "per-day";q=100000;w=86400',
  },
  RateLimit: {
    required: false,
    description: "What is left of them (IETF draft): r requests, t seconds until there are more",
    schema: { type: "string" },
    example: '"per-minute";r=599;t=60, "per-day";r=99999;t=43200',
  },
  "Retry-After": {
    required: true,
    description: "Seconds to wait: the same as `retryAfter` in the body",
    schema: { type: "string", pattern: "^[1-9][0-9]*$" },
    example: "12",
  },
  "WWW-Authenticate": {
    required: false,
    description:
      'With a missing or wrong signature: `X-Service-Signature error="missing"` or `"invalid"`',
    schema: { type: "string" },
    example: 'X-Service-Signature error="invalid"',
  },
} as const;
export type AnswerHeader = keyof typeof ANSWER_HEADERS;

/** JSON Schema's patterns have no flags. */
function caseless(pattern: RegExp): string {
  return pattern.source.replaceAll("a-f", "a-fA-F");
}
