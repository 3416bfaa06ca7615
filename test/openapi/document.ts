import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { createHttpServer } from "@belfry/service/http";
import { createLogger } from "@belfry/service/logger";
import type { FastifyInstance } from "fastify";
import { manageApi } from "../../services/admin/src/manage-api.ts";
import { type AppDeps, createApp } from "../../services/ingest-api/src/app.ts";
import type { Schema } from "../fuzz/arbitrary-of-schema.ts";

/** The part of OpenAPI 3.1 that we use. */
export interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; headers: Record<string, Header> };
}
export interface Operation {
  summary: string;
  parameters: Parameter[];
  /** JSON, or a file of any type. */
  requestBody?: {
    content: { "application/json"?: { schema: { $ref: string } }; "*/*"?: { schema: object } };
  };
  responses: Record<string, Answer>;
  security: unknown[];
}
export interface Parameter {
  name: string;
  in: "header" | "path" | "query";
  required: boolean;
  schema: Schema;
}
interface Answer {
  headers: Record<string, { $ref: string }>;
  content: Record<string, { schema: Schema }>;
}
interface Header {
  required: boolean;
  schema: Schema;
}

const config = {
  trustProxy: "",
  packagesFolder: "",
  manageUrl: "",
  unknownKeysPerMinute: 1,
  otherPerMinute: 1,
  receiptsPerMinute: 1,
};
const log = createLogger({ service: "ingest-api", level: "silent" });

/** Every route of ingest-api, as `POST /webhooks/:provider/:tenantId`; some are in no document. */
export const routes: string[] = [];
const collect = (message: unknown) => {
  const { fastify } = message as { fastify: FastifyInstance };
  fastify.addHook("onRoute", ({ method, url }) => void routes.push(`${method} ${url}`));
};
subscribe("fastify.initialization", collect);
await using app = await createApp({ config, log } as AppDeps);
unsubscribe("fastify.initialization", collect);
await using managing = createHttpServer({ log, maxBodyBytes: 1 });
await manageApi(managing, {
  config: { baseUrl: "/", limits: { unknownKeysPerMinute: 1, otherPerMinute: 1 } },
} as Parameters<typeof manageApi>[1]);

/** The `/openapi.json` of ingest-api; reading it needs no database or NATS. */
export const document: Document = (await app.inject("/openapi.json")).json();
/** The document that admin serves below `/api/v1/manage`. */
export const manageDocument: Document = (
  await managing.inject("/api/v1/manage/openapi.json")
).json();
