import { hash } from "node:crypto";
import { openApiDocument } from "@belfry/contracts/openapi-document";
import { DOCS_PATH, OPENAPI_PATH } from "@belfry/contracts/openapi-operations";
import type { FastifyInstance } from "fastify";
import { docsPage, STYLE } from "./docs-page.ts";

const PAGE_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  // Nothing but the page's own style: it has no script, image or form.
  "content-security-policy": `default-src 'none'; style-src 'sha256-${hash("sha256", STYLE, "base64")}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  "x-content-type-options": "nosniff",
};

/** The interface, documented: `/openapi.json` for machines and `/docs` for people; without a key. */
export function openApiRoutes(app: FastifyInstance): void {
  const document = openApiDocument();
  const json = JSON.stringify(document);
  const page = docsPage(document);
  app.get(OPENAPI_PATH, (_request, reply) =>
    // A public description: tools in a browser may read it from anywhere.
    reply
      .headers({
        "content-type": "application/json; charset=utf-8",
        "access-control-allow-origin": "*",
      })
      .send(json),
  );
  app.get(DOCS_PATH, (_request, reply) => reply.headers(PAGE_HEADERS).send(page));
}
