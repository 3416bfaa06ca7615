import { Kind, OptionalKind, type Static, type TSchema, Type } from "@sinclair/typebox";
import { faultOf, OPEN } from "./fields.ts";
import { MAX_UNKNOWN, shownName, unknownFault, unknownFields } from "./unknown-fields.ts";

/** The body of every error of every service (specification, section 7). */
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

/** All errors that a client can get: status, name and form of the message. */
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

/** The fault of an idempotency key that an earlier, different request has used. Follows the field's name. */
export const KEY_OF_ANOTHER_CALL = "was used for another call: give each call a key of its own";

/** An error of the client or a limit, with the body of the answer. Handlers throw it, and the HTTP layer sends it. */
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

/** A fault of one field, in the client's words. */
interface FieldFault {
  /** The path, such as `payload.userId` or `users[2].email`. */
  field: string;
  /** The text after the field's name, such as `must be an integer`. */
  message: string;
}

/** Returns the text of a fault in an answer. */
export function faultText({ field, message }: FieldFault): string {
  return `${field} ${message}`;
}

/**
 * Returns all faults of a value. If a part should be an object and is not, the faults also list its missing fields. The
 * names of the fields in it begin with `prefix`, which is empty for a whole body. Unknown fields are faults, unless the
 * object is `open`. Throws for a schema that cannot be checked.
 */
export function faultsOf(
  schema: TSchema,
  value: unknown,
  field: string,
  prefix = `${field}.`,
): FieldFault[] {
  const faults: FieldFault[] = [];
  addFaults(faults, schema, value, field, prefix);
  return faults;
}

/** Throws if `faultsOf` cannot check a part of the schema. */
export function requireChecks(schema: TSchema): void {
  if (schema[Kind] === "Array") requireChecks(schema.items);
  else if (schema[Kind] === "Object") Object.values<TSchema>(schema.properties).map(requireChecks);
  else requireFault(schema);
}

function requireFault(schema: TSchema) {
  const fault = faultOf(schema);
  if (fault === undefined) throw new Error(`no check for a ${schema[Kind]}: see fields.ts`);
  return fault;
}

/** Runs for every request, so it creates no names and lists for absent fields. */
function addFaults(
  faults: FieldFault[],
  schema: TSchema,
  value: unknown,
  field: string,
  prefix: string,
): void {
  let message: string | undefined;
  if (schema[Kind] === "Object") {
    const given = isObject(value) ? value : undefined;
    if (given === undefined) faults.push({ field, message: "must be an object" });
    if (given === undefined && prefix === "") return;
    const { properties } = schema;
    for (const name in properties) {
      const part = properties[name];
      const inner = given?.[name];
      if (inner === undefined && OptionalKind in part) continue;
      const path = prefix + name;
      addFaults(faults, part, inner, path, `${path}.`);
    }
    message = given && faultOf(schema)?.(given);
    if (given && !(OPEN in schema || schema.additionalProperties))
      addUnknown(faults, schema, given, prefix);
  } else if (schema[Kind] === "Array") {
    message = listFault(schema, value);
    if (message === undefined) {
      for (const [index, item] of (value as unknown[]).entries()) {
        const path = `${field}[${index}]`;
        addFaults(faults, schema.items, item, path, `${path}.`);
      }
    }
  } else {
    message = requireFault(schema)(value);
  }
  if (message !== undefined) faults.push({ field, message });
}

function addUnknown(
  faults: FieldFault[],
  schema: TSchema,
  given: Record<string, unknown>,
  prefix: string,
): void {
  for (const name of unknownFields(schema, given)) {
    // The bound applies to all objects of a list together, because one fault is enough to reject the list.
    if (faults.length >= MAX_UNKNOWN) return;
    const message = unknownFault(name, Object.keys(schema.properties));
    faults.push({ field: prefix + shownName(name), message });
  }
}

function listFault({ minItems, maxItems }: TSchema, value: unknown): string | undefined {
  if (!Array.isArray(value)) return "must be an array";
  if (value.length > maxItems) return `must have at most ${maxItems} items`;
  if (value.length < minItems) return `must have at least ${minItems} item`;
  return undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
