import swagger from "@fastify/swagger";
import { Kind, Type } from "@sinclair/typebox";
import type { FastifyInstance, FastifySchema } from "fastify";
import { ALWAYS, answers, JSON_TYPE } from "./answers.ts";
import { ANSWER_HEADERS, TRACE_HEADERS } from "./document-parts.ts";
import { webhookDocuments } from "./webhook-documents.ts";

export const OPENAPI_PATH = "/openapi.json";

const DESCRIPTION = [
  "Accepts events from your backend and dispatches them over email, SMS and realtime push.",
  "Every error has the fields statusCode, error and message; a path that is not below is 404, a method that a path does not know 405 with the header Allow.",
  "GET paths answer HEAD too. Every answer has X-Trace-Id.",
].join(" ");

const LICENSE = { name: "Apache-2.0", identifier: "Apache-2.0" };
const TAGS = [
  { name: "Events", description: "Send an event, and see what became of it" },
  { name: "Users", description: "Whom you notify, and what they want" },
  { name: "Realtime", description: "Let a user's browser connect" },
  { name: "Notifications", description: "What a user has been shown in your application" },
  { name: "Webhooks", description: "Be told what became of your events" },
  { name: "Packages", description: "What your developers install, from here" },
  { name: "Documentation", description: "This interface, for tools and for people" },
];

const schema = {
  operationId: "openapi",
  tags: ["Documentation"],
  summary: "This document",
  description: "OpenAPI 3.1 in JSON.",
  security: [],
  headers: Type.Object(TRACE_HEADERS),
  response: answers({ description: "OpenAPI 3.1", schema: Type.Object({}) }, ALWAYS),
};

declare module "fastify" {
  interface FastifySchema {
    /** Of the request's body, by name. */
    "x-examples"?: Record<string, { value: unknown }>;
  }
}

/**
 * The interface as OpenAPI, from the schemas of the routes that come after it: `/openapi.json`, without a key.
 * A route without a tag is not documented.
 */
export async function documentRoutes(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: { title: "Belfry", version: "1", description: DESCRIPTION, license: LICENSE },
      servers: [{ url: "/" }],
      tags: TAGS,
      webhooks: webhookDocuments(),
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
      for (const methods of Object.values(document.paths)) Object.values(methods).forEach(finish);
      return document as object;
    },
  });
  let json: string | undefined;
  app.get(OPENAPI_PATH, { schema }, (_request, reply) => {
    json ??= JSON.stringify(app.swagger());
    // A public description: tools in a browser may read it from anywhere.
    const headers = { "content-type": JSON_TYPE, "access-control-allow-origin": "*" };
    return reply.headers(headers).send(json);
  });
}

type Node = Record<string | symbol, unknown>;

/** A route's schema with a reference in place of every schema that has a title; those go to `schemas`. */
function named(node: unknown, schemas: Node): unknown {
  if (Array.isArray(node)) return node.map((one) => named(one, schemas));
  if (typeof node !== "object" || node === null) return node;
  const copy = () =>
    Object.fromEntries(Object.entries(node).map(([key, value]) => [key, named(value, schemas)]));
  // An example may have a title, too: only what TypeBox made is a schema.
  if (!(Kind in node && "title" in node)) return copy();
  const title = String(node.title);
  if (schemas[title] === undefined) {
    schemas[title] = {};
    schemas[title] = copy();
  }
  return { $ref: `#/components/schemas/${title}` };
}

interface Document {
  components: { schemas?: Node };
  paths: Record<string, Record<string, Operation>>;
}
interface Operation {
  "x-examples"?: unknown;
  requestBody?: { content: { "application/json": { examples?: unknown } } };
  responses: Record<string, { headers: Record<string, { schema?: object }> }>;
}

/** What the plugin leaves where it found it: the examples of a body, and headers by reference. */
function finish(operation: Operation): void {
  const { "x-examples": examples, requestBody, responses } = operation;
  delete operation["x-examples"];
  if (requestBody !== undefined) requestBody.content["application/json"].examples = examples;
  for (const { headers } of Object.values(responses)) {
    for (const [name, { schema }] of Object.entries(headers)) headers[name] = schema as object;
  }
}
