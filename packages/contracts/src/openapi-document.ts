import { ANSWER_HEADERS, type AnswerHeader, PARAMETERS } from "./openapi-headers.ts";
import { OPERATIONS, type Operation } from "./openapi-operations.ts";
import { componentSchemas, type JsonSchema, refTo } from "./openapi-schemas.ts";
import { PROBLEMS, ProblemBody, type ProblemName } from "./problems.ts";

/** OpenAPI 3.1, as far as we write it. */
export interface OpenApiDocument {
  openapi: "3.1.0";
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  tags: { name: string }[];
  paths: Record<string, Record<string, OperationObject>>;
  components: {
    schemas: Record<string, JsonSchema>;
    parameters: typeof PARAMETERS;
    headers: typeof ANSWER_HEADERS;
    securitySchemes: Record<string, unknown>;
  };
}

export interface OperationObject {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  security: Record<string, never[]>[];
  parameters: { $ref: string }[];
  requestBody?: { required: true; content: Content };
  responses: Record<string, ResponseObject>;
}

export interface ResponseObject {
  description: string;
  headers: Record<string, { $ref: string }>;
  content: Content;
}

export type Content = Record<
  string,
  { schema?: JsonSchema; examples?: Record<string, { value: unknown }> }
>;

const DESCRIPTION = [
  "Accepts events from your backend and dispatches them over email, SMS and realtime push.",
  "Every error has the fields statusCode, error and message; a path that is not below is 404, a method that a path does not know 405 with the header Allow.",
  "GET paths answer HEAD too. Every answer has X-Trace-Id.",
].join(" ");

/** The HTTP interface as OpenAPI, from the schemas that the services use. */
export function openApiDocument(): OpenApiDocument {
  const paths: OpenApiDocument["paths"] = {};
  for (const operation of OPERATIONS) {
    const path = operation.path.replaceAll(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [operation.method]: operationObject(operation) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Belfry", version: "1", description: DESCRIPTION },
    servers: [{ url: "/" }],
    tags: [...new Set(OPERATIONS.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: componentSchemas(),
      parameters: PARAMETERS,
      headers: ANSWER_HEADERS,
      securitySchemes: {
        apiKey: {
          type: "apiKey",
          in: "header",
          name: "x-api-key",
          description: "The tenant's API key: for your backend only, never for a browser",
        },
      },
    },
  };
}

function operationObject(operation: Operation): OperationObject {
  const { request } = operation;
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: operation.description,
    security: operation.needsKey ? [{ apiKey: [] }] : [],
    parameters: operation.parameters.map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ...(request === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: {
              "application/json": {
                schema: refTo(request.schema),
                examples: named(request.examples),
              },
            },
          },
        }),
    responses: { "200": goodAnswer(operation), ...problemAnswers(operation) },
  };
}

function goodAnswer({ answer }: Operation): ResponseObject {
  return {
    description: answer.description,
    headers: headerRefs(["X-Trace-Id", ...answer.headers]),
    content: {
      [answer.mediaType]: {
        ...(answer.schema === undefined ? {} : { schema: refTo(answer.schema) }),
        ...(answer.example === undefined ? {} : { examples: named({ good: answer.example }) }),
      },
    },
  };
}

/** One answer a status; the problems that share it are its examples. */
function problemAnswers({ id, problems }: Operation): Record<string, ResponseObject> {
  const answers: Record<string, ResponseObject> = {};
  for (const [name, row] of Object.entries(PROBLEMS)) {
    const change = problems[name as ProblemName];
    if (change === undefined) continue;
    const examples = {
      ...answers[row.statusCode]?.content["application/json; charset=utf-8"]?.examples,
      ...named({ [name]: { ...row, ...change } }),
    };
    answers[row.statusCode] = {
      description: row.error,
      headers: headerRefs(["X-Trace-Id", ...problemHeaders(id, row.statusCode)]),
      content: { "application/json; charset=utf-8": { schema: refTo(ProblemBody), examples } },
    };
  }
  return answers;
}

function problemHeaders(operationId: string, status: number): AnswerHeader[] {
  const isTrigger = operationId === "triggerEvent";
  if (status === 401 && isTrigger) return ["WWW-Authenticate"];
  if (status !== 429) return [];
  return isTrigger ? ["Retry-After", "RateLimit-Policy", "RateLimit"] : ["Retry-After"];
}

function headerRefs(names: AnswerHeader[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function named(examples: Record<string, unknown>): Record<string, { value: unknown }> {
  return Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]));
}
