import { PROBLEMS, ProblemBody, type ProblemName } from "@belfry/contracts/problems";
import type { TSchema } from "@sinclair/typebox";
import type { AnswerHeader } from "./document-parts.ts";

export const JSON_TYPE = "application/json; charset=utf-8";

/** The problems of an endpoint; the value changes what the example says. */
export type Problems = Partial<Record<ProblemName, Partial<ProblemBody>>>;

/** Of every endpoint: what goes wrong before a route is asked. */
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
 * The `response` of a route's schema: the good answer, and one a status for the problems; those that share a
 * status are its examples. `headers` are a status's own beside `X-Trace-Id`.
 */
export function answers(
  good: GoodAnswer,
  problems: Problems,
  headers: Record<number, AnswerHeader[]> = {},
): Record<string, object> {
  const { status: goodStatus = 200, description, schema, example, mediaType = JSON_TYPE } = good;
  const examples = example === undefined ? {} : { examples: { good: { value: example } } };
  const all: Record<string, ReturnType<typeof answer>> = {
    [goodStatus]: answer(description, good.headers, { [mediaType]: { schema, ...examples } }),
  };
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
