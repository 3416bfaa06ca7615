import { type Static, Type } from "@sinclair/typebox";

/** The one shape of every error of every service (specification, section 7). */
export const ProblemBody = Type.Object(
  {
    statusCode: Type.Integer({ description: "The status of the answer" }),
    error: Type.String({ description: "Its name" }),
    message: Type.Union([Type.String(), Type.Array(Type.String())], {
      description: "For 422 one string a fault, each naming its field",
    }),
    retryAfter: Type.Optional(Type.Integer({ description: "Seconds to wait; only with 429" })),
  },
  { title: "Problem" },
);
export type ProblemBody = Static<typeof ProblemBody>;

/** Every error a client can meet: status, name and message form. */
export const PROBLEMS = {
  unparsable: { statusCode: 400, error: "Bad Request", message: "Request body is not valid JSON" },
  badRequest: { statusCode: 400, error: "Bad Request", message: "The request could not be read" },
  unauthorized: {
    statusCode: 401,
    error: "Unauthorized",
    message: "Invalid or inactive API key",
  },
  forbidden: {
    statusCode: 403,
    error: "Forbidden",
    message: "The tenant of the path is not the tenant of the API key",
  },
  otherHost: {
    statusCode: 403,
    error: "Forbidden",
    message: "This host or origin is not one that this address is for",
  },
  keyRole: {
    statusCode: 403,
    error: "Forbidden",
    message: "The role of the API key does not allow this call",
  },
  notFound: { statusCode: 404, error: "Not Found", message: "Not found" },
  methodNotAllowed: {
    statusCode: 405,
    error: "Method Not Allowed",
    message: "Method not allowed here",
  },
  timeout: { statusCode: 408, error: "Request Timeout", message: "The request took too long" },
  conflict: {
    statusCode: 409,
    error: "Conflict",
    message: "What was asked for is not possible any more",
  },
  preconditionFailed: {
    statusCode: 412,
    error: "Precondition Failed",
    message: "It was changed meanwhile: read it again",
  },
  tooLarge: { statusCode: 413, error: "Payload Too Large", message: "Request body is too large" },
  uriTooLong: { statusCode: 414, error: "URI Too Long", message: "The path is too long" },
  unsupportedMediaType: {
    statusCode: 415,
    error: "Unsupported Media Type",
    message: "Content-Type must be application/json",
  },
  validation: { statusCode: 422, error: "Validation Error", message: "Validation failed" },
  tooManyRequests: {
    statusCode: 429,
    error: "Too Many Requests",
    message: "Too many requests",
  },
  headersTooLarge: {
    statusCode: 431,
    error: "Request Header Fields Too Large",
    message: "Request headers are too large",
  },
  internal: {
    statusCode: 500,
    error: "Internal Server Error",
    message: "The service could not complete the request; retry with backoff",
  },
  unavailable: {
    statusCode: 503,
    error: "Service Unavailable",
    message: "The service is shutting down or not ready; retry with backoff",
  },
} as const satisfies Record<string, ProblemBody>;

export type ProblemName = keyof typeof PROBLEMS;

/** A fault of the client, or a limit: carries what the answer says. Thrown by handlers, written by the HTTP layer. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly body: ProblemBody;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    problem: ProblemName,
    options: {
      message?: string | string[];
      retryAfterSeconds?: number;
      headers?: Record<string, string>;
      cause?: unknown;
    } = {},
  ) {
    const row = PROBLEMS[problem];
    const message = options.message ?? row.message;
    super(String(message), { cause: options.cause });
    this.body = {
      statusCode: row.statusCode,
      error: row.error,
      message,
      ...(options.retryAfterSeconds === undefined ? {} : { retryAfter: options.retryAfterSeconds }),
    };
    this.headers = {
      ...(options.retryAfterSeconds === undefined
        ? {}
        : { "retry-after": String(options.retryAfterSeconds) }),
      ...options.headers,
    };
  }
}
