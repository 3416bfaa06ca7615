import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { ALWAYS, answers, TRACE_HEADERS } from "@belfry/http-api/route-schema";
import { Type } from "@sinclair/typebox";
import type { FastifyInstance } from "fastify";
import type { Reference } from "./docs-worker.ts";

const DOCS_PATH = "/docs";
const HTML_TYPE = "text/html; charset=utf-8";

const schema = {
  operationId: "docs",
  tags: ["Documentation"],
  summary: "This document as a page",
  description: "The same for people, with samples of code, and to try it.",
  security: [],
  headers: Type.Object(TRACE_HEADERS),
  response: answers({ description: "HTML", schema: Type.String(), mediaType: HTML_TYPE }, ALWAYS),
};

/**
 * Serves the OpenAPI documents of both interfaces as a page, `/docs`, without a key. The page loads no other origin.
 */
export function docsRoutes(app: FastifyInstance, config: { manageUrl: string }): void {
  let loading: Promise<Reference> | undefined;
  const reference = () => {
    loading ??= loadReference(config.manageUrl).catch((error) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
  app.get(DOCS_PATH, { schema }, async (_request, reply) => {
    const { page, policy } = await reference();
    const headers = { "content-type": HTML_TYPE, "content-security-policy": policy };
    return reply.headers({ ...headers, "x-content-type-options": "nosniff" }).send(page);
  });
  app.get(`${DOCS_PATH}/reference.js`, async (_request, reply) => {
    const { script } = await reference();
    return reply
      .headers({
        "content-type": "text/javascript; charset=utf-8",
        "content-encoding": "gzip",
        "cache-control": "public, max-age=3600",
        "x-content-type-options": "nosniff",
      })
      .send(script);
  });
}

/** Builds the page in a thread that then ends, because the script has 4 MB and most replicas never serve the page. */
async function loadReference(manageUrl: string): Promise<Reference> {
  const worker = new Worker(new URL("./docs-worker.ts", import.meta.url), {
    workerData: { manageUrl },
  });
  const [reference] = await once(worker, "message");
  return { ...reference, script: Buffer.from(reference.script) };
}
