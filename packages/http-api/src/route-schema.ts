import { TRACE_ID } from "@belfry/contracts/identifiers";
import { PROBLEMS, ProblemBody, type ProblemName } from "@belfry/contracts/problems";
import { type TSchema, Type } from "@sinclair/typebox";

export const EXAMPLE_ID = "0198c0de-0000-7000-8000-000000000001";

/** Returns the example of a header that few callers need: the samples and the first try of `/docs` leave it out. */
export function unsent(value: string) {
  return { "x-examples": { shown: { value, "x-disabled": true } } };
}

export const SIGNATURE_HEADER = {
  "X-Service-Signature": Type.Optional(
    Type.String({
      description:
        "Required if the tenant has a webhook secret: HMAC-SHA256 of the raw body with the secret as key, 64 lowercase hex digits; anything else is 401. Ignored if it has none",
      ...unsent("4b8d5b1f0b6d6f4e8c0a2f4e6a8c0e2f4a6c8e0f2a4c6e8f0a2c4e6f8a0c2e4f"),
    }),
  ),
};

/** Headers of a signed call to the management API. */
export const TIMED_SIGNATURE_HEADERS = {
  "X-Service-Timestamp": Type.Optional(
    Type.String({
      description:
        "Required if the tenant has a webhook secret: the Unix seconds of the call, within 5 minutes of the server's",
      ...unsent("1795167000"),
    }),
  ),
  "X-Service-Signature": Type.Optional(
    Type.String({
      description:
        "Required if the tenant has a webhook secret: HMAC-SHA256 of `timestamp.METHOD.path?query.body` with the secret as key, 64 lowercase hex digits; anything else is 401",
      ...unsent("4b8d5b1f0b6d6f4e8c0a2f4e6a8c0e2f4a6c8e0f2a4c6e8f0a2c4e6f8a0c2e4f"),
    }),
  ),
};

export const REVISION_HEADER = {
  "If-Match": Type.Optional(
    Type.String({
      description:
        "The revision that you have read, as the field `revision`: 412 if it was changed since",
      ...unsent('"7"'),
    }),
  ),
};

export const IDEMPOTENCY_HEADER = {
  "Idempotency-Key": Type.Optional(
    Type.String({
      description:
        "1–255 characters: the same call with the same key gets the first answer for a day, and does nothing again",
      ...unsent("deploy-2026-11-20-1"),
    }),
  ),
};

/** Headers that every request may have. The document shows them; no schema checks them. */
export const TRACE_HEADERS = {
  "X-Trace-Id": Type.Optional(
    Type.String({
      description: "Your trace id; anything else than 1–128 visible ASCII characters is replaced",
      ...unsent("checkout-7f3a"),
    }),
  ),
  traceparent: Type.Optional(
    Type.String({
      description:
        "W3C Trace Context: without a valid X-Trace-Id its trace id is the request's, and an event's spans are children of its span; ignored where it is not valid",
      ...unsent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"),
    }),
  ),
};

/** OpenAPI's Header Objects of answers, by component name. */
export const ANSWER_HEADERS = {
  "X-Trace-Id": {
    required: true,
    description:
      "The trace id of the request: as X-Trace-Id or traceparent gave it, or a new one of 32 hex digits",
    schema: { type: "string" as const, pattern: TRACE_ID.source },
    example: "checkout-7f3a",
  },
  "X-Event-Id": {
    required: true,
    description: "Belfry's id of the event: the first one's on a replay",
    schema: { type: "string" as const, format: "uuid" },
    example: EXAMPLE_ID,
  },
  "Idempotency-Replayed": {
    required: false,
    description:
      "`true` where this is the answer to an earlier request: nothing is delivered again",
    schema: { type: "string" as const, enum: ["true"] },
    example: "true",
  },
  "RateLimit-Policy": {
    required: false,
    description: "The tenant's limits (IETF draft): q requests in w seconds",
    schema: { type: "string" as const },
    example: '"per-minute";q=600;w=60, "per-day";q=100000;w=86400',
  },
  RateLimit: {
    required: false,
    description: "What is left of them (IETF draft): r requests, t seconds until there are more",
    schema: { type: "string" as const },
    example: '"per-minute";r=599;t=60, "per-day";r=99999;t=43200',
  },
  "Retry-After": {
    required: true,
    description: "Seconds to wait: the same as `retryAfter` in the body",
    schema: { type: "string" as const, pattern: "^[1-9][0-9]*$" },
    example: "12",
  },
  "WWW-Authenticate": {
    required: false,
    description:
      'With a missing or wrong signature: `X-Service-Signature error="missing"` or `"invalid"`',
    schema: { type: "string" as const },
    example: 'X-Service-Signature error="invalid"',
  },
};
export type AnswerHeader = keyof typeof ANSWER_HEADERS;

/** Returns the schema's parts for a call with a tenant's key. */
export const lookOf = (tag: string) => ({
  tags: [tag],
  security: [{ apiKey: [] }],
  headers: Type.Object(TRACE_HEADERS),
});

/** Returns the schema's parts for a call that must be signed if the tenant has a webhook secret. */
export const signedOf = (tag: string) => ({
  ...lookOf(tag),
  headers: Type.Object({ ...SIGNATURE_HEADER, ...TRACE_HEADERS }),
});

export const JSON_TYPE = "application/json; charset=utf-8";

/** The problems of an endpoint. The value replaces fields of the problem's example. */
export type Problems = Partial<Record<ProblemName, Partial<ProblemBody>>>;

/** Problems of every endpoint: they occur before the code of its route runs. */
export const ALWAYS: Problems = {
  badRequest: {},
  timeout: {},
  uriTooLong: {},
  headersTooLarge: {},
  internal: {},
};
export const KEYED: Problems = {
  ...ALWAYS,
  unauthorized: {},
  keyRole: {},
  tooManyRequests: { message: "Too many requests", retryAfter: 12 },
};
export const WITH_BODY: Problems = { unparsable: {}, tooLarge: {}, unsupportedMediaType: {} };
export const WITHOUT_BODY: Problems = {
  tooLarge: {},
  unsupportedMediaType: {},
  validation: { message: ["dryRun is not a field"] },
};

interface GoodAnswer {
  /** Default: 200. */
  status?: number;
  description: string;
  headers?: AnswerHeader[];
  schema: TSchema;
  example?: unknown;
  mediaType?: string;
}

/**
 * Builds the `response` of a route's schema: the good answers, and an answer for each status of its problems. Problems
 * that share a status are its examples. `headers` has the headers of a status in addition to `X-Trace-Id`.
 */
export function answers(
  good: GoodAnswer | readonly (GoodAnswer | undefined)[],
  problems: Problems,
  headers: Record<number, AnswerHeader[]> = {},
): Record<string, object> {
  const all: Record<string, ReturnType<typeof answer>> = {};
  for (const one of [good].flat()) {
    if (one === undefined) continue;
    const { status = 200, description, schema, example, mediaType = JSON_TYPE } = one;
    const examples = example === undefined ? {} : { examples: { good: { value: example } } };
    all[status] = answer(description, one.headers, { [mediaType]: { schema, ...examples } });
  }
  for (const [name, row] of Object.entries(PROBLEMS)) {
    const change = problems[name as ProblemName];
    if (change === undefined) continue;
    const { statusCode: status, error } = row;
    const own = headers[status] ?? (status === 429 ? ["Retry-After"] : []);
    all[status] ??= answer(error, own, { [JSON_TYPE]: { schema: ProblemBody, examples: {} } });
    Object.assign(all[status].content[JSON_TYPE]?.examples ?? {}, {
      [name]: { value: { ...row, ...change } },
    });
  }
  return all;
}

interface Media {
  schema: TSchema;
  examples?: Record<string, { value: unknown }>;
}

function answer(description: string, headers: AnswerHeader[] = [], content: Record<string, Media>) {
  const refs = ["X-Trace-Id", ...headers].map((name) => [
    name,
    { $ref: `#/components/headers/${name}` },
  ]);
  return { description, headers: Object.fromEntries(refs), content };
}
