import swagger from "@fastify/swagger";
import { Kind, Type } from "@sinclair/typebox";
import type { FastifyInstance, FastifySchema } from "fastify";
import { ALWAYS, ANSWER_HEADERS, answers, JSON_TYPE, TRACE_HEADERS } from "./route-schema.ts";

const LICENSE = { name: "Apache-2.0", identifier: "Apache-2.0" };

declare module "fastify" {
  interface FastifySchema {
    /** Examples of the request's body, by name. */
    "x-examples"?: Record<string, { value: unknown }>;
    /** OpenAPI's Request Body Object, if the body is not JSON. */
    "x-body"?: object;
  }
}

export interface DocumentParts {
  path: string;
  title: string;
  description: string;
  tags: { name: string; description: string }[];
  /** The base address of the API. Default: the document's own. */
  server?: string;
  /** The id of the document's own route. */
  operationId: string;
  /** OpenAPI's `webhooks`. */
  webhooks?: Record<string, object>;
}

/**
 * Serves the API's description as an OpenAPI document at `path`, without a key. It describes the routes that are
 * registered after this and have a tag.
 */
export async function documentRoutes(app: FastifyInstance, parts: DocumentParts): Promise<void> {
  const { path, title, description, tags, operationId, server = "/", webhooks = {} } = parts;
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: { title, version: "1", description, license: LICENSE },
      servers: [{ url: server }],
      tags,
      webhooks,
      components: {
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
    },
    hideUntagged: true,
    transform({ schema, url, ...given }) {
      const { components } = (given as unknown as { openapiObject: Document }).openapiObject;
      components.schemas ??= {};
      return { schema: named(schema, components.schemas) as FastifySchema, url };
    },
    transformObject(given) {
      const document = (given as unknown as { openapiObject: Document }).openapiObject;
      const operations = Object.values(document.paths).flatMap(Object.values<Operation>);
      operations.forEach(finish);
      document.components.headers = usedHeaders(operations);
      return document as object;
    },
  });
  let json: string | undefined;
  const schema = {
    operationId,
    tags: ["Documentation"],
    summary: "This document",
    description: "OpenAPI 3.1 in JSON.",
    security: [],
    headers: Type.Object(TRACE_HEADERS),
    response: answers({ description: "OpenAPI 3.1", schema: Type.Object({}) }, ALWAYS),
  };
  app.get(path, { schema }, (_request, reply) => {
    json ??= JSON.stringify(app.swagger());
    // A public description: tools in a browser may read it from anywhere.
    const headers = { "content-type": JSON_TYPE, "access-control-allow-origin": "*" };
    return reply.headers(headers).send(json);
  });
}

type Node = Record<string | symbol, unknown>;

/** Replaces each schema that has a title by a reference, and moves it to `schemas`. */
function named(node: unknown, schemas: Node): unknown {
  if (Array.isArray(node)) return node.map((one) => named(one, schemas));
  if (typeof node !== "object" || node === null) return node;
  const copy = () =>
    Object.fromEntries(Object.entries(node).map(([key, value]) => [key, named(value, schemas)]));
  // An example may have a title, too; only schemas have TypeBox's Kind.
  if (!(Kind in node && "title" in node)) return copy();
  const title = String(node.title);
  if (schemas[title] === undefined) {
    schemas[title] = {};
    schemas[title] = copy();
  }
  return { $ref: `#/components/schemas/${title}` };
}

interface Document {
  components: { schemas?: Node; headers?: object };
  paths: Record<string, Record<string, Operation>>;
}
interface Operation {
  "x-examples"?: unknown;
  "x-body"?: unknown;
  requestBody?: { content: { "application/json": { examples?: unknown } } };
  responses: Record<string, { headers: Record<string, { schema?: object }> }>;
}

function usedHeaders(operations: readonly Operation[]): object {
  const used = new Set(
    operations.flatMap(({ responses }) =>
      Object.values(responses).flatMap(({ headers }) => Object.keys(headers)),
    ),
  );
  return Object.fromEntries(Object.entries(ANSWER_HEADERS).filter(([name]) => used.has(name)));
}

/** Moves what the plugin leaves in place: the examples of a body, and the headers that are references. */
function finish(operation: Operation): void {
  const { "x-examples": examples, "x-body": body, requestBody, responses } = operation;
  delete operation["x-examples"];
  delete operation["x-body"];
  if (body !== undefined) Object.assign(operation, { requestBody: body });
  if (requestBody !== undefined) requestBody.content["application/json"].examples = examples;
  for (const { headers } of Object.values(responses)) {
    for (const [name, { schema }] of Object.entries(headers)) headers[name] = schema as object;
  }
}
